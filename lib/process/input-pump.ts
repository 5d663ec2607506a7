// Feeds an iterable (or Readable) into the child's stdin, no faster than the child reads.

import { endInput, writeInput } from '../native/binding.ts';
import type { StdinStream } from '../command/types.ts';
import { makeTypeError } from '../errors/option-errors.ts';

/** Bytes that may wait before the source is left alone until the child has read them. */
const HIGH_WATER = 256 * 1024;

/** What handling one chunk counts for, in bytes, however small it is. */
const CHUNK_COST = 4096;

/**
 * One source for one run. The child's closing of its stdin ends the source (its `return` is called) and is no failure;
 * the source's own failure is reported through `onFailure`.
 */
export class InputPump {
  readonly #id: number;
  readonly #source: StdinStream;
  readonly #onFailure: (error: unknown) => void;
  #closed = false;
  #sinceTurn = 0;
  #wake: (() => void) | undefined;
  #iterator: AsyncIterator<unknown> | Iterator<unknown> | undefined;

  constructor(id: number, source: StdinStream, onFailure: (error: unknown) => void) {
    this.#id = id;
    this.#source = source;
    this.#onFailure = onFailure;
  }

  /** Runs until the source or the child ends. Never rejects: failures go to `onFailure`. */
  async pump(): Promise<void> {
    try {
      const source = this.#source as Partial<AsyncIterable<unknown> & Iterable<unknown>>;
      const iterator = source[Symbol.asyncIterator]?.() ?? source[Symbol.iterator]?.();
      if (iterator === undefined) throw makeTypeError('stdin', 'an iterable', this.#source);
      this.#iterator = iterator;
      while (!this.#closed) {
        const next = await iterator.next();
        if (next.done === true || this.#isClosed()) break;
        await this.#write(next.value);
      }
      if (!this.#isClosed()) endInput(this.#id);
    } catch (error) {
      if (!this.#closed) this.#onFailure(error);
    }
  }

  /** Everything written has been taken. */
  onDrain(): void {
    this.#wake?.();
  }

  /** The child reads no more, or the run is over. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#wake?.();
    // Not awaited: a source that is stuck must not hold up the result. Its failure no longer matters to anyone.
    void Promise.resolve()
      .then(() => this.#iterator?.return?.())
      .catch(() => undefined);
  }

  /** A call, since `close` may have come during any await. */
  #isClosed(): boolean {
    return this.#closed;
  }

  async #write(value: unknown): Promise<void> {
    let chunk: Uint8Array;
    if (typeof value === 'string') {
      chunk = Buffer.from(value);
    } else if (value instanceof Uint8Array) {
      chunk = value;
    } else {
      throw makeTypeError('chunk of stdin', 'a string or a Uint8Array', value);
    }
    if (chunk.length === 0) return;
    const waiting = writeInput(this.#id, chunk);
    if (waiting === 0) {
      this.close(); // nobody is left to take it
    } else if (waiting >= HIGH_WATER) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    } else {
      await this.#breathe(chunk.length);
    }
  }

  /** A source that never really waits would keep the event loop from turning, and with it the news that all is over. */
  async #breathe(written: number): Promise<void> {
    this.#sinceTurn += written + CHUNK_COST;
    if (this.#sinceTurn < HIGH_WATER) return;
    this.#sinceTurn = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
