// Collects a Readable under a cap: the beginning, the end, and a count of what was between.

import type { Readable } from 'node:stream';
import type { Collected } from './decode.ts';

/** Kept in a list of chunks for the tail; whole chunks are dropped as soon as the rest covers the cap. */
export class StreamCollector {
  readonly #headCap: number;
  readonly #tailCap: number;
  readonly #head: Buffer[] = [];
  readonly #tail: Buffer[] = [];
  #headSize = 0;
  #tailSize = 0;
  #bytes = 0;

  constructor(caps: { readonly head: number; readonly tail: number }) {
    this.#headCap = caps.head;
    this.#tailCap = caps.tail;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const forHead = Math.min(chunk.length, this.#headCap - this.#headSize);
    if (forHead > 0) {
      this.#head.push(chunk.subarray(0, forHead));
      this.#headSize += forHead;
    }
    if (forHead < chunk.length && this.#tailCap > 0) this.#pushTail(chunk.subarray(Math.max(0, forHead)));
  }

  #pushTail(chunk: Buffer): void {
    this.#tail.push(chunk);
    this.#tailSize += chunk.length;
    for (let first = this.#tail[0]; first && this.#tailSize - first.length >= this.#tailCap; first = this.#tail[0]) {
      this.#tail.shift();
      this.#tailSize -= first.length;
    }
  }

  take(): Collected {
    const tail = Buffer.concat(this.#tail);
    const from = Math.max(0, tail.length - this.#tailCap);
    return { head: Buffer.concat(this.#head), tail: tail.subarray(from), bytes: this.#bytes, tee: null };
  }
}

/** Reads `stream` to its end. `onChunk` sees the total after each chunk. */
export async function collectStream(
  stream: Readable,
  caps: { readonly head: number; readonly tail: number },
  onChunk: (bytes: number) => void,
): Promise<Collected> {
  const collector = new StreamCollector(caps);
  for await (const chunk of stream) {
    collector.push(chunk as Buffer);
    onChunk(collector.bytes);
  }
  return collector.take();
}
