// Bytes to the value a result holds: decoded once, when whole, cut only between characters.

import { isUtf8 } from 'node:buffer';
import type { NativeCapture } from '../native/contract.ts';
import type { Capture, OutputData } from './types.ts';

/** What was kept of a stream, and how much there was. */
export interface Collected {
  readonly head: Uint8Array | null;
  readonly tail: Uint8Array | null;
  readonly bytes: number;
  readonly tee: NativeCapture['tee'];
}

export interface Decoded {
  readonly data: OutputData;
  readonly capture: Capture;
}

const EMPTY = Buffer.alloc(0);
const LONGEST_UTF8 = 4;

/** Bytes of the character that `lead` begins; 0 for a byte that begins none. */
function utf8Length(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  return 0;
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** `bytes` without a last character of which only the beginning is there. */
export function trimIncompleteEnd(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back < LONGEST_UTF8 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return utf8Length(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** `bytes` without leading bytes that belong to a character whose beginning is gone. */
export function trimIncompleteStart(bytes: Uint8Array): Uint8Array {
  let skip = 0;
  while (skip < LONGEST_UTF8 - 1 && skip < bytes.length && isContinuation(bytes[skip] ?? 0)) skip++;
  return bytes.subarray(skip);
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function joinBytes(head: Uint8Array, tail: Uint8Array): Buffer {
  return tail.length === 0 ? toBuffer(head) : Buffer.concat([head, tail]);
}

/**
 * Text by its label, nothing removed: a byte order mark stays.
 *
 * In two steps, since the one-step form of Node 20.18.3 and later takes windows-1252 for Latin-1, and so reads its bytes
 * 80 to 9f (the euro sign, quotes, dashes) as control characters: nodejs/node issue 60888.
 */
function decodeText(bytes: Uint8Array, encoding: string): string {
  if (encoding === 'utf8') return toBuffer(bytes).toString('utf8');
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}

/** Of the many streams on which nothing comes. */
const SILENCE: Capture = Object.freeze({
  bytes: 0,
  kept: 0,
  omitted: 0,
  truncated: false,
  gapAt: null,
  invalidUtf8: false,
  tee: null,
});

/**
 * @param encoding - `'buffer'`, `'utf8'` or a TextDecoder label. Only UTF-8 is cut between characters; with another
 * encoding the two kept parts are decoded each on its own.
 * @throws Error of Node (`ERR_STRING_TOO_LONG`) when the text is longer than this JavaScript engine allows.
 */
export function decodeOutput(collected: Collected, encoding: string, teePath: string | null): Decoded {
  if (collected.bytes === 0 && collected.tee === null) {
    return { data: encoding === 'buffer' ? EMPTY : '', capture: SILENCE };
  }
  const first = collected.head ?? EMPTY;
  const last = collected.tail ?? EMPTY;
  const cut = collected.bytes > first.length + last.length;
  const utf8 = encoding === 'utf8';
  const head = utf8 && cut ? trimIncompleteEnd(first) : first;
  const tail = utf8 && cut ? trimIncompleteStart(last) : last;
  const kept = head.length + tail.length;
  const omitted = collected.bytes - kept;
  let data: OutputData;
  let gapAt: number | null = null;
  if (encoding === 'buffer') {
    data = joinBytes(head, tail);
    if (omitted > 0) gapAt = head.length;
  } else if (omitted > 0) {
    const before = decodeText(head, encoding);
    data = before + decodeText(tail, encoding);
    gapAt = before.length;
  } else {
    data = decodeText(joinBytes(head, tail), encoding);
  }
  const valid = !utf8 || (omitted > 0 ? isUtf8(head) && isUtf8(tail) : isUtf8(joinBytes(head, tail)));
  const tee = collected.tee;
  return {
    data,
    capture: Object.freeze({
      bytes: collected.bytes,
      kept,
      omitted,
      truncated: omitted > 0,
      gapAt,
      invalidUtf8: !valid,
      tee:
        tee === null || teePath === null
          ? null
          : Object.freeze({ path: teePath, bytes: tee.bytes, error: tee.error === '' ? null : tee.error }),
    }),
  };
}
