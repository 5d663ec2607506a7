// stdout or stderr of a running process as a Readable. A reader that stops reading stops the program: the engine reads
// only as far as credit has been granted.

import type { Readable } from 'node:stream';
import { grantCredit } from '../native/binding.ts';
import { getBuiltin } from '../util/builtin.ts';

/** Bytes that may be on their way, and as many that may wait here. */
const WINDOW = 256 * 1024;

export class OutputStream {
  #stream: Readable | undefined;
  readonly #id: number;
  readonly #index: 1 | 2;
  /** Granted and not yet arrived. */
  #outstanding = 0;
  #ended = false;

  constructor(id: number, index: 1 | 2) {
    this.#id = id;
    this.#index = index;
  }

  /** Made when somebody asks for it, or data comes unasked, as what is left when the program has ended does. */
  get stream(): Readable {
    if (this.#stream === undefined) {
      this.#stream = this.#makeStream();
      if (this.#ended) this.#stream.push(null);
    }
    return this.#stream;
  }

  #makeStream(): Readable {
    return new (getBuiltin('node:stream').Readable)({
      highWaterMark: WINDOW,
      read: () => {
        this.#grant();
      },
      // Nobody will read: the program must not be stopped by a full pipe, so the rest is read and dropped.
      destroy: (error, callback) => {
        if (!this.#ended) grantCredit(this.#id, this.#index, Infinity);
        callback(error);
      },
    });
  }

  /**
   * What waits here does not count: Readable asks while a full buffer is still being handed out, and does not ask
   * again until something has been pushed.
   */
  #grant(): void {
    const wanted = WINDOW - this.#outstanding;
    if (wanted <= 0 || this.#ended) return;
    this.#outstanding += wanted;
    grantCredit(this.#id, this.#index, wanted);
  }

  onData(chunk: Uint8Array): void {
    this.#outstanding = Math.max(0, this.#outstanding - chunk.length);
    if (this.stream.destroyed) return;
    // A Buffer, whatever the engine made: text methods of readers expect one.
    this.stream.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }

  onEnd(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#stream?.destroyed === false) this.#stream.push(null);
  }
}
