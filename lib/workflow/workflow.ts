// createWorkflow: command steps that are approved, counted, recorded and resumed.

import type { Env } from '../command/types.ts';
import { AbortError, isAbortError } from '../errors/errors.ts';
import { makeTypeError } from '../errors/option-errors.ts';
import type { OutputData } from '../process/types.ts';
import { WorkflowClosedError } from './errors.ts';
import { countOutput, execute, fromRecorded, isFinished, makeStepError, toRecorded, toStepResult } from './execute.ts';
import { Folders } from './folders.ts';
import { Gate } from './gate.ts';
import { Journal } from './journal.ts';
import { checkStepOptions, parseWorkflowOptions } from './options.ts';
import type { ParsedOptions } from './options.ts';
import { Policy } from './policy.ts';
import { Preparer } from './prepare.ts';
import type { Prepared } from './prepare.ts';
import { formatPosition, Scopes } from './scopes.ts';
import type { Position } from './scopes.ts';
import { joinSignals } from './signals.ts';
import type { JoinedSignal } from './signals.ts';
import { makeKey } from './step-key.ts';
import { toAbsolutePath } from './text-policy.ts';
import type {
  Command,
  PipelineStage,
  ShOptions,
  StepResult,
  Workflow,
  WorkflowEvent,
  WorkflowOptions,
} from './types.ts';

type Result = StepResult<OutputData>;

class Runner {
  readonly #options: ParsedOptions;
  readonly #env: Env | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #onEvent: WorkflowOptions['onEvent'];
  readonly #preparer: Preparer;
  readonly #journal: Journal | null;
  readonly #scopes = new Scopes();
  readonly #gate = new Gate();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | null = null;

