// Background runs: started through the same lifecycle, then looked at from time to time. Each is ended with the executor
// or the host. Only `lingering: 'leave'` lets something stay, as in the core: what the program has left behind.

import { finished } from 'node:stream/promises';
import type { Lingering } from '../command/types.ts';
import { RunningProcess } from '../process/process.ts';
import type { ExitStatus } from '../process/types.ts';
import { describeFailure } from './audit.ts';
import type { Permission } from './audit.ts';
import { RequestError, StepError } from './errors.ts';
import type { Approved, Lifecycle, StartKind } from './lifecycle.ts';
import { LIMITS } from './limits.ts';
import { OutputTail } from './output-tail.ts';
import type { OutputPart } from './output-tail.ts';
import { withSignal } from './plan.ts';
import type { ExecutionPlan } from './plan.ts';

export interface BackgroundOptions {
  /** Keep stdin open for `write`, after the request's own stdin. Absent: false, end of file. */
  readonly openStdin?: boolean;
  /** What happens to descendants that remain when the program has ended. Absent: the executor's, else `'kill'`. */
  readonly lingering?: Lingering;
  /** Ends the run when aborted. */
  readonly signal?: AbortSignal | undefined;
}

export interface BackgroundStatus {
  readonly id: string;
  readonly state: 'running' | 'ended';
  readonly pid: number;
  readonly plan: ExecutionPlan;
  readonly permission: Permission;
  /** How it ended; null while it runs, and when that is not known (`error` says why). */
  readonly status: ExitStatus | null;
  readonly error: unknown;
  /** Bytes written so far. */
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

export interface BackgroundOutput {
  readonly state: 'running' | 'ended';
  readonly stdout: OutputPart;
  readonly stderr: OutputPart;
}

export interface Background {
  /** Resolves when the program runs. Rejects as the executor's `run` does when nothing was started. */
  start(request: unknown, options?: BackgroundOptions): Promise<BackgroundStatus>;
  /** @throws RequestError for an id that is not known. */
  status(id: string): BackgroundStatus;
  /** What is new since the last read, or since the positions given. The last MiB of each stream is kept. */
  read(id: string, from?: { readonly stdout?: number; readonly stderr?: number }): BackgroundOutput;
  /** Resolves when the program's pipe has taken the text; `end` closes stdin after it. */
  write(id: string, text: string, options?: { readonly end?: boolean }): Promise<void>;
  /** Ends the whole tree and waits for it. */
  stop(id: string): Promise<BackgroundStatus>;
  list(): readonly BackgroundStatus[];
}

const refuse = (id: string, what: string): RequestError => new RequestError([{ path: 'id', message: `${id} ${what}` }]);

class BackgroundRun {
  readonly #approved: Approved;
  readonly #process: RunningProcess;
  readonly #stdout: OutputTail;
  readonly #stderr: OutputTail;
  #status: ExitStatus | null = null;
  #error: unknown = null;
  #pid = 0;
  #ended = false;
  /** Settles when the run and what follows it (streams, audit, hook) are over; never rejects. */
  readonly done: Promise<void>;

  constructor(approved: Approved, signal: AbortSignal | undefined, after: (run: BackgroundRun) => Promise<void>) {
    this.#approved = approved;
    this.#process = new RunningProcess(withSignal(approved.plan.command, signal));
    this.#stdout = new OutputTail(this.#process.stdout, LIMITS.backgroundBytes);
    this.#stderr = new OutputTail(this.#process.stderr, LIMITS.backgroundBytes);
    this.done = this.#follow(after);
  }

