// Text for a program's stdin, held so that it cannot be shown by accident: printing, inspecting, serialising or copying
// the object gives its size. Only `reveal` gives the text, and only the code that feeds the program calls it.

/** Literal stdin of a request. */
export class LiteralInput {
  readonly #text: string;
  /** Size as UTF-8. */
  readonly bytes: number;

  constructor(text: string) {
    this.#text = text;
    this.bytes = Buffer.byteLength(text);
    Object.freeze(this);
  }

  /** A copy as UTF-8, for the program. */
  reveal(): Buffer {
    return Buffer.from(this.#text);
  }

  toJSON(): { readonly bytes: number } {
    return { bytes: this.bytes };
  }

  toString(): string {
    return `${this.bytes} bytes of stdin`;
  }
}
