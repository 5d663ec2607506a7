// The boundary between TypeScript and the addon, as types. Plain data goes down, batches of events come up.
//
// Both sides are written against this file: native/napi decodes and encodes exactly these shapes, and every decision
// (defaults, option names, error classes, what counts as success) stays above it. A shape the addon does not
// understand is a TypeError from the addon and always our own bug.

/** Changes whenever a shape below changes. The loader refuses an addon that reports another number. */
export const CONTRACT_ABI = 6;

/** What this build of the addon can do on this machine; for `platform`, `doctor` and tests. */
export interface NativeFeatures {
  /** `'linux'`, `'darwin'`, `'win32'`: the folder of native code that was built in. */
  readonly os: string;
  /** How processes are started, for example `'posix_spawn'`. */
  readonly engine: string;
  /** C library and its version, for example `'glibc 2.36'`; empty when it does not say. */
  readonly libc: string;
  /** Exits are seen through pidfds; false means one waiting thread per child. */
  readonly pidfd: boolean;
  /** Descriptors above 2 are closed in one step (`addclosefrom_np`), not one by one. */
  readonly closeFrom: boolean;
  /** The strongest containment this process can give. */
  readonly tree: TreeStrength;
  /** What ends a tree when the host dies. */
  readonly parentDeath: ParentDeath;
  /** Where the keeper's executable is looked for; null on systems that have none. */
  readonly keeper: string | null;
  /** Why it is not used: an errno name, `'noexec mount'`, `'not an executable file'`, ...; null when it is. */
  readonly keeperProblem: string | null;
}

/** From weakest to strongest; `TreeStrength` of native/core/request.h is in the same order. */
export const TREE_STRENGTHS = ['none', 'group', 'tree'] as const;
export type TreeStrength = (typeof TREE_STRENGTHS)[number];
export type ParentDeath = 'keeper' | 'job' | 'exit-hook' | 'none';

/** Index of a standard stream. */
export type StreamIndex = 0 | 1 | 2;

export type NativeStdin =
  | { readonly kind: 'ignore' }
  | { readonly kind: 'inherit' }
  | { readonly kind: 'file'; readonly path: string }
  /** The whole input, copied before `start` returns. A string is encoded as UTF-8. */
  | { readonly kind: 'data'; readonly data: string | Uint8Array }
  /** Fed by `write` and `end`. */
  | { readonly kind: 'stream' }
  | NativeDescriptor
  | NativeHandOver;

/** Unix. A descriptor of the host, open until the start has been answered. It is set to block, as programs expect. */
export type NativeDescriptor = { readonly kind: 'descriptor'; readonly descriptor: number };
/** Unix, `startHere` only. A pipe whose other end is given to the caller, as a descriptor in the answer. */
export type NativeHandOver = { readonly kind: 'hand-over' };

export type NativeOutput =
  | { readonly kind: 'ignore' }
  | { readonly kind: 'inherit' }
  | { readonly kind: 'file'; readonly path: string; readonly append: boolean }
  /** Kept in memory natively and handed over once, in the `finished` event. */
  | {
      readonly kind: 'collect';
      /** Bytes kept from the beginning, and bytes kept from the end. `Infinity` for `head` means no cap. */
      readonly head: number;
      readonly tail: number;
      /** End the run (reason `max-buffer`) as soon as more bytes than this have arrived; `Infinity` = never. */
      readonly killAbove: number;
      readonly tee: string | null;
    }
  /** Delivered as `data` events, only as far as `credit` has been granted; then `end`. */
  | { readonly kind: 'stream'; readonly tee: string | null }
  /** stderr only: the same pipe as stdout. */
  | { readonly kind: 'stdout' }
  | NativeDescriptor
  | NativeHandOver;

/** Everything about one run. All paths and strings are NUL-free and well formed: `lib/command` has checked them. */
export interface NativeRequest {
  /** Chosen by TypeScript; unique within the environment for its lifetime; a positive safe integer. */
  readonly id: number;
  /** `spawned`, `exit` and `stdin-closed` are delivered at once; false: together with the next event that is needed. */
  readonly progress: boolean;
  /** A path that contains a slash, or a bare name to be looked up in the PATH of the environment below. */
  readonly program: string;
  /** Absolute folder a relative `program` path starts from; null only when `program` is absolute or a bare name. */
  readonly base: string | null;
  /** argv as NUL-terminated strings one after the other, argv[0] included: `"echo\0a b\0"`. Bytes when any is not text. */
  readonly argv: string | Uint8Array;
  /** Start from a snapshot of the C environment of this process, taken before `start` returns. */
  readonly hostEnv: boolean;
  /** NUL-terminated entries: `NAME=value` sets, a bare `NAME` removes. Applied in order on top of `hostEnv`. */
  readonly env: string;
  /** Absolute, or null for no change of folder. */
  readonly cwd: string | null;
  readonly stdin: NativeStdin;
  readonly stdout: NativeOutput;
  readonly stderr: NativeOutput;
  /** Milliseconds from the moment the child exists; 0 = none. May be any finite positive number. */
  readonly timeoutMs: number;
  /** Milliseconds without a byte on stdout or stderr; 0 = none. */
  readonly idleTimeoutMs: number;
  /** First step of the ladder, as a number. */
  readonly killSignal: number;
  /** Milliseconds between the first step and SIGKILL; 0 = SIGKILL at once; `Infinity` = never. */
  readonly forceKillAfterMs: number;
  readonly lingering: 'kill' | 'leave' | 'wait';
  /** Milliseconds that descendants holding a pipe get after the direct child has ended. `Infinity` = no bound. */
  readonly drainTimeoutMs: number;
  readonly containment: TreeStrength;
  /** Less than this starts nothing: a `failed` event with stage `containment`. */
  readonly require: TreeStrength;
  /** Unix: the child stays in the host's session and process group. Else it leads a session of its own. */
  readonly hostSession: boolean;
  /** Unix: the end of the host, or of the environment that asked, signals nothing. */
  readonly outlivesHost: boolean;
  /** Windows: a recognised launcher is replaced by the program it starts, with its arguments before the caller's. */
  readonly resolveShims: boolean;
}