  constructor(options: WorkflowOptions) {
    const parsed = parseWorkflowOptions(options);
    const folders = new Folders(parsed.folders);
    const path = toAbsolutePath(parsed.path);
    this.#options = parsed;
    this.#env = options.env === undefined ? undefined : Object.freeze({ ...options.env });
    this.#signal = options.signal;
    this.#onEvent = options.onEvent;
    this.#preparer = new Preparer({
      policy: new Policy(options.allow, path, folders),
      folders,
      cwd: parsed.cwd,
      env: this.#env,
      allowEnv: parsed.allowEnv,
      path,
      shell: options.shell ?? 'sh',
    });
    // Last: what is wrong with the options must not leave a journal behind.
    this.#journal = parsed.journal === null ? null : new Journal(parsed.journal, parsed.runId, parsed.resumeFrom);
  }

  get runId(): string {
    return this.#options.runId;
  }

  sh(command: Command, options: ShOptions = {}): Promise<Result> {
    if (this.#closing) return Promise.reject(new WorkflowClosedError('the workflow is closed'));
    // Taken while the caller is on the stack: the order of calls is the order of positions.
    const position = this.#scopes.take();
    return this.#track(this.#pending, this.#step(position, command, options));
  }

  #track<T>(among: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
    among.add(work);
    const forget = (): void => void among.delete(work);
    work.then(forget, forget);
    return work;
  }

  async #step(position: Position, command: Command, options: ShOptions): Promise<Result> {
    const step = formatPosition(position);
    let shown = typeof command === 'string' ? command : Array.isArray(command) ? command.map(String).join(' ') : '';
    let joined: JoinedSignal | undefined;
    try {
      checkStepOptions(options);
      joined = joinSignals(this.#signal, options.signal);
      const { signal } = joined;
      const prepared = await this.#preparer.prepare(command, options, signal);
      shown = prepared.shown;
      const key = makeKey(position, prepared, { ...this.#env, ...options.env }, options.check === true);
      const known = this.#journal?.find(position);
      if (this.#journal && known?.key === key) {
        const result = await fromRecorded(known.result, this.#journal.outputs, step);
        this.#emit({ type: 'cached', step, command: shown });
        return result;
      }
      if (known) {
        await this.#journal?.change(position);
        this.#emit({ type: 'changed', step, command: shown });
      }
      const result = await this.#admit(prepared, signal, () => this.#start(position, key, prepared, options));
      this.#emit({ type: 'finished', step, command: shown });
      return result;
    } catch (error) {
      this.#emit({ type: 'failed', step, command: shown, error });
      throw error;
    } finally {
      joined?.release();
    }
  }

  /** Waits for the gate and for a place, counts the call, and gives the place back afterwards. */
  async #admit(prepared: Prepared, signal: AbortSignal, start: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const leave = await this.#enter(signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
        throw new AbortError(`${prepared.shown} was not started: aborted before`, signal.reason);
      });
      try {
        // Nothing is awaited between this look and the start, so that pause() misses no step.
        if (!this.#gate.isOpen || signal.aborted) continue;
        this.#options.budget?.start();
        return await this.#track(this.#running, start());
      } finally {
        leave();
      }
    }
  }

  async #enter(signal: AbortSignal): Promise<() => void> {
    await this.#gate.pass(signal);
    return this.#options.semaphore.acquire(signal);
  }

  async #start(position: Position, key: string, prepared: Prepared, options: ShOptions): Promise<Result> {
    const step = formatPosition(position);
    const check = options.check === true;
    await this.#journal?.start(position, key, prepared.shown);
    this.#emit({ type: 'started', step, command: prepared.shown });
    const result = await execute(prepared).catch(async (error: unknown) => {
      await this.#journal?.fail(position, key, isAbortError(error) ? 'aborted' : String(error));
      throw error;
    });
    this.#options.budget?.finish({ wallTime: result.durationMs, outputBytes: countOutput(result) });
    const mine = toStepResult(result, prepared, step);
    if (this.#journal && isFinished(result, check)) {
      await this.#journal.finish(position, key, await toRecorded(mine, this.#journal.outputs));
    } else {
      await this.#journal?.fail(position, key, `${result.reason} ${result.code ?? result.signal ?? ''}`.trim());
    }
    if (check && !result.ok) throw makeStepError(result, mine, prepared.plan);
    return mine;
  }

  parallel<T>(tasks: readonly (() => T | Promise<T>)[]): Promise<T[]> {
    if (!Array.isArray(tasks) || tasks.some((task) => typeof task !== 'function')) {
      return Promise.reject(makeTypeError('tasks', 'an array of functions', tasks));
    }
    return this.#scopes.branch(tasks);
  }

  pipeline<T>(items: readonly T[], stages: readonly PipelineStage<T>[]): Promise<unknown[]> {
    if (!Array.isArray(items)) return Promise.reject(makeTypeError('items', 'an array', items));
    if (stages.some((stage) => typeof stage !== 'function')) {
      return Promise.reject(makeTypeError('stages', 'functions', stages));
    }
    const tasks = items.map((item: T, index) => async (): Promise<unknown> => {
      let value: unknown = item;
      for (const stage of stages) value = await stage(value, item, index);
      return value;
    });
    return this.#scopes.branch(tasks);
  }

  async pause(): Promise<void> {
    this.#gate.shut();
    this.#emit({ type: 'paused' });
    await Promise.allSettled(this.#running);
  }

  resume(): void {
    if (this.#gate.isOpen) return;
    this.#gate.open();
    this.#emit({ type: 'resumed' });
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await Promise.allSettled(this.#pending);
      await this.#journal?.close();
    })();
    return this.#closing;
  }

  #emit(event: WorkflowEvent): void {
    try {
      this.#onEvent?.(event);
    } catch (error) {
      // A listener's failure is the host's to hear of, and no step's.
      process.nextTick(() => {
        throw error;
      });
    }
  }
}

/**
 * A workflow: `sh` for command steps, `parallel` and `pipeline` for steps side by side, all under one allowlist, one cap,
 * one budget and one journal. The functions may be taken off the object.
 *
 * @throws TypeError or RangeError for a wrong option, AllowlistError (`runner`) for a policy that would approve everything,
 * JournalError for a journal that cannot be opened.
 */
export function createWorkflow(options: WorkflowOptions): Workflow {
  const runner = new Runner(options);
  const close = (): Promise<void> => runner.close();
  return Object.freeze({
    runId: runner.runId,
    // The options decide whether outputs are text or bytes; the type says the same.
    sh: ((command: Command, given?: ShOptions) => runner.sh(command, given)) as Workflow['sh'],
    parallel: <T>(tasks: readonly (() => T | Promise<T>)[]) => runner.parallel(tasks),
    pipeline: <T>(items: readonly T[], ...stages: readonly PipelineStage<T>[]) => runner.pipeline(items, stages),
    pause: () => runner.pause(),
    resume: () => runner.resume(),
    close,
    [Symbol.asyncDispose]: close,
  });
}
