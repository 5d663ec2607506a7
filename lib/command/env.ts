// The child's environment. `env` is complete, as in Node; `extendEnv` goes on top of it, or of the host's.

import { makeTypeError, makeValueError } from '../errors/option-errors.ts';
import { getBuiltin } from '../util/builtin.ts';
import { isRecord } from '../util/describe.ts';
import { checkText } from './argv.ts';
import type { PlanEnv } from './types.ts';

type Entry = readonly [name: string, value: string | null];

const IS_WINDOWS = process.platform === 'win32';

/**
 * Windows: added to a complete environment that says nothing about them. Without the first, sockets, random numbers and
 * much of the C runtime do not work; the others are where programs look for it. Named with `undefined` they stay away.
 */
const WINDOWS_BASELINE = ['SystemRoot', 'SystemDrive', 'windir'];

/** What two spellings of one name have in common: on Windows upper and lower case are one. */
const toKey = (name: string): string => (IS_WINDOWS ? name.toUpperCase() : name);

function findBaseline(entries: readonly Entry[]): Entry[] {
  if (!IS_WINDOWS) return [];
  const named = new Set(entries.map(([name]) => toKey(name)));
  return WINDOWS_BASELINE.flatMap((name): Entry[] => {
    const value = process.env[name];
    return value === undefined || named.has(toKey(name)) ? [] : [[name, value]];
  });
}

/** `process.env` of the main thread, once it is known to be the operating system's environment. */
let genuine: NodeJS.ProcessEnv | undefined;

/**
 * Whether `env` is that, and not a worker's own or an ordinary object put in its place: the real one refuses symbols as
 * names.
 */
function isGenuine(env: NodeJS.ProcessEnv): boolean {
  if (!getBuiltin('node:worker_threads').isMainThread) return false;
  const probe = Symbol('probe');
  try {
    (env as Record<symbol, string>)[probe] = '';
  } catch {
    genuine = env;
    return true;
  }
  Reflect.deleteProperty(env, probe);
  return false;
}

function checkName(name: string, field: string): void {
  if (name === '') throw makeValueError(field, 'has a variable with an empty name');
  // Windows keeps the folder of each drive in variables like "=C:".
  if (name.indexOf('=', IS_WINDOWS ? 1 : 0) >= 0) {
    throw makeValueError(`${field}[${JSON.stringify(name)}]`, 'has "=" in its name, which ends a name');
  }
  checkText(name, `name of ${field}[${JSON.stringify(name)}]`);
}

/** Own enumerable string keys, in order. The caller's object is only read. */
function parseEntries(value: unknown, field: 'env' | 'extendEnv'): Entry[] {
  if (!isRecord(value)) throw makeTypeError(field, 'an object of strings', value);
  const entries: Entry[] = [];
  for (const [name, content] of Object.entries(value)) {
    const place = `${field}.${name}`;
    checkName(name, field);
    if (content === undefined) {
      entries.push(Object.freeze([name, null] as const));
      continue;
    }
    if (typeof content !== 'string') throw makeTypeError(place, 'a string or undefined', content);
    checkText(content, place);
    entries.push(Object.freeze([name, content] as const));
  }
  return entries;
}

/** `process.env` as entries. A name or value that cannot be passed on is left to the engine's own copy. */
function readProcessEnv(): Entry[] {
  return Object.entries(process.env).map(([name, content]) => Object.freeze([name, content ?? null] as const));
}

const HOST_ENV: PlanEnv = freeze(true, []);

/**
 * What the child gets.
 *
 * On the main thread the host's environment is taken natively at the start: exact bytes, nothing copied through
 * JavaScript. A worker has an environment of its own in `process.env`, so there the entries are read from it.
 */
export function parseEnv(env: unknown, extendEnv: unknown): PlanEnv {
  const takesHost = env === undefined && (process.env === genuine || isGenuine(process.env));
  if (takesHost && extendEnv === undefined) return HOST_ENV;
  const additions = extendEnv === undefined ? [] : parseEntries(extendEnv, 'extendEnv');
  if (takesHost) return freeze(true, additions);
  if (env !== undefined) {
    const given = parseEntries(env, 'env');
    const complete = given.filter(([, content]) => content !== null);
    return freeze(false, [...findBaseline(given), ...complete, ...additions]);
  }
  return freeze(false, [...readProcessEnv(), ...additions]);
}

function freeze(host: boolean, entries: readonly Entry[]): PlanEnv {
  return Object.freeze({ host, entries: Object.freeze(entries.map((entry) => Object.freeze(entry))) });
}

/** The entries as the engine takes them: `NAME=value` sets, a bare `NAME` removes. */
export function encodeEnv(env: PlanEnv): string {
  let block = '';
  for (const [name, content] of env.entries) block += content === null ? `${name}\0` : `${name}=${content}\0`;
  return block;
}

/** The PATH that a child with this environment gets; null when it has none. */
export function findPath(env: PlanEnv): string | null {
  let path: string | null = env.host ? (process.env['PATH'] ?? null) : null;
  for (const [name, content] of env.entries) {
    if (toKey(name) === 'PATH') path = content;
  }
  return path;
}
