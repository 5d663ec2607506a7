// What an executor is made from. Types only.

import type { Env } from '../command/types.ts';
import type { ExitStatus, RunResult } from '../process/types.ts';
import type { Audit, Permission } from './audit.ts';
import type { Backend } from './backend.ts';
import type { Decision } from './decide.ts';
import type { ExecutionPlan, RunSettings } from './plan.ts';
import type { Preview } from './preview.ts';
import type { Request } from './request.ts';
import type { Policy } from './rules.ts';

export type Answer = 'allow' | 'deny' | null;

export interface Question {
  readonly plan: ExecutionPlan;
  readonly decision: Decision;
  readonly preview: Preview;
  /** Aborted when the call is: the question has no more use. */
  readonly signal: AbortSignal | undefined;
}

export interface Outcome {
  readonly plan: ExecutionPlan;
  /** The program ran and was waited for. */
  readonly result?: RunResult;
  /** A background run ended. */
  readonly status?: ExitStatus;
  /** It was refused, or did not come to a result. */
  readonly error?: unknown;
}

export interface Hooks {
  /** Before anything is planned. What it returns replaces the request and is checked like it. */
  before?(request: Request): unknown;
  /** When the call is over, however it went, once it had a plan. */
  after?(outcome: Outcome): void | Promise<void>;
}

export interface EnvQuestion {
  readonly mode: Request['mode'];
  readonly backend: string;
  readonly workdir: string | null;
}

export interface Limits {
  /** Bytes of literal stdin. Absent: 1 MiB. */
  readonly stdinBytes?: number;
  /** Milliseconds for a request that has none. Absent: none. */
  readonly timeout?: number;
  /** Milliseconds; a request that asks for more gets this. Absent: no bound. */
  readonly maxTimeout?: number;
}

export interface ExecutorOptions {
  readonly policy: Policy;
  /**
   * Who answers when the decision is `ask`; null when there is nobody. Absent: nobody. Anything but `'allow'` refuses
   * the call.
   */
  readonly ask?: (question: Question) => Answer | Promise<Answer>;
  readonly audit?: Audit;
  readonly hooks?: Hooks;
  /** Absent: this machine. */
  readonly backend?: Backend;
  /** The complete environment of what is started here. Absent: the host's. */
  readonly env?: Env;
  /** Added to the environment of every call, in both modes alike; `undefined` removes a name. */
  readonly shellEnv?: (question: EnvQuestion) => Env | Promise<Env>;
  /** Folder of requests without `workdir`, and where relative ones start. Absent: the host's, at each call. */
  readonly workdir?: string;
  /** A `workdir` that does not exist becomes its nearest existing parent; the plan says so. Absent: false, an error. */
  readonly recoverWorkdir?: boolean;
  readonly limits?: Limits;
  /** How programs run, in the core's words. */
  readonly run?: RunSettings;
}

/** The core's result, and how the call came to be. */
export interface ExecutionResult extends RunResult<string, string> {
  readonly request: Request;
  readonly plan: ExecutionPlan;
  readonly permission: Permission;
}
