// What a model or a tool asks for, as strict data: one of two shapes, told apart by `mode`. Everything that is wrong is
// found before permission is looked at and before any process exists.
//
// Three inputs are accepted:
//
//   {command, workdir?, timeout?, mode?: 'shell'}                     shell mode; the historical shape has no mode
//   {mode: 'process', program, args, stdin?, workdir?, timeout?}      process mode
//   {argv: [program, ...args], command?: '', stdin?, workdir?, timeout?}   process mode in the sibling form

import { findNearestName } from '../util/nearest-name.ts';
import { RequestError } from './errors.ts';
import type { Issue } from './errors.ts';
import { LIMITS } from './limits.ts';
import { LiteralInput } from './literal-input.ts';
import { PROCESS_FIELDS, SHELL_FIELDS } from './request-fields.ts';
import { listIssues } from './validation.ts';

export interface ShellRequest {
  readonly mode: 'shell';
  readonly command: string;
  readonly workdir: string | null;
  readonly timeout: number | null;
}

export interface ProcessRequest {
  readonly mode: 'process';
  readonly program: string;
  readonly args: readonly string[];
  /** null = absent. Empty text is present with 0 bytes. The program sees end of file in both cases. */
  readonly stdin: LiteralInput | null;
  readonly workdir: string | null;
  readonly timeout: number | null;
}

/** A checked request: frozen, and with stdin out of sight. */
export type Request = ShellRequest | ProcessRequest;

export interface RequestLimits {
  /** Bytes; absent = 1 MiB. */
  readonly stdinBytes?: number | undefined;
}

/** What to say about keys that do not belong to the mode. */
const HINTS: Readonly<Record<Request['mode'], Readonly<Record<string, string>>>> = {
  shell: {
    program: "belongs to mode 'process'; a request has either command, or program and args",
    args: "belongs to mode 'process'; a request has either command, or program and args",
    argv: "cannot be combined with a command; leave command empty, or use mode 'process'",
    stdin: "is not accepted in shell mode; use mode 'process'",
  },
  process: {
    command: 'belongs to shell mode; a request has either command, or program and args',
    argv: 'cannot be combined with program and args',
  },
};
const COMMON_HINTS: Readonly<Record<string, string>> = {
  background: 'is not accepted here; a background run is started by its own call',
  run_in_background: 'is not accepted here; a background run is started by its own call',
  pty: 'is not accepted: a pseudo-terminal is not offered',
  tty: 'is not accepted: a pseudo-terminal is not offered',
  env: "is not accepted: the environment is the host's to decide",
  cwd: 'is not a known key; did you mean workdir?',
  shell: 'is not accepted: the host chooses the shell, and mode chooses whether there is one',
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The one normaliser. A tool whose schema has `argv` beside `command` sends the list with an empty or absent command;
 * that becomes process mode. Any other value is returned as it is.
 *
 *   {command: '', argv: ['git', 'status']}  ->  {mode: 'process', program: 'git', args: ['status']}
 *   {command: 'ls', argv: ['git']}          ->  unchanged, and refused by parseRequest
 */
export function normalizeSibling(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value['argv']) || value['argv'].length === 0) return value;
  const { argv, command, ...rest } = value;
  if (command !== undefined && command !== '') return value;
  if ('mode' in rest || 'program' in rest || 'args' in rest) return value;
  const [program, ...args] = argv as unknown[];
  return { mode: 'process', program, args, ...rest };
}

