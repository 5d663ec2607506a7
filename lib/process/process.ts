// The handle of one running process.
//
//   created -> spawned -> exited      spawned and exited resolve
//      |                              pid, program       status
//      +-> failed                     both reject: SpawnError, or AbortError when it was stopped before it began
//
// Facts come as engine events, in that order; every method is valid in every state.

import type { Readable, Writable } from 'node:stream';
import { parseSignal } from '../command/options.ts';
import type { Argv, Plan, Signal } from '../command/types.ts';
import { AbortError, StdinError } from '../errors/errors.ts';
import { toSpawnError } from '../errors/spawn-message.ts';
import { makeId, sendSignal, setReferenced, startRun, stopRun } from '../native/binding.ts';
import type { NativeEvent, NativeFinished } from '../native/contract.ts';
import { quoteVisibly } from '../util/describe.ts';
import { armAbort } from './abort-listener.ts';
import type { Collected } from './decode.ts';
import { InputPump } from './input-pump.ts';
import { InputStream } from './input-stream.ts';
import { mergeLines } from './lines.ts';
import { OutputStream } from './output-stream.ts';
import { splitCap, toRequest } from './request.ts';
import { checkRequired } from './require.ts';
import { makeExitError, toExitStatus, toRunResult } from './result.ts';
import { collectStream } from './stream-collector.ts';
import type { ExitStatus, Line, Process, RunResult } from './types.ts';
import { Outcome, toOptional } from '../util/outcome.ts';

export class RunningProcess implements Process {
  readonly argv: Argv;
  readonly stdin: Writable | null;

