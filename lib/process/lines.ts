// Output as lines of text, from bytes that come in pieces.

import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';
import type { Line } from './types.ts';

/** A line longer than this (in UTF-16 units) is delivered in parts, so that one endless line cannot fill the memory. */
const LONGEST_LINE = 1024 * 1024;

/** Whether a cut before `at` would divide a surrogate pair. The decoder makes no lone halves. */
function endsInsidePair(text: string, at: number): boolean {
  const last = text.charCodeAt(at - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

/**
 * Cuts one stream at line feeds. A carriage return before a line feed belongs to the line's end; one that stands alone
 * is data.
 */
export class LineSplitter {
  readonly #stream: Line['stream'];
  /** Characters that are split over two pieces are put together here. */
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  constructor(stream: Line['stream']) {
    this.#stream = stream;
  }

  push(chunk: Buffer): Line[] {
    const parts = (this.#rest + this.#decoder.write(chunk)).split('\n');
    this.#rest = parts.pop() ?? '';
    const lines = parts.map((part) => this.#makeLine(part.endsWith('\r') ? part.slice(0, -1) : part, true));
    while (this.#rest.length > LONGEST_LINE) {
      const cut = endsInsidePair(this.#rest, LONGEST_LINE) ? LONGEST_LINE - 1 : LONGEST_LINE;
      lines.push(this.#makeLine(this.#rest.slice(0, cut), false));
      this.#rest = this.#rest.slice(cut);
    }
    return lines;
  }

  /** The last line, when the program did not end it. */
  end(): Line[] {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = '';
    return rest === '' ? [] : [this.#makeLine(rest, false)];
  }

  #makeLine(text: string, ended: boolean): Line {
    return Object.freeze({ stream: this.#stream, text, ended });
  }
}

/** Lines of one stream, read on demand. */
async function* readLines(stream: Readable, name: Line['stream']): AsyncGenerator<Line, void, undefined> {
  const splitter = new LineSplitter(name);
  for await (const chunk of stream) yield* splitter.push(chunk as Buffer);
  yield* splitter.end();
}

type Turn = { readonly index: number; readonly result: IteratorResult<Line, void> };

/** Lines of both streams as they come; no order between the two is claimed. */
export async function* mergeLines(
  streams: readonly { readonly stream: Readable | null; readonly name: Line['stream'] }[],
): AsyncGenerator<Line, void, undefined> {
  const iterators: AsyncGenerator<Line, void, undefined>[] = [];
  for (const { stream, name } of streams) {
    if (stream !== null) iterators.push(readLines(stream, name));
  }
  const advance = (index: number, iterator: AsyncGenerator<Line, void, undefined>): Promise<Turn> => {
    const turn = iterator.next().then((result) => ({ index, result }));
    // A caller that stops early awaits it no more, and the stream that is let go then rejects it.
    turn.catch(() => undefined);
    return turn;
  };
  const pending = new Map(iterators.map((iterator, index) => [index, advance(index, iterator)]));
  try {
    while (pending.size > 0) {
      const { index, result } = await Promise.race(pending.values());
      const iterator = iterators[index];
      if (result.done === true || iterator === undefined) {
        pending.delete(index);
        continue;
      }
      pending.set(index, advance(index, iterator));
      yield result.value;
    }
  } finally {
    // The caller stopped early: the streams are let go, and the program is not held up by them. A read that is still
    // pending then ends with an error that concerns nobody.
    for (const turn of pending.values()) turn.catch(() => undefined);
    for (const { stream } of streams) stream?.destroy();
  }
}
