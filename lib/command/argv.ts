// The argument vector: checked once, copied once, encoded for the engine. Runs on the JavaScript thread for every
// start, so it makes one pass.

import { makeTypeError, makeValueError } from '../errors/option-errors.ts';
import type { Argv } from './types.ts';

const IS_WINDOWS = process.platform === 'win32';

/** Offset of the first half of a surrogate pair that stands alone, or -1. */
function findLoneSurrogate(text: string): number {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const next = text.charCodeAt(i + 1);
    if (unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) i++;
    else return i;
  }
  return -1;
}

/**
 * Refuses text that cannot reach a program unchanged.
 *
 * @throws TypeError `ERR_INVALID_ARG_VALUE` with `field` and `offset`: a NUL, which ends every string an operating
 * system takes, or (on Unix, where text is sent as UTF-8) half a surrogate pair, which UTF-8 cannot express.
 */
export function checkText(text: string, field: string, index?: number): void {
  if (!isPassable(text)) refuseText(text, field, index);
}

function isPassable(text: string): boolean {
  return !text.includes('\0') && (IS_WINDOWS || text.isWellFormed());
}

function refuseText(text: string, field: string, index: number | undefined): never {
  const place = index === undefined ? {} : { index };
  const nul = text.indexOf('\0');
  if (nul >= 0) throw makeValueError(field, `has a NUL character at offset ${nul}`, { ...place, offset: nul });
  const offset = findLoneSurrogate(text);
  throw makeValueError(field, `has half a surrogate pair at offset ${offset}; it has no UTF-8 form`, {
    ...place,
    offset,
  });
}

function checkBytes(bytes: Uint8Array, field: string, index: number): Uint8Array {
  if (IS_WINDOWS) throw makeTypeError(field, 'a string (bytes are accepted on Unix only)', bytes, index);
  const nul = bytes.indexOf(0);
  if (nul >= 0) throw makeValueError(field, `has a NUL byte at offset ${nul}`, { index, offset: nul });
  return Uint8Array.from(bytes);
}

/**
 * A frozen copy of what the caller passed; later changes by the caller do not reach it.
 *
 * @throws TypeError naming `argv[i]`.
 */
export function parseArgv(value: unknown): Argv {
  if (!Array.isArray(value)) throw makeTypeError('argv', 'an array of strings, the program first', value);
  const given: readonly unknown[] = value;
  const count = given.length;
  if (count === 0) throw makeValueError('argv', 'is empty: its first entry is the program');
  const program = given[0];
  if (typeof program !== 'string') throw makeTypeError('argv[0]', 'a string (the program)', program, 0);
  if (program === '') throw makeValueError('argv[0]', 'is empty: it is the program', { index: 0 });
  if (!isPassable(program)) refuseText(program, 'argv[0]', 0);
  const copy: [string, ...(string | Uint8Array)[]] = [program];
  for (let i = 1; i < count; i++) {
    const argument = given[i];
    if (typeof argument === 'string') {
      if (!isPassable(argument)) refuseText(argument, `argv[${i}]`, i);
      copy.push(argument);
    } else if (argument instanceof Uint8Array) {
      copy.push(checkBytes(argument, `argv[${i}]`, i));
    } else {
      throw makeTypeError(`argv[${i}]`, 'a string or (on Unix) a Uint8Array', argument, i);
    }
  }
  return Object.freeze(copy);
}

/** argv as one block of NUL-terminated strings. */
export function encodeArgv(argv: Argv): string | Uint8Array {
  let text = '';
  for (const argument of argv) {
    if (typeof argument !== 'string') return encodeBytes(argv);
    text += argument + '\0';
  }
  return text;
}

function encodeBytes(argv: Argv): Uint8Array {
  const end = Buffer.from([0]);
  return Buffer.concat(
    argv.flatMap((argument) => [typeof argument === 'string' ? Buffer.from(argument) : argument, end]),
  );
}