/**
 * The same as it crosses the boundary (`pack-request.ts`, `native/napi/decode.cc`): `text` is program, base, cwd, the
 * paths of stdin, stdout and stderr, each ended by a NUL and empty when there is none; the meaning of each number is in
 * the packing.
 */
export interface PackedRequest {
  readonly id: number;
  readonly text: string;
  readonly numbers: Float64Array;
  readonly argv: string | Uint8Array;
  readonly env: string;
  /** stdin of kind `data`, else null. */
  readonly data: string | Uint8Array | null;
}

export type SpawnStage =
  'resolve' | 'cwd' | 'limits' | 'fork' | 'setup' | 'exec' | 'interpreter' | 'loader' | 'batch' | 'containment';

/** One place that was looked at for a bare name. `code` is an errno name, or `'RELATIVE'` / `'EMPTY'` for skipped entries. */
export interface NativeTried {
  readonly path: string;
  readonly code: string;
}

/** Nothing was started. */
export interface NativeFailure {
  readonly stage: SpawnStage;
  /** Positive OS error number: errno, or on Windows the Win32 number. 0 for a refusal of ours. */
  readonly errno: number;
  /** Name of that number: `'ENOENT'`. */
  readonly code: string;
  /** The call that failed: `'open'`, `'pipe2'`, `'posix_spawn'`, ... */
  readonly call: string;
  /** What is at fault: `'program'`, `'cwd'`, `'argv'`, `'env'`, `'stdin'`, `'stdout'`, `'stderr'`, `'interpreter'`, `'loader'`, `'host'`. */
  readonly subject: string;
  /** File at fault; null when there is none. For a missing cwd, `detail` has the first missing component. */
  readonly path: string | null;
  /** Batch files on Windows: what a recognised launcher would start. Else a fact that helps: the `#!` line with control characters escaped, the ELF machine, a limit in force, `'noexec'`. Empty when none. */
  readonly detail: string;
  /** argv index or env entry index, when one entry is at fault; else -1. */
  readonly index: number;
  /** Bytes asked for and bytes allowed (E2BIG); else -1. */
  readonly size: number;
  readonly limit: number;
  readonly tried: readonly NativeTried[];
}

export interface NativeCapture {
  /** null when nothing was kept: most streams are empty, and an ArrayBuffer is dear to make and to collect. */
  readonly head: Uint8Array | null;
  readonly tail: Uint8Array | null;
  /** Everything the pipe carried, kept or not. */
  readonly bytes: number;
  /** Present with `tee`: what went into the file, and the errno name that stopped it (empty when none did). */
  readonly tee: { readonly bytes: number; readonly error: string } | null;
}

export interface NativeLeftover {
  readonly pid: number;
  readonly name: string;
  readonly heldPipe: boolean;
  readonly fate: 'ended' | 'left' | 'survived';
  /** Empty, or why it survived: `'other-user'`, `'uninterruptible'`, `'left-group'`, `'outside-tree'`, `'not-contained'`, `'refused'`. */
  readonly why: string;
}

export type NativeReason = 'exit' | 'signal' | 'timeout' | 'idle-timeout' | 'abort' | 'stop' | 'max-buffer';

