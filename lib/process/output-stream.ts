// stdout or stderr of a running process as a Readable. A reader that stops reading stops the program: the engine reads
// only as far as credit has been granted.

import { Readable } from 'node:stream';
import { grantCredit } from '../native/binding.ts';

/** Bytes that may be on their way, and as many that may wait here. */
const WINDOW = 256 * 1024;

export class OutputStream extends Readable {
  readonly #id: number;
  readonly #stream: 1 | 2;
  /** Granted and not yet arrived. */
  #outstanding = 0;
  #ended = false;

  constructor(id: number, stream: 1 | 2) {
    super({ highWaterMark: WINDOW });
    this.#id = id;
    this.#stream = stream;
  }

  /**
   * What waits here does not count: Readable asks while a full buffer is still being handed out, and does not ask
   * again until something has been pushed.
   */
  override _read(): void {
    const wanted = WINDOW - this.#outstanding;
    if (wanted <= 0 || this.#ended) return;
    this.#outstanding += wanted;
    grantCredit(this.#id, this.#stream, wanted);
  }

  /** Nobody will read: the program must not be stopped by a full pipe, so the rest is read and dropped. */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!this.#ended) grantCredit(this.#id, this.#stream, Infinity);
    callback(error);
  }

  onData(chunk: Uint8Array): void {
    this.#outstanding = Math.max(0, this.#outstanding - chunk.length);
    if (this.destroyed) return;
    // A Buffer, whatever the engine made: text methods of readers expect one.
    this.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }

  onEnd(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (!this.destroyed) this.push(null);
  }
}
