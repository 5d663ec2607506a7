// The error classes. Each is made in one place, from plain data; messages are composed in spawn-message.ts.
//
// `instanceof` fails across two copies of a package, so every class also carries a registered symbol: `isSpawnError`
// and its siblings look at that.

import type { NativeTried, SpawnStage } from '../native/contract.ts';

const BRAND: symbol = Symbol.for('argv-spawn.error');

function brand(prototype: object, name: string): void {
  Object.defineProperty(prototype, BRAND, { value: name });
}

function hasBrand(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Reflect.get(value, BRAND) === name;
}

export interface SpawnErrorFields {
  readonly code: string;
  readonly stage: SpawnStage;
  readonly subject: string;
  readonly path: string | null;
  readonly detail: string;
  readonly index: number | null;
  readonly size: number | null;
  readonly limit: number | null;
  readonly tried: readonly NativeTried[];
  readonly errno: number | null;
  readonly syscall: string | null;
  readonly argv: readonly (string | Uint8Array)[];
  readonly cwd: string | null;
}

/** Nothing was started. `code` is the operating system's name for it (`ENOENT`) or one of ours (`ERR_...`). */
export class SpawnError extends Error implements SpawnErrorFields {
  override readonly name: string = 'SpawnError';
  readonly code: string;
  /** The step that failed. */
  readonly stage: SpawnStage;
  /** What is at fault: `program`, `cwd`, `argv`, `env`, `interpreter`, `loader`, `stdin`, `stdout`, `stderr`, `host`, ... */
  readonly subject: string;
  /** The file at fault; null when there is none. */
  readonly path: string | null;
  /** A fact that helps; empty when there is none. */
  readonly detail: string;
  /** argv index at fault, or null. */
  readonly index: number | null;
  /** Bytes asked for, and bytes allowed; null unless a size is the problem. */
  readonly size: number | null;
  readonly limit: number | null;
  /** Where a bare program name was looked for. */
  readonly tried: readonly NativeTried[];
  /** The OS error number, or null for a refusal of ours. */
  readonly errno: number | null;
  readonly syscall: string | null;
  readonly argv: readonly (string | Uint8Array)[];
  readonly cwd: string | null;

  constructor(message: string, fields: SpawnErrorFields) {
    super(message);
    this.code = fields.code;
    this.stage = fields.stage;
    this.subject = fields.subject;
    this.path = fields.path;
    this.detail = fields.detail;
    this.index = fields.index;
    this.size = fields.size;
    this.limit = fields.limit;
    this.tried = fields.tried;
    this.errno = fields.errno;
    this.syscall = fields.syscall;
    this.argv = fields.argv;
    this.cwd = fields.cwd;
  }
}

export type ExitErrorCode =
  'ERR_EXIT' | 'ERR_SIGNAL' | 'ERR_TIMEOUT' | 'ERR_IDLE_TIMEOUT' | 'ERR_MAX_BUFFER' | 'ERR_STOPPED';

/** The program ran and did not succeed; only with `check`. `result` is everything that is known. */
export class ExitError<R = unknown> extends Error {
  override readonly name: string = 'ExitError';
  readonly code: ExitErrorCode;
  readonly result: R;

  constructor(message: string, code: ExitErrorCode, result: R) {
    super(message);
    this.code = code;
    this.result = result;
  }
}

/** The call was aborted. `cause` is the signal's reason; `result` is present when the program had been started. */
export class AbortError<R = unknown> extends Error {
  override readonly name: string = 'AbortError';
  readonly code: string = 'ABORT_ERR';
  readonly result: R | undefined;

  constructor(message: string, cause: unknown, result?: R) {
    super(message, { cause });
    this.result = result;
  }
}

/** The source of stdin failed while the program was running; the program has been ended. `cause` is its error. */
export class StdinError<R = unknown> extends Error {
  override readonly name: string = 'StdinError';
  readonly code: string = 'ERR_STDIN_SOURCE';
  readonly result: R;

  constructor(message: string, cause: unknown, result: R) {
    super(message, { cause });
    this.result = result;
  }
}

brand(SpawnError.prototype, 'SpawnError');
brand(ExitError.prototype, 'ExitError');
brand(AbortError.prototype, 'AbortError');
brand(StdinError.prototype, 'StdinError');

/** Also true for an error of another copy of this package. */
export function isSpawnError(value: unknown): value is SpawnError {
  return hasBrand(value, 'SpawnError');
}

export function isExitError(value: unknown): value is ExitError {
  return hasBrand(value, 'ExitError');
}

export function isAbortError(value: unknown): value is AbortError {
  return hasBrand(value, 'AbortError');
}
