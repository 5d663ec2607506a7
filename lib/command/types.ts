// The words users write: options in, and the frozen Plan that comes out. Types only; `options.ts` holds every default.

import type { Readable } from 'node:stream';

/** The program, then its arguments. Bytes are accepted on Unix for arguments that are not text. */
export type Argv = readonly [program: string, ...args: (string | Uint8Array)[]];

/** `undefined` removes a name (in `extendEnv`) or leaves it out (in `env`). */
export type Env = Readonly<Record<string, string | undefined>>;

export type Signal = NodeJS.Signals | number;

export type FileTarget = { readonly file: string | URL; readonly append?: boolean };
export type FileSource = { readonly file: string | URL };

export type StdinLiteral = string | Uint8Array;
export type StdinStream = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array> | Readable;
/**
 * A mode (`'ignore'`, `'inherit'`, `'pipe'`), or the input itself: text, bytes, a file, a source. The three words are
 * always modes: give them as `Buffer.from('pipe')` when they are meant as input.
 *
 * Bytes are copied before the call returns; of more than 1 MiB `run` and `spawn` make no copy, but read them as the program
 * does: leave them alone until it has ended. Detached or resized meanwhile: StdinError.
 */
export type StdinOption = StdinLiteral | FileSource | StdinStream;

export type OutputOption = 'pipe' | 'ignore' | 'inherit' | FileTarget;
export type StderrOption = OutputOption | 'stdout';

export type Containment = 'tree' | 'group' | 'none';
export type Keep = 'ends' | 'head' | 'tail';
export type Lingering = 'kill' | 'leave' | 'wait';

/** Options that `run`, `runSync` and `spawn` share. Every field's meaning when absent is in `options.ts`. */
export interface CommonOptions {
  cwd?: string | URL | undefined;
  env?: Env | undefined;
  extendEnv?: Env | undefined;
  stdin?: StdinOption | undefined;
  stdout?: OutputOption | undefined;
  stderr?: StderrOption | undefined;
  tee?: { readonly stdout?: string | URL; readonly stderr?: string | URL } | undefined;
  maxBuffer?: number | { readonly stdout?: number; readonly stderr?: number } | undefined;
  keep?: Keep | undefined;
  onMaxBuffer?: 'truncate' | 'kill' | undefined;
  encoding?: string | undefined;
  timeout?: number | undefined;
  idleTimeout?: number | undefined;
  signal?: AbortSignal | undefined;
  killSignal?: Signal | undefined;
  forceKillAfter?: number | undefined;
  lingering?: Lingering | undefined;
  drainTimeout?: number | undefined;
  containment?: Containment | undefined;
  require?: Containment | undefined;
  check?: boolean | undefined;
  windowsShims?: 'refuse' | 'resolve' | undefined;
}

export type RunOptions = CommonOptions;
export type RunSyncOptions = CommonOptions;
export type SpawnOptions = CommonOptions;

export type PlanStdin =
  | { readonly kind: 'ignore' | 'inherit' | 'pipe' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'data'; readonly data: string | Uint8Array }
  | { readonly kind: 'iterable'; readonly source: StdinStream };

export type PlanOutput =
  | { readonly kind: 'pipe' | 'ignore' | 'inherit' | 'stdout' }
  | { readonly kind: 'file'; readonly path: string; readonly append: boolean };

/**
 * One call, decided: what is previewed, permitted, audited and run. Frozen; nothing is decided after it.
 * `program` is the name as given and `file` the absolute path when it has been looked up already (null: the engine
 * looks it up, by the same function, at the moment of the start).
 */
export interface Plan {
  readonly argv: Argv;
  readonly program: string;
  readonly file: string | null;
  /** Absolute folder, or null for no change. */
  readonly cwd: string | null;
  /** Folder a relative program path starts from; null when it does not matter. */
  readonly base: string | null;
  readonly env: PlanEnv;
  readonly stdin: PlanStdin;
  readonly stdout: PlanOutput;
  readonly stderr: PlanOutput;
  readonly tee: { readonly stdout: string | null; readonly stderr: string | null };
  readonly maxBuffer: { readonly stdout: number; readonly stderr: number };
  readonly keep: Keep;
  readonly onMaxBuffer: 'truncate' | 'kill';
  /** `'buffer'`, or the canonical label of a TextDecoder. */
  readonly encoding: string;
  /** Milliseconds; 0 = none. */
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal | null;
  readonly killSignal: number;
  readonly forceKillAfterMs: number;
  readonly lingering: Lingering;
  readonly drainTimeoutMs: number;
  readonly containment: Containment;
  readonly windowsShims: 'refuse' | 'resolve';
  /** null = whatever can be had. */
  readonly require: Containment | null;
  readonly check: boolean;
}

/**
 * `host`: start from the host's environment as the C library has it at the start. `entries` are set on top in order;
 * null removes. Without `host` the entries are the complete environment.
 */
export interface PlanEnv {
  readonly host: boolean;
  readonly entries: readonly (readonly [name: string, value: string | null])[];
}
