// Stands in for the native handle inside Node's ChildProcess: our engine starts the program, sees its exit and carries
// signals. Everything above (events and their order, streams, abort, timeout, promisify) stays Node's own JavaScript.
//
// Node's contract has `pid`, and errors that are thrown, right after the call, so a start is over when `spawn` returns.

import { AsyncResource } from 'node:async_hooks';
import { closeSync } from 'node:fs';
import { constants } from 'node:os';
import { sendSignal, setReferenced, startRunHere } from '../native/binding.ts';
import type {
  NativeDescriptor,
  NativeEvent,
  NativeFinished,
  NativeHandOver,
  NativeStarted,
} from '../native/contract.ts';
import { toSignalName } from '../process/result.ts';
import { findHandOverReason, record } from './hand-over.ts';
import type { HandOverReason } from './hand-over.ts';
import type { NodeChildProcess, ProcessHandle, StartOptions, StdioEntry } from './internals.ts';
import { toDescriptor, toRequest } from './request.ts';

/** What becomes of one standard stream; null: nothing our engine knows. */
function toStream(entry: StdioEntry): NativeDescriptor | NativeHandOver | { readonly kind: 'ignore' } | null {
  switch (entry.type) {
    case 'ignore':
      return { kind: 'ignore' };
    case 'pipe':
    case 'overlapped': // the same outside Windows
      return typeof entry.handle?.open === 'function' ? { kind: 'hand-over' } : null;
    case 'inherit':
    case 'fd':
    case 'wrap':
      return toDescriptor(entry);
    default:
      return null;
  }
}

/** Gives our ends of the pipes to the streams that Node has made for them. */
function connect(stdio: readonly StdioEntry[], started: NativeStarted): void {
  started.descriptors.forEach((descriptor, index) => {
    if (descriptor < 0) return;
    const error = stdio[index]?.handle?.open?.(descriptor) ?? 0;
    if (error === 0) return;
    closeSync(descriptor);
    throw new Error(`the pipe of stdio[${index}] cannot be used by this runtime (error ${error})`);
  });
}

export class EngineHandle implements ProcessHandle {
  readonly onexit: ProcessHandle['onexit'];
  readonly #owner: NodeChildProcess;
  /** Node's own, unused as long as the start is ours. */
  readonly #other: ProcessHandle;
  readonly #scope = new AsyncResource('ARGVSPAWNPROCESS');
  #id = 0;
  #pid: number | undefined;
  #referenced = true;
  #ended = false;

  constructor(owner: NodeChildProcess, other: ProcessHandle) {
    this.#owner = owner;
    this.#other = other;
    this.onexit = other.onexit;
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  /** 0, or a negative errno. What is not ours to start goes to Node, whose handle takes this one's place. */
  spawn(options: StartOptions): number {
    const reason = findHandOverReason(options) ?? this.#start(options);
    record(options, false, reason);
    if (reason === null) return 0;
    this.#owner._handle = this.#other;
    return this.#other.spawn(options);
  }

  kill(signal: number): number {
    const error = sendSignal(this.#id, signal, false);
    // Seen by the engine and not yet by JavaScript: Node has a zombie then, which takes any signal.
    return error === -constants.errno.ESRCH && !this.#ended ? 0 : error;
  }

  ref(): void {
    this.#referenced = true;
    setReferenced(this.#id, true);
  }

  unref(): void {
    this.#referenced = false;
    setReferenced(this.#id, false);
  }

  hasRef(): boolean {
    return this.#referenced && !this.#ended;
  }

  close(): void {
    this.#ended = true;
    setReferenced(this.#id, false);
  }

  #start(options: StartOptions): HandOverReason | null {
    const stdio = options.stdio ?? [];
    const [stdin, stdout, stderr] = stdio.slice(0, 3).map(toStream);
    if (!stdin || !stdout || !stderr) return 'stdio-kind';
    const limits = { timeoutMs: 0, killSignal: constants.signals.SIGTERM, lingering: 'leave' } as const;
    const request = toRequest(options, { stdin, stdout, stderr }, limits);
    if (typeof request === 'string') return request;
    const answer = startRunHere(request, (event) => this.#onEvent(event));
    if (answer.kind === 'failed') return 'not-started';
    this.#id = request.id;
    this.#pid = answer.pid;
    connect(stdio, answer);
    return null;
  }

  #onEvent(event: NativeEvent): void {
    if (event.kind !== 'finished') return;
    // Two turns later, so that timers which are due come first, as in Node: a `timeout` that has passed is one, however
    // long JavaScript was busy. The news itself can come in the turn of the loop in which the program was started.
    setImmediate(() => setImmediate(() => this.#end(event)));
  }

  #end({ code, signal }: NativeFinished): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#scope.runInAsyncScope(() => this.onexit(code, toSignalName(signal) ?? ''));
  }
}
