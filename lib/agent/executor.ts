// createExecutor: one execution system with two input modes.

import { AbortError } from '../errors/errors.ts';
import { runPlan } from '../process/run.ts';
import type { RunResult } from '../process/types.ts';
import { describeFailure, toEndRecord } from './audit.ts';
import type { Backend } from './backend.ts';
import { BackgroundRuns } from './background.ts';
import { checkOptions } from './check-options.ts';
import type { Background } from './background.ts';
import type { Decision } from './decide.ts';
import { StepError } from './errors.ts';
import { Lifecycle } from './lifecycle.ts';
import type { Approved } from './lifecycle.ts';
import type { ExecutionResult, ExecutorOptions, Outcome } from './options.ts';
import { withSignal } from './plan.ts';
import type { ExecutionPlan } from './plan.ts';
import { requestJsonSchema } from './request-schema.ts';
import type { JsonSchema } from './request-schema.ts';

export interface Executor {
  readonly backend: Backend;
  /**
   * Decides a call without starting it: what would run, as a value that `run` accepts.
   *
   * Rejects with RequestError, with SpawnError when the folder or the program does not exist, and with StepError.
   */
  plan(request: unknown): Promise<ExecutionPlan>;
  /** What the policy says about a plan, before anybody is asked. */
  decide(plan: ExecutionPlan): Decision;
  /**
   * Carries out a request, or a plan of this executor.
   *
   * Resolves when the program has ended: a failing exit code, a signal and a timeout are results. Rejects as `plan`, and
   * with PermissionError (nothing was started), ProgramChangedError, AbortError, StepError, and the core's SpawnError.
   */
  run(request: unknown, options?: { readonly signal?: AbortSignal | undefined }): Promise<ExecutionResult>;
  /** Schema of what `run` accepts on this back end. */
  requestJsonSchema(options?: { readonly flat?: boolean }): JsonSchema;
  readonly background: Background;
  /** Ends every background run that was not asked to outlive the host. */
  close(): Promise<void>;
}

/**
 * Makes an executor. Its policy is checked and copied here.
 *
 * @throws PolicyError, and TypeError for any other option.
 */
export function createExecutor(options: ExecutorOptions): Executor {
  checkOptions(options);
  const lifecycle = new Lifecycle(options);
  const plans = new WeakSet<ExecutionPlan>();
  const background = new BackgroundRuns(lifecycle);

  const plan = async (request: unknown): Promise<ExecutionPlan> => {
    const made = await lifecycle.plan(request);
    plans.add(made);
    return made;
  };

  const run = async (
    request: unknown,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ExecutionResult> => {
    if (signal?.aborted === true) throw new AbortError('the call was aborted before', signal.reason);
    const known = typeof request === 'object' && request !== null && plans.has(request as ExecutionPlan);
    const made = known ? (request as ExecutionPlan) : await lifecycle.plan(request);
    const outcome = await settle(lifecycle, made, signal);
    await callAfter(options, outcome);
    if (outcome.result === undefined) throw outcome.error;
    return outcome.result;
  };

  return Object.freeze({
    backend: lifecycle.backend,
    plan,
    decide: (made: ExecutionPlan) => lifecycle.decide(made),
    run,
    requestJsonSchema: (schema: { readonly flat?: boolean } = {}) =>
      requestJsonSchema({ ...schema, capabilities: lifecycle.backend.capabilities }),
    background,
    close: () => background.close(),
  });
}

interface Settled extends Outcome {
  readonly result?: ExecutionResult;
}

async function settle(lifecycle: Lifecycle, plan: ExecutionPlan, signal: AbortSignal | undefined): Promise<Settled> {
  try {
    const approved = await lifecycle.authorize(plan, signal);
    return { plan, result: await carryOut(lifecycle, approved, signal) };
  } catch (error) {
    return { plan, error };
  }
}

async function carryOut(
  lifecycle: Lifecycle,
  { id, plan, permission }: Approved,
  signal: AbortSignal | undefined,
): Promise<ExecutionResult> {
  let result: RunResult;
  try {
    result = await runPlan(withSignal(plan.command, signal));
  } catch (error) {
    await lifecycle.record({ id, time: new Date().toISOString(), event: 'failure', ...describeFailure(error) });
    throw error;
  }
  await lifecycle.record(toEndRecord({ id, time: new Date().toISOString() }, result), result);
  // Outputs are text: `encoding` is not among the settings, and nothing sends them elsewhere.
  return Object.freeze({ ...(result as RunResult<string, string>), request: plan.request, plan, permission });
}

async function callAfter({ hooks }: ExecutorOptions, outcome: Settled): Promise<void> {
  if (hooks?.after === undefined) return;
  try {
    await hooks.after(outcome);
  } catch (error) {
    throw new StepError('after', error, outcome.result ?? outcome.error);
  }
}
