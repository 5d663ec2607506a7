// stdin of a running process as a Writable: backpressure from the child, and no error when the child stops reading.

import type { Writable } from 'node:stream';
import { endInput, writeInput } from '../native/binding.ts';
import { getBuiltin } from '../util/builtin.ts';

/** Bytes that may wait natively before a write counts as not taken. */
const HIGH_WATER = 64 * 1024;

/**
 * A program that closes its stdin, or ends, is not a failure of the writer: what was not taken is dropped, and the
 * stream closes without an `'error'` event. `bytesWritten` and `closedEarly` of the result tell.
 */
export class InputStream {
  readonly stream: Writable;
  #closed = false;
  #held: (() => void) | undefined;

  constructor(id: number) {
    this.stream = new (getBuiltin('node:stream').Writable)({
      highWaterMark: HIGH_WATER,
      decodeStrings: true,
      write: (chunk: Buffer, _encoding, callback) => {
        if (this.#closed || writeInput(id, chunk) < HIGH_WATER) callback();
        else this.#held = callback;
      },
      final: (callback) => {
        if (!this.#closed) endInput(id);
        callback();
      },
      destroy: (error, callback) => {
        if (!this.#closed) endInput(id);
        this.#closed = true;
        callback(error);
      },
    });
  }

  onDrain(): void {
    this.#release();
  }

  /** The child reads no more. */
  onClosed(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#release();
    this.stream.destroy();
  }

  #release(): void {
    const held = this.#held;
    this.#held = undefined;
    held?.();
  }
}