function explainKey(key: string, mode: Request['mode'], known: readonly string[]): string {
  const hint = own(HINTS[mode], key) ?? own(COMMON_HINTS, key);
  if (hint !== undefined) return hint;
  const nearest = findNearestName(key, known);
  return `is not a known key${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

function own(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Which shape the value claims to be; the claim is checked afterwards. */
function chooseMode(value: Record<string, unknown>): { readonly mode: Request['mode']; readonly issue?: Issue } {
  const mode = Object.hasOwn(value, 'mode') ? value['mode'] : undefined;
  if (mode === 'process' || mode === 'shell') return { mode };
  const process = ['program', 'args'].some((key) => Object.hasOwn(value, key)) && !Object.hasOwn(value, 'command');
  const shape = process ? 'process' : 'shell';
  if (mode !== undefined) return { mode: shape, issue: { path: 'mode', message: "must be 'process' or 'shell'" } };
  if (!process) return { mode: shape };
  return { mode: shape, issue: { path: 'mode', message: "is required with program and args: 'process'" } };
}

/** A problem of the rewritten request, at its place in the sibling form. */
function toSiblingPath({ path, message }: Issue): Issue {
  const place = path.replace(/^program$/, 'argv[0]').replace(/^args\[(\d+)\]$/, (_, n) => `argv[${Number(n) + 1}]`);
  return { path: place, message };
}

const parsed = new WeakSet<object>();

/** Whether `value` came out of parseRequest. */
export function isRequest(value: unknown): value is Request {
  return typeof value === 'object' && value !== null && parsed.has(value);
}

function freeze<R extends Request>(request: R): R {
  parsed.add(request);
  return Object.freeze(request);
}

/**
 * Checks a request and takes a frozen copy of it. A request that was parsed before is returned as it is.
 *
 * @throws RequestError with every problem by path: a mixed shape, an unknown mode or key, a wrong type, a NUL or half a
 * surrogate pair, stdin that is too long or in shell mode, background and terminal flags.
 */
export function parseRequest(value: unknown, limits: RequestLimits = {}): Request {
  if (isRequest(value)) return value;
  const given = normalizeSibling(value);
  if (!isObject(given)) throw new RequestError([{ path: '', message: 'the request must be an object' }]);
  const { mode, issue } = chooseMode(given);
  const shape = issue === undefined ? given : { ...given, mode };
  const issues: Issue[] = issue === undefined ? [] : [issue];
  const request =
    mode === 'shell' ? parseShell(shape, issues) : parseProcess(shape, limits.stdinBytes ?? LIMITS.stdinBytes, issues);
  if (request === null || issues.length > 0) {
    throw new RequestError(given === value ? issues : issues.map(toSiblingPath));
  }
  return freeze(request);
}

/** null when `issues` has got something. */
function parseShell(given: Record<string, unknown>, issues: Issue[]): ShellRequest | null {
  const outcome = SHELL_FIELDS.safeParse(given);
  const known = Object.keys(SHELL_FIELDS.shape);
  if (!outcome.success) {
    issues.push(...listIssues(outcome.error, (key) => explainKey(key, 'shell', known)));
    return null;
  }
  const { command, workdir, timeout } = outcome.data;
  return { mode: 'shell', command, workdir: workdir ?? null, timeout: timeout ?? null };
}

/** null when `issues` has got something. */
function parseProcess(given: Record<string, unknown>, stdinBytes: number, issues: Issue[]): ProcessRequest | null {
  const outcome = PROCESS_FIELDS.safeParse(given);
  const known = Object.keys(PROCESS_FIELDS.shape);
  if (!outcome.success) issues.push(...listIssues(outcome.error, (key) => explainKey(key, 'process', known)));
  const text = outcome.success ? outcome.data.stdin : given['stdin'];
  const stdin = typeof text === 'string' ? new LiteralInput(text) : null;
  if (stdin !== null && stdin.bytes > stdinBytes) {
    issues.push({ path: 'stdin', message: `has ${stdin.bytes} bytes, the limit is ${stdinBytes}` });
  }
  if (!outcome.success || issues.length > 0) return null;
  const { program, args, workdir, timeout } = outcome.data;
  return {
    mode: 'process',
    program,
    args: Object.freeze([...args]),
    stdin,
    workdir: workdir ?? null,
    timeout: timeout ?? null,
  };
}
