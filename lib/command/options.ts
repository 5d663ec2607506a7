// Every option: its default, its range, and the one error it gets when it is wrong. The only place of defaults.

import { constants } from 'node:os';
import {
  makeRangeError,
  makeTypeError,
  makeUnknownOptionError,
  makeUnknownSignalError,
  makeValueError,
} from '../errors/option-errors.ts';
import { findNearestName } from '../util/nearest-name.ts';
import { isRecord } from '../util/describe.ts';
import type { CommonOptions, Containment, Keep, Lingering } from './types.ts';

/** Which function the options are for: some values make sense for one only. */
export type CallKind = 'run' | 'runSync' | 'spawn';

const DEFAULTS = {
  maxBuffer: 16 * 1024 * 1024,
  keep: 'ends',
  onMaxBuffer: 'truncate',
  encoding: 'utf8',
  killSignal: 'SIGTERM',
  forceKillAfter: 2000,
  lingering: 'kill',
  drainTimeout: 100,
  containment: 'tree',
  windowsShims: 'refuse',
} as const;

const NAMES: readonly (keyof CommonOptions)[] = [
  'cwd',
  'env',
  'extendEnv',
  'stdin',
  'stdout',
  'stderr',
  'tee',
  'maxBuffer',
  'keep',
  'onMaxBuffer',
  'encoding',
  'timeout',
  'idleTimeout',
  'signal',
  'killSignal',
  'forceKillAfter',
  'lingering',
  'drainTimeout',
  'containment',
  'require',
  'check',
  'windowsShims',
];

/** Options of other libraries, and what to use here instead. */
const FOREIGN: Readonly<Record<string, string>> = {
  shell: 'no shell is ever inserted; name the shell as the program, for example ["sh", "-c", text]',
  pty: 'a pseudo-terminal is not offered',
  tty: 'a pseudo-terminal is not offered',
  stdio: 'use stdin, stdout and stderr',
  input: 'use stdin',
  detached: "every child has a session of its own; to leave one running use lingering: 'leave'",
  cleanup: "trees are always cleaned up; to leave one running use lingering: 'leave'",
  killTree: 'use containment',
  reject: 'a failing program is a result; use check: true to have it rejected',
  forceKillAfterDelay: 'use forceKillAfter',
  cancelSignal: 'use signal',
  argv0: 'argv[0] is the program',
  uid: 'changing the user is not offered; start a program that does it',
  gid: 'changing the group is not offered; start a program that does it',
  windowsHide: 'windows are always hidden',
  windowsVerbatimArguments: 'arguments are always quoted exactly',
  stripFinalNewline: 'output is never changed',
};

/** The options as given, each own property read once. */
export type GivenOptions = Readonly<Record<string, unknown>>;

/**
 * @param names - the options that are known here.
 * @throws TypeError `ERR_INVALID_ARG_TYPE` or `ERR_UNKNOWN_OPTION`.
 */
export function readOptions(options: unknown, names: readonly string[] = NAMES): GivenOptions {
  if (options === undefined) return Object.freeze({});
  if (!isRecord(options)) {
    throw makeTypeError('options', 'an object', options);
  }
  // Without a prototype, so that a polluted Object.prototype is not an option.
  const given: Record<string, unknown> = Object.assign(Object.create(null) as Record<string, unknown>, options);
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const hint = Object.hasOwn(FOREIGN, name) ? FOREIGN[name] : undefined;
    const nearest = findNearestName(name, names);
    throw makeUnknownOptionError(
      name,
      hint ?? (nearest ? `did you mean ${nearest}?` : `known are ${names.join(', ')}`),
    );
  }
  return given;
}

function parseWord<W extends string>(given: GivenOptions, name: string, words: readonly W[], absent: W): W {
  const value = given[name];
  if (value === undefined) return absent;
  if ((words as readonly unknown[]).includes(value)) return value as W;
  const expected = `one of ${words.map((word) => `'${word}'`).join(', ')}`;
  if (typeof value !== 'string') throw makeTypeError(name, expected, value);
  throw makeValueError(name, `must be ${expected}, got '${value}'`);
}

/** Milliseconds; absent and Infinity are both `none`, which the engine knows as 0. So is 0, as in Node. */
function parseDeadline(given: GivenOptions, name: 'timeout' | 'idleTimeout'): number {
  const value = given[name];
  if (value === undefined || value === Infinity) return 0;
  if (typeof value !== 'number') throw makeTypeError(name, 'a number of milliseconds', value);
  if (!(value >= 0)) throw makeRangeError(name, 'milliseconds from 0 (none) to Infinity (none)', value);
  return value;
}

/** Milliseconds; 0 means at once and Infinity means never. */
function parseSpan(given: GivenOptions, name: 'forceKillAfter' | 'drainTimeout'): number {
  const value = given[name];
  if (value === undefined) return DEFAULTS[name];
  if (typeof value !== 'number') throw makeTypeError(name, 'a number of milliseconds', value);
  if (!(value >= 0)) throw makeRangeError(name, 'milliseconds from 0 to Infinity', value);
  return value;
}

function parseCap(value: unknown, field: string): number {
  if (value === undefined) return DEFAULTS.maxBuffer;
  if (typeof value !== 'number') throw makeTypeError(field, 'a number of bytes', value);
  if (value !== Infinity && !(Number.isSafeInteger(value) && value >= 0)) {
    throw makeRangeError(field, 'a whole number of bytes from 0 to Infinity (no cap)', value);
  }
  return value;
}

