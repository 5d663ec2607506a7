// What makes a step the same step as one in the journal. Equal keys mean that the recorded result may be given.

import { createHash } from 'node:crypto';
import type { Env, Plan } from '../command/types.ts';
import type { Prepared } from './prepare.ts';
import { describeIdentity } from './program-file.ts';
import { formatPosition } from './scopes.ts';
import type { Position } from './scopes.ts';

const digest = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function describeInput(plan: Plan): string | null {
  return plan.stdin.kind === 'data' ? digest(plan.stdin.data) : null;
}

/** Variables that were chosen for the step, as opposed to the host's. */
function describeEnv(chosen: Env): unknown {
  return Object.entries(chosen)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, value ?? null]);
}

/**
 * @param chosen - the workflow's `env`, when it has one, with the step's on top.
 * `timeout` is not part of it: a result that it shaped is never recorded.
 */
export function makeKey(position: Position, prepared: Prepared, chosen: Env, check: boolean): string {
  const { plan, program, programs } = prepared;
  const facts = [
    formatPosition(position),
    plan.argv.map((one) => (typeof one === 'string' ? one : { hex: Buffer.from(one).toString('hex') })),
    [program, ...programs].map((one) => [one.realPath, describeIdentity(one.identity)]),
    plan.cwd,
    describeEnv(chosen),
    describeInput(plan),
    [plan.encoding, plan.maxBuffer.stdout, plan.maxBuffer.stderr, check],
  ];
  // Infinity has no JSON form of its own.
  return digest(JSON.stringify(facts, (_, value: unknown) => (value === Infinity ? 'Infinity' : value)));
}
