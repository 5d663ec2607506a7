// What users of a workflow write and get. Types only.

import type { Env } from '../command/types.ts';
import type { ContainmentReport, Leftover, OutputData } from '../process/types.ts';
import type { Shell } from '../shell/types.ts';
import type { Budget } from './budget.ts';
import type { AllowEntry } from './policy-types.ts';
import type { Semaphore } from './semaphore.ts';

export interface WorkflowOptions {
  /** What steps may run. An empty list refuses everything. */
  readonly allow: readonly AllowEntry[];
  /** Folder of steps that name none. Absent: the host's at this moment. */
  readonly cwd?: string | URL | undefined;
  /** Folders that steps may work in, with all that is below. Absent: `cwd` alone. */
  readonly folders?: readonly string[] | undefined;
  /** The complete environment of steps. Absent: the host's, and then a change of it does not count as changed input. */
  readonly env?: Env | undefined;
  /** Names that a step's own `env` may set. Absent: none. A `*` at the end stands for any rest. */
  readonly allowEnv?: readonly string[] | undefined;
  /** PATH that bare names are looked up on. Absent: the host's at this moment. Entries that are not absolute do not count. */
  readonly path?: string | undefined;
  /** Shell of steps that are text: an id, an absolute path, or a shell. Absent: `sh`. */
  readonly shell?: string | Shell | undefined;
  /** Steps in flight at once, or a cap shared with other work. Absent: as many as there are processors. */
  readonly concurrency?: number | Semaphore | undefined;
  /** Ends what runs, with its tree, and starts nothing more. */
  readonly signal?: AbortSignal | undefined;
  /** Absent: `'free'`, nothing is counted. */
  readonly budget?: 'free' | Budget | undefined;
  /** Folder of journals. Absent: nothing is recorded, and nothing can be resumed. */
  readonly journal?: string | undefined;
  /** Letters, digits, `.`, `_` and `-`. Absent: `resumeFromRunId`, or a new random id. */
  readonly runId?: string | undefined;
  /** A run whose finished steps count. With another `runId` they are copied and that run goes its own way. */
  readonly resumeFromRunId?: string | undefined;
  /** Called as things happen. What it throws becomes an uncaught exception. */
  readonly onEvent?: ((event: WorkflowEvent) => void) | undefined;
}

export interface ShOptions {
  /** Absent: the workflow's. */
  readonly cwd?: string | URL | undefined;
  /** Set on top of the workflow's environment; only names that `allowEnv` has. `undefined` removes. */
  readonly env?: Env | undefined;
  /** Absent: end of file at once. */
  readonly stdin?: string | Uint8Array | undefined;
  /** Milliseconds; absent, 0 and Infinity: none. A step that ran into it is not finished: it runs again on resume. */
  readonly timeout?: number | undefined;
  /** The same for silence. */
  readonly idleTimeout?: number | undefined;
  /** Absent: false. True: a step that does not succeed rejects with ExitError, and runs again on resume. */
  readonly check?: boolean | undefined;
  /** Ends this step. */
  readonly signal?: AbortSignal | undefined;
  /** Absent: `'utf8'`. `'buffer'`: bytes. */
  readonly encoding?: string | undefined;
  /** Bytes kept of each output, from both ends. Absent: 16 MiB. */
  readonly maxBuffer?: number | undefined;
}

export interface StepResult<Out extends OutputData = string> {
  readonly stdout: Out;
  readonly stderr: Out;
  /** null when it did not end by itself. */
  readonly code: number | null;
  /** `code === 0`. */
  readonly ok: boolean;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  /** Part of an output was dropped. */
  readonly truncated: boolean;
  /** The real path that ran; the shell's for text. */
  readonly program: string;
  /** Its place in the script. */
  readonly step: string;
  /** What protected the run, as `run` reports it. */
  readonly containment: ContainmentReport;
  /** Descendants that were still there when the program had ended, and what became of them. */
  readonly leftovers: readonly Leftover[];
  /** Answered by the journal: nothing was started. */
  readonly cached: boolean;
  /** Milliseconds since the epoch, and how long it took; of the original run when cached. */
  readonly startedAt: number;
  readonly durationMs: number;
}

export type WorkflowEvent =
  | { readonly type: 'started' | 'cached' | 'finished'; readonly step: string; readonly command: string }
  /** `error` is what the step rejects with. */
  | { readonly type: 'failed'; readonly step: string; readonly command: string; readonly error: unknown }
  /** Another call stands where the journal has one; what was recorded from there on does not count. */
  | { readonly type: 'changed'; readonly step: string; readonly command: string }
  | { readonly type: 'paused' | 'resumed' };

/** An array starts a program directly; text goes through the workflow's shell. Prefer the array: its values stay inert. */
export type Command = readonly [program: string, ...args: (string | Uint8Array)[]] | string;

type OutOf<O> = O extends { readonly encoding: infer E }
  ? E extends 'buffer'
    ? Buffer
    : string extends E
      ? OutputData
      : string
  : string;

export interface Workflow extends AsyncDisposable {
  readonly runId: string;
  /**
   * One step: approved, counted, recorded, and answered by the journal when it is there already.
   *
   * Rejects, and never throws:
   * - AllowlistError: not approved. Nothing was started, except for reason `changed` where its text says so.
   * - BudgetError, WorkflowClosedError: nothing was started.
   * - JournalError: the journal cannot be read or written.
   * - AbortError: aborted; the tree is gone. SpawnError: the program could not be started.
   * - ExitError: with `check: true`, when `ok` is false.
   * - TypeError, RangeError: an argument or option is wrong.
   */
  readonly sh: <const O extends ShOptions = object>(command: Command, options?: O) => Promise<StepResult<OutOf<O>>>;
  /**
   * Runs all tasks and waits for all of them; then rejects with the first failure in the order of the list, if any.
   * Each task has positions of its own, so steps inside are found again however they interleave.
   */
  readonly parallel: <T>(tasks: readonly (() => T | Promise<T>)[]) => Promise<T[]>;
  /** Sends every item through all stages, each item by itself; waits and rejects as `parallel` does. */
  readonly pipeline: <T>(items: readonly T[], ...stages: readonly PipelineStage<T>[]) => Promise<unknown[]>;
  /** Starts no more steps. Resolves when none is running. */
  readonly pause: () => Promise<void>;
  readonly resume: () => void;
  /** Refuses new steps, waits for those that run, gives the journal back. Idempotent. */
  readonly close: () => Promise<void>;
}

/** Gets what the stage before gave (the first one: the item), the item, and its index. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each stage knows what the one before returns
export type PipelineStage<T> = (previous: any, item: T, index: number) => unknown;
