// Every option: its default, its range, and the one error it gets when it is wrong. The only place of defaults.

import {
  makeRangeError,
  makeTypeError,
  makeUnknownOptionError,
  makeUnknownSignalError,
  makeValueError,
} from '../errors/option-errors.ts';
import { findNearestName } from '../util/nearest-name.ts';
import { getBuiltin } from '../util/builtin.ts';
import { isRecord } from '../util/describe.ts';
import type { CommonOptions, Containment, Keep, Lingering } from './types.ts';

/** Which function the options are for: some values make sense for one only. */
export type CallKind = 'run' | 'runSync' | 'spawn';

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

/** What each of them is when it is absent. The one place of defaults. */
const DEFAULTS: PlainOptions = {
  maxBuffer: Object.freeze({ stdout: 16 * 1024 * 1024, stderr: 16 * 1024 * 1024 }),
  keep: 'ends',
  onMaxBuffer: 'truncate',
  encoding: 'utf8',
  timeoutMs: 0,
  idleTimeoutMs: 0,
  signal: null,
  killSignal: 15, // SIGTERM, on every system
  forceKillAfterMs: 2000,
  lingering: 'kill',
  drainTimeoutMs: 100,
  containment: 'tree',
  windowsShims: 'refuse',
  require: null,
  check: false,
};

/** Every option, absent: the shape that all calls share. Own properties, so that a polluted Object.prototype is none. */
const ABSENT: Record<keyof CommonOptions, undefined> = {
  cwd: undefined,
  env: undefined,
  extendEnv: undefined,
  stdin: undefined,
  stdout: undefined,
  stderr: undefined,
  tee: undefined,
  maxBuffer: undefined,
  keep: undefined,
  onMaxBuffer: undefined,
  encoding: undefined,
  timeout: undefined,
  idleTimeout: undefined,
  signal: undefined,
  killSignal: undefined,
  forceKillAfter: undefined,
  lingering: undefined,
  drainTimeout: undefined,
  containment: undefined,
  require: undefined,
  check: undefined,
  windowsShims: undefined,
};

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

/** The options as given, each own property read once; `undefined` for the others. */
export type GivenOptions = Readonly<Record<string, unknown>>;

const NAMES: ReadonlySet<string> = new Set(Object.keys(ABSENT));

/**
 * @param names - the options that are known here.
 * @throws TypeError `ERR_INVALID_ARG_TYPE` or `ERR_UNKNOWN_OPTION`.
 */
export function readOptions(options: unknown, names: ReadonlySet<string> = NAMES): GivenOptions {
  if (options === undefined) return ABSENT;
  if (!isRecord(options)) throw makeTypeError('options', 'an object', options);
  const given: Record<string, unknown> = { ...ABSENT, ...options };
  // None has been added to those that are known: the usual case, and no look at each of them.
  if (names === NAMES && Object.keys(given).length === NAMES.size) return given;
  const unknown = Object.keys(options).find((name) => !names.has(name));
  if (unknown !== undefined) throw makeUnknownOption(unknown, [...names]);
  return given;
}

function makeUnknownOption(name: string, names: readonly string[]): TypeError {
  const foreign = Object.hasOwn(FOREIGN, name) ? FOREIGN[name] : undefined;
  const nearest = findNearestName(name, names);
  const hint = foreign ?? (nearest === undefined ? `known are ${names.join(', ')}` : `did you mean ${nearest}?`);
  return makeUnknownOptionError(name, hint);
}

function parseWord<W extends string>(value: unknown, name: string, words: readonly W[]): W {
  if ((words as readonly unknown[]).includes(value)) return value as W;
  const expected = `one of ${words.map((word) => `'${word}'`).join(', ')}`;
  if (typeof value !== 'string') throw makeTypeError(name, expected, value);
  throw makeValueError(name, `must be ${expected}, got '${value}'`);
}

/** Milliseconds; Infinity is `none`, which the engine knows as 0. So is 0, as in Node. */
function parseDeadline(value: unknown, name: 'timeout' | 'idleTimeout'): number {
  if (value === Infinity) return 0;
  if (typeof value !== 'number') throw makeTypeError(name, 'a number of milliseconds', value);
  if (!(value >= 0)) throw makeRangeError(name, 'milliseconds from 0 (none) to Infinity (none)', value);
  return value;
}

/** Milliseconds; 0 means at once and Infinity means never. */
function parseSpan(value: unknown, name: 'forceKillAfter' | 'drainTimeout'): number {
  if (typeof value !== 'number') throw makeTypeError(name, 'a number of milliseconds', value);
  if (!(value >= 0)) throw makeRangeError(name, 'milliseconds from 0 to Infinity', value);
  return value;
}

function parseCap(value: unknown, field: string): number {
  if (typeof value !== 'number') throw makeTypeError(field, 'a number of bytes', value);
  if (value !== Infinity && !(Number.isSafeInteger(value) && value >= 0)) {
    throw makeRangeError(field, 'a whole number of bytes from 0 to Infinity (no cap)', value);
  }
  return value;
}