/** The run is over; this is the last event of its id. */
export interface NativeFinished {
  readonly kind: 'finished';
  readonly id: number;
  readonly pid: number;
  /** Absolute path that ran. */
  readonly program: string;
  /** The first cause that began the teardown, or how the child ended by itself. `'stop'` = asked for by `stop`. */
  readonly reason: NativeReason;
  /** Exit code, or null after a signal or when the status was stolen by another reaper in this process. */
  readonly code: number | null;
  /** Signal number that ended the direct child, or null. */
  readonly signal: number | null;
  readonly coreDumped: boolean;
  /** False: another part of the host reaped our child, so neither code nor signal is known. */
  readonly statusKnown: boolean;
  /** SIGKILL had to be sent to something. */
  readonly forced: boolean;
  /** null when the stream was no pipe of ours; for a streamed one `head` and `tail` are empty. */
  readonly stdout: NativeCapture | null;
  readonly stderr: NativeCapture | null;
  readonly stdin: { readonly bytesWritten: number; readonly closedEarly: boolean };
  readonly leftovers: readonly NativeLeftover[];
  readonly tree: TreeStrength;
  readonly parentDeath: ParentDeath;
  /** Milliseconds since the epoch, and milliseconds on the monotonic clock from existence to the end of the direct child. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** CPU time of the direct child and what it waited for; null when unknown. `maxRssBytes` is null when the number is the host's. */
  readonly usage: { readonly userMs: number; readonly systemMs: number; readonly maxRssBytes: number | null } | null;
}

export type NativeEvent =
  | ({ readonly kind: 'failed'; readonly id: number } & NativeFailure)
  /** `stop` or `cancel` came before the child existed: nothing was started. Last event of its id. */
  | { readonly kind: 'cancelled'; readonly id: number }
  | { readonly kind: 'spawned'; readonly id: number; readonly pid: number; readonly program: string }
  | { readonly kind: 'data'; readonly id: number; readonly stream: 1 | 2; readonly chunk: Uint8Array }
  /** No more data will come: end of file, or the pipe was let go. */
  | { readonly kind: 'end'; readonly id: number; readonly stream: 1 | 2 }
  /** Everything written so far has been taken. */
  | { readonly kind: 'drain'; readonly id: number }
  /** The child closed its end of stdin; further writes are dropped. */
  | { readonly kind: 'stdin-closed'; readonly id: number }
  /** The direct child has ended; its output may still be draining. */
  | { readonly kind: 'exit'; readonly id: number; readonly code: number | null; readonly signal: number | null }
  | NativeFinished
  | { readonly kind: 'resolved'; readonly id: number; readonly path: string }
  | ({ readonly kind: 'unresolved'; readonly id: number } & NativeFailure);

/** Answer of `startHere`; `finished` follows as an event. A descriptor is -1 where nothing was handed over. */
export interface NativeStarted {
  readonly kind: 'started';
  readonly pid: number;
  readonly program: string;
  /** The caller owns and closes them. */
  readonly descriptors: readonly [stdin: number, stdout: number, stderr: number];
}

/**
 * What is no number in one batch of events, event by event: for `failed` and `unresolved` a NativeFailure, for `data` the
 * chunk, for `spawned` and `resolved` the path, for `finished` one value or eight. The numbers are in the table that
 * `open` returned, a row for each event, and valid until the addon is entered again: `unpack-events.ts`.
 */
export type PackedValues = readonly unknown[];

/**
 * The addon. All functions run on the environment's JavaScript thread and return at once, `startHere` and `startSync` excepted.
 * `open` is called once per environment, before anything else.
 */
export interface NativeAddon {
  readonly abi: number;
  readonly features: NativeFeatures;
  /** Registers the one callback of this environment. Events arrive in batches, in order per id. Returns the table of their numbers. */
  open(onEvents: (count: number, values: PackedValues) => void): Float64Array;
  /** Whether what is pending under this id keeps the event loop of this environment alive. It does from the start on. */
  setRef(id: number, on: boolean): void;
  /** The fields of a PackedRequest, copied before it returns. */
  start(
    text: string,
    numbers: Float64Array,
    argv: string | Uint8Array,
    env: string,
    data: string | Uint8Array | null,
  ): void;
  /** Unix. Starts on this thread: blocks it until exec has succeeded or failed. A failure is not followed by events. */
  startHere(
    text: string,
    numbers: Float64Array,
    argv: string | Uint8Array,
    env: string,
    data: string | Uint8Array | null,
  ): NativeStarted | ({ readonly kind: 'failed' } & NativeFailure);
  /**
   * Blocks this thread until the run is over: its last event is in the row after those of a batch. No stream may be of
   * the kind `'stream'`.
   */
  startSync(
    text: string,
    numbers: Float64Array,
    argv: string | Uint8Array,
    env: string,
    data: string | Uint8Array | null,
  ): PackedValues;
  /** The lookup of `start`, alone. Answers with `resolved` or `unresolved`. `path` is the PATH to search, null when absent. */
  resolve(id: number, program: string, base: string | null, path: string | null): void;
  /** Queues a copy of `chunk`; returns how many bytes are waiting now. Dropped after `end`, `stdin-closed` or the last event. */
  write(id: number, chunk: Uint8Array): number;
  /** Closes stdin once everything written has been taken. */
  end(id: number): void;
  /** Allows `bytes` more bytes of `data` events for that stream. */
  credit(id: number, stream: 1 | 2, bytes: number): void;
  /** Begins the ladder. No effect when it has begun already or the run is over. */
  stop(id: number, reason: 'abort' | 'stop'): void;
  /** One signal to the direct child (`tree` false) or everything contained. 0, or a negative errno (ESRCH once it has ended). */
  signal(id: number, signal: number, tree: boolean): number;
}
