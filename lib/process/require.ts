// The `require` option: refuses a call whose protection would be weaker than asked, before anything is started.

import { isAtLeast } from '../command/options.ts';
import type { Containment, Plan } from '../command/types.ts';
import { makeFailure, toSpawnError } from '../errors/spawn-message.ts';
import { getFeatures } from '../native/binding.ts';
import { getBuiltin } from '../util/builtin.ts';

/** What this call would get, and why it is not more. */
function predictContainment(plan: Plan): { readonly tree: Containment; readonly why: string } {
  // A job has room for a program on our console; a session has not.
  const needsOurSession =
    getFeatures().os !== 'win32' && plan.stdin.kind === 'inherit' && getBuiltin('node:tty').isatty(0);
  if (needsOurSession) {
    return { tree: 'none', why: 'a program that reads the terminal stays in its session' };
  }
  const { tree: offered, keeper, keeperProblem } = getFeatures();
  const where = keeper === null ? '' : `: ${keeper}`;
  const why = keeperProblem === null ? 'this system offers no more' : `no keeper (${keeperProblem})${where}`;
  return { tree: isAtLeast(offered, plan.containment) ? plan.containment : offered, why };
}

/** @throws SpawnError with stage `containment` and code `ERR_CONTAINMENT`. */
export function checkRequired(plan: Plan): void {
  if (plan.require === null) return;
  const { tree, why } = predictContainment(plan);
  if (isAtLeast(tree, plan.require)) return;
  const detail = `containment '${plan.require}' is required and only '${tree}' can be had: ${why}`;
  throw toSpawnError(makeFailure({ stage: 'containment', code: 'ERR_CONTAINMENT', subject: 'host', detail }), plan);
}