function parseMaxBuffer(value: unknown): PlainOptions['maxBuffer'] {
  if (typeof value === 'number' || !isRecord(value)) {
    const cap = parseCap(value, 'maxBuffer');
    return Object.freeze({ stdout: cap, stderr: cap });
  }
  const { stdout, stderr, ...others } = value;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw makeUnknownOptionError(`maxBuffer.${unknown}`, 'known are stdout and stderr');
  const parse = (cap: unknown, name: 'stdout' | 'stderr'): number =>
    cap === undefined ? DEFAULTS.maxBuffer[name] : parseCap(cap, `maxBuffer.${name}`);
  return Object.freeze({ stdout: parse(stdout, 'stdout'), stderr: parse(stderr, 'stderr') });
}

/** @throws TypeError `ERR_UNKNOWN_SIGNAL`. */
export function parseSignal(value: unknown, field: string): number {
  const numbers: Readonly<Record<string, number>> = getBuiltin('node:os').constants.signals;
  if (typeof value === 'string' && Object.hasOwn(numbers, value)) return numbers[value] ?? 0;
  const known = typeof value === 'number' && Object.values(numbers).includes(value);
  if (known) return value;
  throw makeUnknownSignalError(field, value);
}

function parseEncoding(value: unknown): string {
  if (value === 'utf-8') return DEFAULTS.encoding;
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

function parseAbortSignal(value: unknown): AbortSignal {
  if (isAbortSignal(value)) return value;
  throw makeTypeError('signal', 'an AbortSignal', value);
}

function parseBoolean(value: unknown, name: 'check'): boolean {
  if (typeof value !== 'boolean') throw makeTypeError(name, 'a boolean', value);
  return value;
}

const STRENGTHS: readonly Containment[] = ['none', 'group', 'tree'];
const KEEPS: readonly Keep[] = ['ends', 'head', 'tail'];
const LINGERING: readonly Lingering[] = ['kill', 'leave', 'wait'];
const AT_CAP = ['truncate', 'kill'] as const;
const SHIMS = ['refuse', 'resolve'] as const;

/** Whether `offered` is at least `required`. */
export function isAtLeast(offered: Containment, required: Containment): boolean {
  return STRENGTHS.indexOf(offered) >= STRENGTHS.indexOf(required);
}

function parseRequire(value: unknown, containment: Containment): Containment {
  const required = parseWord(value, 'require', STRENGTHS);
  if (!isAtLeast(containment, required)) {
    throw makeValueError('require', `asks for '${required}', but containment allows only '${containment}'`);
  }
  return required;
}

/**
 * One object literal: this runs for every start, with cold caches, where each further function and each copy of an
 * object costs microseconds.
 */
export function parsePlainOptions(given: GivenOptions): PlainOptions {
  const { maxBuffer, keep, onMaxBuffer, encoding, timeout, idleTimeout, signal, killSignal, forceKillAfter } = given;
  const { lingering, drainTimeout, windowsShims, require, check } = given;
  const containment = given['containment'];
  const strength = containment === undefined ? DEFAULTS.containment : parseWord(containment, 'containment', STRENGTHS);
  return {
    maxBuffer: maxBuffer === undefined ? DEFAULTS.maxBuffer : parseMaxBuffer(maxBuffer),
    keep: keep === undefined ? DEFAULTS.keep : parseWord(keep, 'keep', KEEPS),
    onMaxBuffer: onMaxBuffer === undefined ? DEFAULTS.onMaxBuffer : parseWord(onMaxBuffer, 'onMaxBuffer', AT_CAP),
    encoding: encoding === undefined ? DEFAULTS.encoding : parseEncoding(encoding),
    timeoutMs: timeout === undefined ? DEFAULTS.timeoutMs : parseDeadline(timeout, 'timeout'),
    idleTimeoutMs: idleTimeout === undefined ? DEFAULTS.idleTimeoutMs : parseDeadline(idleTimeout, 'idleTimeout'),
    signal: signal === undefined ? DEFAULTS.signal : parseAbortSignal(signal),
    killSignal: killSignal === undefined ? DEFAULTS.killSignal : parseSignal(killSignal, 'killSignal'),
    forceKillAfterMs:
      forceKillAfter === undefined ? DEFAULTS.forceKillAfterMs : parseSpan(forceKillAfter, 'forceKillAfter'),
    lingering: lingering === undefined ? DEFAULTS.lingering : parseWord(lingering, 'lingering', LINGERING),
    drainTimeoutMs: drainTimeout === undefined ? DEFAULTS.drainTimeoutMs : parseSpan(drainTimeout, 'drainTimeout'),
    containment: strength,
    windowsShims: windowsShims === undefined ? DEFAULTS.windowsShims : parseWord(windowsShims, 'windowsShims', SHIMS),
    require: require === undefined ? DEFAULTS.require : parseRequire(require, strength),
    check: check === undefined ? DEFAULTS.check : parseBoolean(check, 'check'),
  };
}
