// The three standard streams and the tee files, from option to Plan.

import { makeTypeError, makeUnknownOptionError, makeValueError } from '../errors/option-errors.ts';
import { isRecord } from '../util/describe.ts';
import { parsePath, toAbsolute } from './cwd.ts';
import type { CallKind, GivenOptions } from './options.ts';
import type { Argv, PlanOutput, PlanStdin, StdinStream } from './types.ts';

const STDIN_EXPECTED =
  "'ignore', 'inherit', 'pipe', text, bytes, { file }, a Readable or an (async) iterable of text and bytes";

const IGNORED = Object.freeze({ kind: 'ignore' });
const INHERITED = Object.freeze({ kind: 'inherit' });
const PIPED = Object.freeze({ kind: 'pipe' });
const NO_TEE = Object.freeze({ stdout: null, stderr: null });

function isFileObject(value: object): value is { file: unknown } {
  return Object.hasOwn(value, 'file');
}

function checkKeys(value: object, field: string, known: readonly string[]): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw makeUnknownOptionError(`${field}.${unknown}`, `known are ${known.join(', ')}`);
}

/** Text must be well formed to have a UTF-8 form; a NUL is data here. */
function checkInputText(text: string): void {
  if (!text.isWellFormed()) throw makeValueError('stdin', 'has half a surrogate pair; it has no UTF-8 form');
}

/** Whether bytes given as stdin are the Plan's own copy, or still the caller's. */
export type StdinBytes = 'copied' | 'borrowed';

/**
 * From here on borrowed bytes are not copied at once: a copy would take seconds, and its memory, before the start. They
 * go down in slices of this size, each of which is copied to blocks that the engine uses again and again.
 */
const LARGE = 1024 * 1024;

/** Large bytes as a source, read as the child takes them. `length` is theirs now: a generator begins later. */
function* sliceBytes(bytes: Uint8Array, length: number): Generator<Uint8Array> {
  for (let at = 0; at < length; at += LARGE) {
    if (bytes.length !== length) throw makeValueError('stdin', 'was detached or resized while the program read it');
    yield bytes.subarray(at, at + LARGE);
  }
}

export function parseStdin(given: GivenOptions, kind: CallKind, argv: Argv, bytes: StdinBytes): PlanStdin {
  const value = given['stdin'];
  if (value === undefined || value === 'ignore') return IGNORED;
  if (value === 'inherit') return INHERITED;
  if (value === 'pipe') {
    if (kind === 'spawn') return PIPED;
    throw makeValueError('stdin', `'pipe' needs someone who writes: use spawn, or give ${kind} the input itself`);
  }
  if (typeof value === 'string') {
    checkInputText(value);
    return Object.freeze({ kind: 'data', data: value });
  }
  if (value instanceof Uint8Array) {
    if (bytes === 'borrowed' && kind !== 'runSync' && value.length > LARGE) {
      return Object.freeze({ kind: 'iterable', source: sliceBytes(value, value.length) });
    }
    // Copied: what the caller writes into its bytes later is not what was decided.
    return Object.freeze({ kind: 'data', data: bytes === 'copied' ? new Uint8Array(value) : value });
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) {
    throw makeTypeError('stdin', STDIN_EXPECTED, value);
  }
  if (Symbol.asyncIterator in value || Symbol.iterator in value) {
    if (kind === 'runSync') throw makeTypeError('stdin', 'text, bytes or { file } in a blocking call', value);
    return Object.freeze({ kind: 'iterable', source: value as StdinStream });
  }
  if (isFileObject(value)) {
    checkKeys(value, 'stdin', ['file']);
    return Object.freeze({ kind: 'file', path: toAbsolute(parsePath(value.file, 'stdin.file'), argv) });
  }
  throw makeTypeError('stdin', STDIN_EXPECTED, value);
}

export function parseOutput(given: GivenOptions, name: 'stdout' | 'stderr', argv: Argv): PlanOutput {
  const value = given[name];
  if (value === undefined || value === 'pipe') return PIPED;
  if (value === 'ignore') return IGNORED;
  if (value === 'inherit') return INHERITED;
  if (value === 'stdout' && name === 'stderr') return Object.freeze({ kind: 'stdout' });
  if (typeof value === 'object' && value !== null && isFileObject(value)) {
    checkKeys(value, name, ['file', 'append']);
    const append: unknown = Object.hasOwn(value, 'append') ? (value as { append?: unknown }).append : undefined;
    if (append !== undefined && typeof append !== 'boolean') throw makeTypeError(`${name}.append`, 'a boolean', append);
    const path = toAbsolute(parsePath(value.file, `${name}.file`), argv);
    return Object.freeze({ kind: 'file', path, append: append === true });
  }
  const words = name === 'stderr' ? "'pipe', 'ignore', 'inherit', 'stdout'" : "'pipe', 'ignore', 'inherit'";
  throw makeTypeError(name, `${words} or { file, append? }`, value);
}

export function parseTee(
  given: GivenOptions,
  stdout: PlanOutput,
  stderr: PlanOutput,
  argv: Argv,
): { readonly stdout: string | null; readonly stderr: string | null } {
  const value = given['tee'];
  if (value === undefined) return NO_TEE;
  if (!isRecord(value)) throw makeTypeError('tee', '{ stdout?, stderr? }', value);
  checkKeys(value, 'tee', ['stdout', 'stderr']);
  const parse = (name: 'stdout' | 'stderr', output: PlanOutput): string | null => {
    const target: unknown = value[name];
    if (target === undefined) return null;
    if (output.kind !== 'pipe') {
      throw makeValueError(`tee.${name}`, `needs ${name}: 'pipe', got '${output.kind}'`);
    }
    return toAbsolute(parsePath(target, `tee.${name}`), argv);
  };
  return Object.freeze({ stdout: parse('stdout', stdout), stderr: parse('stderr', stderr) });
}
