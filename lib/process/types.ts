// What comes back: results and the handle of a running process. Types only.

import type { Readable, Writable } from 'node:stream';
import type { Argv, Containment, Signal } from '../command/types.ts';
import type { ParentDeath } from '../native/contract.ts';

export type Reason = 'exit' | 'signal' | 'timeout' | 'idle-timeout' | 'abort' | 'max-buffer' | 'stop';

/** How much of a stream was kept. */
export interface Capture {
  /** Bytes the program wrote. */
  readonly bytes: number;
  /** Bytes in the result, and bytes that are not; `bytes = kept + omitted`. */
  readonly kept: number;
  readonly omitted: number;
  readonly truncated: boolean;
  /** Index into the result's `stdout` or `stderr` where the omitted part stood; null when nothing was omitted. */
  readonly gapAt: number | null;
  /** The bytes were not valid UTF-8 and the text holds replacement characters. False for other encodings. */
  readonly invalidUtf8: boolean;
  /** With `tee`: what the file received; `error` is the OS name that stopped it. */
  readonly tee: { readonly path: string; readonly bytes: number; readonly error: string | null } | null;
}

export interface Leftover {
  readonly pid: number;
  readonly name: string;
  readonly heldPipe: boolean;
  readonly fate: 'ended' | 'left' | 'survived';
  readonly why: string | null;
}

export interface ContainmentReport {
  readonly tree: Containment;
  readonly parentDeath: ParentDeath;
}

export interface Usage {
  readonly userMs: number;
  readonly systemMs: number;
  readonly maxRssBytes: number | null;
}

export type OutputData = string | Buffer;

/** How a process ended, without its output. */
export interface ExitStatus {
  readonly argv: Argv;
  /** Absolute path that ran. */
  readonly program: string;
  readonly cwd: string | null;
  readonly pid: number;
  /** `reason === 'exit' && code === 0`. */
  readonly ok: boolean;
  readonly reason: Reason;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Windows only: name of a known NTSTATUS exit code. */
  readonly ntStatus: string | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly forced: boolean;
  /** False when another part of the host reaped the child: `code` and `signal` are both null. */
  readonly statusKnown: boolean;
  readonly stdin: { readonly bytesWritten: number; readonly closedEarly: boolean };
  readonly leftovers: readonly Leftover[];
  readonly containment: ContainmentReport;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly usage: Usage | null;
}

/** The type an option was given with; undefined when it was not. */
type OptionOf<O, N extends string> = N extends keyof O ? O[N] : undefined;

/** Text, or bytes with `encoding: 'buffer'`; either when the type does not say. */
type TextOf<Encoding> = Encoding extends undefined
  ? string
  : Encoding extends 'buffer'
    ? Buffer
    : string extends Encoding
      ? OutputData
      : string;

type Kept<Target, Encoding> = Target extends 'pipe' | undefined ? TextOf<Encoding> : null;

/** What a result holds of one stream: null when the options send it elsewhere. */
export type OutputOf<O, N extends 'stdout' | 'stderr'> = Kept<OptionOf<O, N>, OptionOf<O, 'encoding'>>;

/** The result for options of type `O`. */
export type ResultOf<O> = RunResult<OutputOf<O, 'stdout'>, OutputOf<O, 'stderr'>>;

/** `stdout` and `stderr` are text, bytes with `encoding: 'buffer'`, or null when not collected. */
export interface RunResult<Out = OutputData | null, Err = Out> extends ExitStatus {
  readonly stdout: Out;
  readonly stderr: Err;
  readonly capture: { readonly stdout: Capture | null; readonly stderr: Capture | null };
}

export interface Line {
  readonly stream: 'stdout' | 'stderr';
  /** Without its line end. */
  readonly text: string;
  /** False for a last line that the program did not end. */
  readonly ended: boolean;
}

/** A running process. Returned at once by `spawn`; nothing about it throws later except through its promises. */
export interface Process extends AsyncDisposable {
  readonly argv: Argv;
  /** Known once `spawned` has resolved. */
  readonly pid: number | undefined;
  /**
   * Resolves when the program runs; rejects with SpawnError when it could not be started. While so many starts are asked for
   * that they wait for each other, those that are done are told together, some milliseconds apart.
   */
  readonly spawned: Promise<{ readonly pid: number; readonly program: string }>;
  /** Resolves when the process has ended and its tree is settled; rejects like `spawned`, or with ExitError under `check`. */
  readonly exited: Promise<ExitStatus>;
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  lines(): AsyncIterable<Line>;
  collect(): Promise<RunResult>;
  /** Sends one signal to the direct child. False when it has ended or does not exist yet. */
  kill(signal?: Signal): boolean;
  /** The ladder: polite signal, grace, SIGKILL, verified. Resolves when the process has ended. */
  stop(reason?: unknown): Promise<ExitStatus>;
  ref(): this;
  unref(): this;
}