  get id(): string {
    return this.#approved.id;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Resolves when the program runs and has its literal stdin on the way. */
  async start(literal: Buffer | null, openStdin: boolean): Promise<void> {
    this.#pid = (await this.#process.spawned).pid;
    const { stdin } = this.#process;
    // A program that stops reading is not a failure; `write` tells those who go on writing.
    stdin?.on('error', () => undefined);
    if (literal !== null) stdin?.write(literal);
    if (!openStdin) stdin?.end();
  }

  async #follow(after: (run: BackgroundRun) => Promise<void>): Promise<void> {
    try {
      this.#status = await this.#process.exited;
    } catch (error) {
      this.#error = error;
      this.#status = (error as { result?: ExitStatus }).result ?? null;
    }
    await Promise.all([this.#stdout.closed, this.#stderr.closed]);
    this.#ended = true;
    try {
      await after(this);
    } catch (error) {
      this.#error = error;
    }
  }

  read(from: { readonly stdout?: number; readonly stderr?: number }): BackgroundOutput {
    return Object.freeze({
      state: this.#ended ? 'ended' : 'running',
      stdout: this.#stdout.read(from.stdout),
      stderr: this.#stderr.read(from.stderr),
    });
  }

  async write(text: string, end: boolean): Promise<void> {
    const { stdin } = this.#process;
    if (stdin === null || !stdin.writable) throw refuse(this.id, 'does not take input');
    if (!text.isWellFormed()) throw new RequestError([{ path: 'text', message: 'has half a surrogate pair' }]);
    if (text !== '') {
      await new Promise<void>((resolve, reject) => {
        stdin.write(text, (error) => (error ? reject(refuse(this.id, 'stopped reading')) : resolve()));
      });
    }
    if (!end) return;
    stdin.end();
    await finished(stdin);
  }

  async stop(): Promise<void> {
    await this.#process.stop();
    await this.done;
  }

  describe(): BackgroundStatus {
    return Object.freeze({
      id: this.id,
      state: this.#ended ? 'ended' : 'running',
      pid: this.#pid,
      plan: this.#approved.plan,
      permission: this.#approved.permission,
      status: this.#status,
      error: this.#error,
      stdoutBytes: this.#stdout.total,
      stderrBytes: this.#stderr.total,
    });
  }
}

export class BackgroundRuns implements Background {
  readonly #lifecycle: Lifecycle;
  readonly #runs = new Map<string, BackgroundRun>();

  constructor(lifecycle: Lifecycle) {
    this.#lifecycle = lifecycle;
  }

  async start(request: unknown, options: BackgroundOptions = {}): Promise<BackgroundStatus> {
    const { openStdin = false, lingering, signal } = options;
    const kind: StartKind = {
      kind: 'spawn',
      stdin: openStdin ? 'pipe' : 'given',
      outputs: {},
      settings: lingering === undefined ? {} : { lingering },
    };
    const plan = await this.#lifecycle.plan(request, kind);
    const approved = await this.#lifecycle.authorize(plan, signal);
    const run = new BackgroundRun(approved, signal, (ended) => this.#finish(ended, approved));
    await run.start(openStdin ? literalOf(plan) : null, openStdin);
    this.#runs.set(run.id, run);
    this.#forget();
    return run.describe();
  }

  status(id: string): BackgroundStatus {
    return this.#find(id).describe();
  }

  read(id: string, from: { readonly stdout?: number; readonly stderr?: number } = {}): BackgroundOutput {
    return this.#find(id).read(from);
  }

  write(id: string, text: string, options: { readonly end?: boolean } = {}): Promise<void> {
    return this.#find(id).write(text, options.end === true);
  }

  async stop(id: string): Promise<BackgroundStatus> {
    const run = this.#find(id);
    await run.stop();
    return run.describe();
  }

  list(): readonly BackgroundStatus[] {
    return [...this.#runs.values()].map((run) => run.describe());
  }

  async close(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.stop()));
  }

  #find(id: string): BackgroundRun {
    const run = this.#runs.get(id);
    if (run === undefined) throw refuse(JSON.stringify(id), 'is not a background run');
    return run;
  }

  #forget(): void {
    for (const run of this.#runs.values()) {
      if (this.#runs.size <= LIMITS.backgroundRuns) return;
      if (run.ended) this.#runs.delete(run.id);
    }
  }

  async #finish(run: BackgroundRun, { id, plan }: Approved): Promise<void> {
    const { status, error, stdoutBytes, stderrBytes } = run.describe();
    const base = { id, time: new Date().toISOString() };
    await this.#lifecycle.record(
      status === null
        ? { ...base, event: 'failure', ...describeFailure(error) }
        : {
            ...base,
            event: 'end',
            ...{ reason: status.reason, code: status.code, signal: status.signal, durationMs: status.durationMs },
            ...{ stdoutBytes, stderrBytes },
          },
    );
    try {
      await this.#lifecycle.options.hooks?.after?.(status === null ? { plan, error } : { plan, status });
    } catch (cause) {
      throw new StepError('after', cause, status);
    }
  }
}

function literalOf(plan: ExecutionPlan): Buffer | null {
  return plan.request.mode === 'process' ? (plan.request.stdin?.reveal() ?? null) : null;
}