  readonly #input: InputStream | null;
  readonly #output: OutputStream | null;
  readonly #error: OutputStream | null;
  readonly #plan: Plan;
  readonly #id: number = makeId();
  readonly #spawned = new Outcome<{ readonly pid: number; readonly program: string }>();
  readonly #exited = new Outcome<ExitStatus>();
  /** Like `exited`, but a program that ran is never a rejection. */
  readonly #finished = new Outcome<NativeFinished>();
  readonly #pump: InputPump | undefined;
  #disarm: (() => void) | undefined;
  #pid: number | undefined;
  #stopReason: unknown;
  #sourceFailure: { readonly error: unknown } | undefined;
  #passedCap = false;
  #collected: Promise<RunResult> | undefined;
  #linesTaken = false;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.argv = plan.argv;
    this.#input = plan.stdin.kind === 'pipe' ? new InputStream(this.#id) : null;
    this.#output = plan.stdout.kind === 'pipe' ? new OutputStream(this.#id, 1) : null;
    this.#error = plan.stderr.kind === 'pipe' ? new OutputStream(this.#id, 2) : null;
    this.stdin = this.#input?.stream ?? null;
    if (plan.stdin.kind === 'iterable') {
      this.#pump = new InputPump(this.#id, plan.stdin.source, (error) => {
        this.#sourceFailure = { error };
        stopRun(this.#id, 'stop');
      });
    }
    this.#start();
  }

  get stdout(): Readable | null {
    return this.#output?.stream ?? null;
  }

  get stderr(): Readable | null {
    return this.#error?.stream ?? null;
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  get spawned(): Promise<{ readonly pid: number; readonly program: string }> {
    return this.#spawned.promise;
  }

  get exited(): Promise<ExitStatus> {
    return this.#exited.promise;
  }

  lines(): AsyncIterable<Line> {
    if (this.#collected !== undefined || this.#linesTaken) {
      throw new Error('the output of this process is already being read, by collect or lines');
    }
    this.#linesTaken = true;
    return mergeLines([
      { stream: this.stdout, name: 'stdout' },
      { stream: this.stderr, name: 'stderr' },
    ]);
  }

  collect(): Promise<RunResult> {
    if (this.#linesTaken) throw new Error('the output of this process is already being read, by lines');
    this.#collected ??= toOptional(this.#collect());
    return this.#collected;
  }

  kill(signal: Signal = 'SIGTERM'): boolean {
    return sendSignal(this.#id, parseSignal(signal, 'signal'), false) === 0;
  }

  /** One signal to all that the call contains: the tree, the group, or without containment the program. */
  signalTree(signal: Signal): boolean {
    return sendSignal(this.#id, parseSignal(signal, 'signal'), true) === 0;
  }

  stop(reason?: unknown): Promise<ExitStatus> {
    this.#stopReason ??= reason;
    stopRun(this.#id, 'stop');
    return toOptional(this.#finished.promise.then((finished) => this.#toStatus(finished)));
  }

  ref(): this {
    setReferenced(this.#id, true);
    return this;
  }

  unref(): this {
    setReferenced(this.#id, false);
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.stop();
    } catch {
      // It never ran: `spawned` and `exited` have said why, and there is nothing to end.
    }
  }

  #start(): void {
    const signal = this.#plan.signal;
    try {
      if (signal?.aborted === true) throw this.#makeAbortError('was not started: aborted before', signal.reason);
      checkRequired(this.#plan);
      startRun(toRequest(this.#plan, this.#id, 'stream'), (event) => this.#onEvent(event));
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (signal !== null) this.#disarm = armAbort(signal, () => stopRun(this.#id, 'abort'));
  }

  #onEvent(event: NativeEvent): void {
    switch (event.kind) {
      case 'spawned':
        this.#pid = event.pid;
        this.#spawned.resolve(Object.freeze({ pid: event.pid, program: event.program }));
        void this.#pump?.pump();
        break;
      case 'data':
        (event.stream === 1 ? this.#output : this.#error)?.onData(event.chunk);
        break;
      case 'end':
        (event.stream === 1 ? this.#output : this.#error)?.onEnd();
        break;
      case 'drain':
        this.#input?.onDrain();
        this.#pump?.onDrain();
        break;
      case 'stdin-closed':
      case 'exit':
        this.#input?.onClosed();
        this.#pump?.close();
        break;
      case 'failed':
        this.#fail(toSpawnError(event, this.#plan));
        break;
      case 'cancelled': {
        const signal = this.#plan.signal;
        const cause: unknown = signal?.aborted === true ? signal.reason : this.#stopReason;
        this.#fail(this.#makeAbortError('was not started: stopped before', cause));
        break;
      }
      case 'finished':
        this.#onFinished(event);
        break;
      case 'resolved':
      case 'unresolved':
        break; // answers to a lookup
    }
  }

  #onFinished(finished: NativeFinished): void {
    this.#release();
    this.#finished.resolve(finished);
    const status = this.#toStatus(finished);
    const error = this.#findError(status);
    if (error === undefined) this.#exited.resolve(status);
    else this.#exited.reject(error);
  }

  /** What this end is rejected with, if it is. */
  #findError(status: ExitStatus): Error | undefined {
    if (this.#sourceFailure !== undefined) {
      const message = `the source of stdin for ${quoteVisibly(this.#plan.program)} failed`;
      return new StdinError(message, this.#sourceFailure.error, status);
    }
    if (status.aborted) return this.#makeAbortError('was aborted', this.#plan.signal?.reason, status);
    if (this.#plan.check && !status.ok) return makeExitError(status, this.#plan);
    return undefined;
  }

  #toStatus(finished: NativeFinished): ExitStatus {
    return toExitStatus(this.#passedCap ? { ...finished, reason: 'max-buffer' } : finished, this.#plan);
  }

  #fail(error: unknown): void {
    this.#release();
    this.#output?.onEnd();
    this.#error?.onEnd();
    this.#spawned.reject(error);
    this.#finished.reject(error);
    this.#exited.reject(error);
  }

  #release(): void {
    this.#disarm?.();
    this.#input?.onClosed();
    this.#pump?.close();
  }

  #makeAbortError(what: string, cause: unknown, result?: ExitStatus): AbortError<ExitStatus> {
    return new AbortError(`${quoteVisibly(this.#plan.program)} ${what}`, cause, result);
  }

  async #collect(): Promise<RunResult> {
    const read = async (name: 'stdout' | 'stderr'): Promise<Collected | null> => {
      const stream = this[name];
      if (stream === null) return null;
      const cap = this.#plan.maxBuffer[name];
      return collectStream(stream, splitCap(cap, this.#plan.keep), (bytes) => {
        if (this.#plan.onMaxBuffer !== 'kill' || bytes <= cap || this.#passedCap) return;
        this.#passedCap = true;
        stopRun(this.#id, 'stop');
      });
    };
    const [stdout, stderr, finished] = await Promise.all([read('stdout'), read('stderr'), this.#finished.promise]);
    const withTee = (collected: Collected | null, native: NativeFinished['stdout']): Collected | null =>
      collected === null ? null : { ...collected, tee: native?.tee ?? null };
    const ended: NativeFinished = this.#passedCap ? { ...finished, reason: 'max-buffer' } : finished;
    const result = toRunResult(ended, this.#plan, {
      stdout: withTee(stdout, finished.stdout),
      stderr: withTee(stderr, finished.stderr),
    });
    const error = this.#findError(result);
    if (error !== undefined) throw error;
    return result;
  }
}
