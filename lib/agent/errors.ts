// The error classes of this layer. None of them ever holds the text of stdin.

import type { Decision } from './decide.ts';
import type { ExecutionPlan } from './plan.ts';

/** One thing that is wrong, and where: `args[2]`, `timeout`, `rules[0].effect`. */
export interface Issue {
  /** Empty for the value as a whole. */
  readonly path: string;
  /** Completes "<path> ...". */
  readonly message: string;
}

export function formatIssues(issues: readonly Issue[]): string {
  return issues.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)).join('; ');
}

/** The request cannot mean anything here. Nothing was decided and nothing was started. */
export class RequestError extends Error {
  override readonly name: string = 'RequestError';
  readonly code: string = 'ERR_INVALID_REQUEST';
  /** Every problem, not only the first. */
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(`invalid request: ${formatIssues(issues)}`);
    this.issues = Object.freeze([...issues]);
  }
}

/** The policy is wrong; thrown when the executor is made. */
export class PolicyError extends Error {
  override readonly name: string = 'PolicyError';
  readonly code: string = 'ERR_INVALID_POLICY';
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(`invalid policy: ${formatIssues(issues)}`);
    this.issues = Object.freeze([...issues]);
  }
}

/** The call was not permitted. Nothing was started. */
export class PermissionError extends Error {
  override readonly name: string = 'PermissionError';
  readonly code: string = 'ERR_PERMISSION';
  readonly plan: ExecutionPlan;
  readonly decision: Decision;

  constructor(plan: ExecutionPlan, decision: Decision, why: string) {
    super(`not permitted: ${[why, ...decision.because].join('; ')}`);
    this.plan = plan;
    this.decision = decision;
  }
}

/** The program file is no longer the one that was looked at when the call was planned. Nothing was started. */
export class ProgramChangedError extends Error {
  override readonly name: string = 'ProgramChangedError';
  readonly code: string = 'ERR_PROGRAM_CHANGED';
  readonly plan: ExecutionPlan;

  constructor(plan: ExecutionPlan, path: string) {
    super(`${JSON.stringify(path)} is another file than when this call was planned`);
    this.plan = plan;
  }
}

export type Step = 'before' | 'after' | 'shellEnv' | 'audit' | 'ask';

/**
 * Something the caller plugged in has failed; `cause` is its error. At `after` and the last `audit` record the program
 * has run, and `result` says how it ended.
 */
export class StepError extends Error {
  override readonly name: string = 'StepError';
  readonly code: string = 'ERR_STEP_FAILED';
  readonly step: Step;
  readonly result: unknown;

  constructor(step: Step, cause: unknown, result?: unknown) {
    super(`${step} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.step = step;
    this.result = result;
  }
}
