// What this folder knows of Node's own child_process: shapes between its JavaScript and its native part. They are not
// documented by Node, so each is checked before it is relied on, and a runtime where one differs keeps its own engine.

import type { EventEmitter } from 'node:events';

/** One entry of `stdio`, as Node's JavaScript hands it to the native part. */
export interface StdioEntry {
  readonly type: string;
  /** The parent's end of a pipe, not yet connected; or the handle of a stream that is passed on. */
  readonly handle?: { open?(descriptor: number): number | undefined; readonly fd?: number };
  readonly fd?: number;
  readonly ipc?: boolean;
  /** Blocking calls only. */
  readonly input?: Uint8Array | string | null;
}

export interface StartOptions {
  readonly file?: unknown;
  readonly args?: readonly unknown[];
  readonly cwd?: unknown;
  readonly envPairs?: readonly unknown[];
  readonly stdio?: readonly StdioEntry[];
  readonly detached?: unknown;
  readonly uid?: unknown;
  readonly gid?: unknown;
}

export interface SyncStartOptions extends StartOptions {
  readonly timeout?: unknown;
  readonly maxBuffer?: unknown;
  readonly killSignal?: unknown;
}

/** `ChildProcess#_handle`. `onexit` is set by Node's constructor and does everything that follows an exit. */
export interface ProcessHandle {
  readonly pid: number | undefined;
  spawn(options: StartOptions): number;
  kill(signal: number): number;
  ref(): void;
  unref(): void;
  hasRef(): boolean;
  close(): void;
  onexit: (code: number | null, signal: string) => void;
}

export interface NodeChildProcess extends EventEmitter {
  _handle: ProcessHandle | null;
}

/** What `spawn_sync.spawn` answers: `error` is a negative errno. */
export interface SyncAnswer {
  pid: number;
  status: number | null;
  signal: string | null;
  output: (Buffer | null)[] | null;
  error?: number;
}

export interface SyncBinding {
  spawn(options: SyncStartOptions): SyncAnswer;
}

export function isProcessHandle(value: unknown): value is ProcessHandle {
  const handle = value as Partial<ProcessHandle> | null | undefined;
  return typeof handle?.spawn === 'function' && typeof handle.onexit === 'function';
}

/** The native part behind spawnSync, or null where this runtime does not give it out. */
export function findSyncBinding(): SyncBinding | null {
  try {
    const { binding } = process as unknown as { binding?: (name: string) => unknown };
    const found = binding?.call(process, 'spawn_sync') as Partial<SyncBinding> | undefined;
    return typeof found?.spawn === 'function' ? (found as SyncBinding) : null;
  } catch {
    return null; // refused, or gone: blocking calls stay Node's, as README.md of this folder says
  }
}
