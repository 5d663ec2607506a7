// runSync: the same engine, on the thread that waits for it.

import { createPlan } from '../command/plan.ts';
import type { Argv, Plan, RunSyncOptions } from '../command/types.ts';
import { AbortError } from '../errors/errors.ts';
import { toSpawnError } from '../errors/spawn-message.ts';
import { makeId, startRunSync } from '../native/binding.ts';
import { quoteVisibly } from '../util/describe.ts';
import { toRequest } from './request.ts';
import { checkRequired } from './require.ts';
import { makeExitError, toRunResult } from './result.ts';
import type { ResultOf, RunResult } from './types.ts';

/**
 * `run`, blocking this thread until the program is over. Timeouts, caps and the end of the tree hold all the same: the
 * engine keeps them, on Unix on this very thread.
 *
 * `signal` can only be looked at before the start: nothing aborts it while this thread is blocked. stdin is text, bytes
 * or a file.
 *
 * @throws what `run` rejects with.
 */
export function runSync<const O extends RunSyncOptions = object>(argv: Argv, options?: O): ResultOf<O> {
  return runPlanSync(createPlan('runSync', argv, options, 'borrowed')) as ResultOf<O>; // see run
}

/** Carries out a Plan that was made before. */
export function runPlanSync(plan: Plan): RunResult {
  if (plan.signal?.aborted === true) {
    throw new AbortError(`${quoteVisibly(plan.program)} was not started: aborted before`, plan.signal.reason);
  }
  checkRequired(plan);
  const answer = startRunSync(toRequest(plan, makeId(), 'collect'));
  if (answer.kind === 'failed') throw toSpawnError(answer, plan);
  const result = toRunResult(answer, plan, answer);
  if (plan.check && !result.ok) throw makeExitError(result, plan);
  return result;
}
