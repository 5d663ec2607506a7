// What a background run has written and nobody has read yet: the last bytes of a stream, with positions that keep
// counting when older ones are dropped.

import type { Readable } from 'node:stream';

export interface OutputPart {
  readonly text: string;
  /** Position after this part: give it as `from` to go on. */
  readonly next: number;
  /** Bytes between `from` and the first byte of `text` that are no longer kept. */
  readonly missed: number;
}

/** First byte at or after `at` that begins a UTF-8 character. */
function skipContinuation(bytes: Buffer, at: number): number {
  let i = at;
  while (i < bytes.length && i < at + 3 && ((bytes[i] ?? 0) & 0xc0) === 0x80) i++;
  return i;
}

/** End of the last whole UTF-8 character; a character that is not finished yet is left for the next read. */
function findWholeEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const lead = bytes[bytes.length - back] ?? 0;
    if ((lead & 0xc0) === 0x80) continue;
    const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

export class OutputTail {
  readonly #most: number;
  #chunks: Buffer[] = [];
  #kept = 0;
  #total = 0;
  #read = 0;
  #ended = false;
  /** Resolves when there is nothing more to come; never rejects. */
  readonly closed: Promise<void>;

  /** Keeps reading, so that the program is never held back. A stream that is not there (null) has ended. */
  constructor(stream: Readable | null, most: number) {
    this.#most = most;
    stream?.on('data', (chunk: Buffer) => this.#add(chunk));
    const end = stream === null ? Promise.resolve() : new Promise<void>((resolve) => stream.once('close', resolve));
    this.closed = end.then(() => {
      this.#ended = true;
    });
  }

  #add(chunk: Buffer): void {
    this.#total += chunk.length;
    this.#kept += chunk.length;
    this.#chunks.push(chunk);
    while (this.#kept - (this.#chunks[0]?.length ?? 0) >= this.#most) this.#kept -= this.#chunks.shift()?.length ?? 0;
  }

  /** Bytes the program has written. */
  get total(): number {
    return this.#total;
  }

  /** @param from - position to start at; absent: after the last read. */
  read(from: number = this.#read): OutputPart {
    const all = Buffer.concat(this.#chunks, this.#kept);
    const kept = all.subarray(Math.max(0, all.length - this.#most));
    const first = this.#total - kept.length;
    const start = Math.min(Math.max(from, first), this.#total);
    let bytes = kept.subarray(start - first);
    const skipped = start > from ? skipContinuation(bytes, 0) : 0;
    bytes = bytes.subarray(skipped);
    if (!this.#ended) bytes = bytes.subarray(0, findWholeEnd(bytes));
    const next = start + skipped + bytes.length;
    this.#read = next;
    return Object.freeze({ text: bytes.toString('utf8'), next, missed: Math.max(0, start + skipped - from) });
  }
}
