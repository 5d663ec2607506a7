// stdin of a running process as a Writable: backpressure from the child, and no error when the child stops reading.

import { Writable } from 'node:stream';
import { endInput, writeInput } from '../native/binding.ts';

/** Bytes that may wait natively before a write counts as not taken. */
const HIGH_WATER = 64 * 1024;

/**
 * A program that closes its stdin, or ends, is not a failure of the writer: what was not taken is dropped, and the
 * stream closes without an `'error'` event. `bytesWritten` and `closedEarly` of the result tell.
 */
export class InputStream extends Writable {
  readonly #id: number;
  #closed = false;
  #held: (() => void) | undefined;

  constructor(id: number) {
    super({ highWaterMark: HIGH_WATER, decodeStrings: true });
    this.#id = id;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    if (this.#closed || writeInput(this.#id, chunk) < HIGH_WATER) callback();
    else this.#held = callback;
  }

  override _final(callback: () => void): void {
    if (!this.#closed) endInput(this.#id);
    callback();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!this.#closed) endInput(this.#id);
    this.#closed = true;
    callback(error);
  }

  onDrain(): void {
    this.#release();
  }

  /** The child reads no more. */
  onClosed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#release();
    this.destroy();
  }

  #release(): void {
    const held = this.#held;
    this.#held = undefined;
    held?.();
  }
}