function parseMaxBuffer(given: GivenOptions): { readonly stdout: number; readonly stderr: number } {
  const value = given['maxBuffer'];
  if (!isRecord(value)) {
    const cap = parseCap(value, 'maxBuffer');
    return { stdout: cap, stderr: cap };
  }
  const { stdout, stderr, ...others } = value;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw makeUnknownOptionError(`maxBuffer.${unknown}`, 'known are stdout and stderr');
  return { stdout: parseCap(stdout, 'maxBuffer.stdout'), stderr: parseCap(stderr, 'maxBuffer.stderr') };
}

/** @throws TypeError `ERR_UNKNOWN_SIGNAL`. */
export function parseSignal(value: unknown, field: string): number {
  if (value === undefined) return constants.signals[DEFAULTS.killSignal];
  const numbers: Readonly<Record<string, number>> = constants.signals;
  if (typeof value === 'string' && Object.hasOwn(numbers, value)) return numbers[value] ?? 0;
  const known = typeof value === 'number' && Object.values(numbers).includes(value);
  if (known) return value;
  throw makeUnknownSignalError(field, value);
}

function parseEncoding(given: GivenOptions): string {
  const value = given['encoding'];
  if (value === undefined || value === 'utf-8') return DEFAULTS.encoding;
  if (value === 'buffer' || value === DEFAULTS.encoding) return value;
  if (typeof value !== 'string') throw makeTypeError('encoding', "'utf8', 'buffer' or a TextDecoder label", value);
  try {
    const label = new TextDecoder(value).encoding;
    return label === 'utf-8' ? DEFAULTS.encoding : label;
  } catch {
    throw makeValueError('encoding', `must be 'utf8', 'buffer' or a label that TextDecoder knows, got '${value}'`);
  }
}

/** By shape: a signal may come from another realm. */
function isAbortSignal(value: unknown): value is AbortSignal {
  const shape = value as Partial<AbortSignal> | null;
  return (
    typeof shape === 'object' && typeof shape?.aborted === 'boolean' && typeof shape.addEventListener === 'function'
  );
}

function parseAbortSignal(given: GivenOptions): AbortSignal | null {
  const value = given['signal'];
  if (value === undefined) return null;
  if (isAbortSignal(value)) return value;
  throw makeTypeError('signal', 'an AbortSignal', value);
}

function parseBoolean(given: GivenOptions, name: 'check'): boolean {
  const value = given[name];
  if (value === undefined) return false;
  if (typeof value !== 'boolean') throw makeTypeError(name, 'a boolean', value);
  return value;
}

const STRENGTHS: readonly Containment[] = ['none', 'group', 'tree'];

/** Whether `offered` is at least `required`. */
export function isAtLeast(offered: Containment, required: Containment): boolean {
  return STRENGTHS.indexOf(offered) >= STRENGTHS.indexOf(required);
}

function parseRequire(given: GivenOptions, containment: Containment): Containment | null {
  if (given['require'] === undefined) return null;
  const required = parseWord<Containment>(given, 'require', STRENGTHS, 'none');
  if (!isAtLeast(containment, required)) {
    throw makeValueError('require', `asks for '${required}', but containment allows only '${containment}'`);
  }
  return required;
}

/** The options that need nothing but themselves. */
export interface PlainOptions {
  readonly maxBuffer: { readonly stdout: number; readonly stderr: number };
  readonly keep: Keep;
  readonly onMaxBuffer: 'truncate' | 'kill';
  readonly encoding: string;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal | null;
  readonly killSignal: number;
  readonly forceKillAfterMs: number;
  readonly lingering: Lingering;
  readonly drainTimeoutMs: number;
  readonly containment: Containment;
  readonly windowsShims: 'refuse' | 'resolve';
  readonly require: Containment | null;
  readonly check: boolean;
}

export function parsePlainOptions(given: GivenOptions): PlainOptions {
  const containment = parseWord<Containment>(given, 'containment', STRENGTHS, DEFAULTS.containment);
  return {
    maxBuffer: Object.freeze(parseMaxBuffer(given)),
    keep: parseWord<Keep>(given, 'keep', ['ends', 'head', 'tail'], DEFAULTS.keep),
    onMaxBuffer: parseWord(given, 'onMaxBuffer', ['truncate', 'kill'], DEFAULTS.onMaxBuffer),
    encoding: parseEncoding(given),
    timeoutMs: parseDeadline(given, 'timeout'),
    idleTimeoutMs: parseDeadline(given, 'idleTimeout'),
    signal: parseAbortSignal(given),
    killSignal: parseSignal(given['killSignal'], 'killSignal'),
    forceKillAfterMs: parseSpan(given, 'forceKillAfter'),
    lingering: parseWord<Lingering>(given, 'lingering', ['kill', 'leave', 'wait'], DEFAULTS.lingering),
    drainTimeoutMs: parseSpan(given, 'drainTimeout'),
    containment,
    windowsShims: parseWord(given, 'windowsShims', ['refuse', 'resolve'], DEFAULTS.windowsShims),
    require: parseRequire(given, containment),
    check: parseBoolean(given, 'check'),
  };
}
