// What createExecutor is given, checked before anything is made of it: a hook with a misspelt name must not be silent.

import { z } from 'zod';
import { makeValueError } from '../errors/option-errors.ts';
import { findNearestName } from '../util/nearest-name.ts';
import { formatIssues } from './errors.ts';
import type { ExecutorOptions } from './options.ts';
import { listIssues, mustBe } from './validation.ts';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const aFunction = z.custom((value) => typeof value === 'function', mustBe('a function')).optional();
const withMethod = (name: string): z.ZodType =>
  z
    .custom((value) => isObject(value) && typeof value[name] === 'function', mustBe(`an object with ${name}()`))
    .optional();
const milliseconds = z.number(mustBe('a number of milliseconds')).positive('must be more than 0').optional();

const OPTIONS = z.strictObject({
  policy: z.unknown(),
  ask: aFunction,
  audit: withMethod('record'),
  hooks: z.strictObject({ before: aFunction, after: aFunction }).optional(),
  backend: withMethod('prepare'),
  env: z.unknown().optional(),
  shellEnv: aFunction,
  workdir: z.string(mustBe('a folder')).min(1, 'must not be empty').optional(),
  recoverWorkdir: z.boolean(mustBe('a boolean')).optional(),
  limits: z
    .strictObject({
      stdinBytes: z.number(mustBe('a number of bytes')).int('must be whole').min(0, 'must be 0 or more').optional(),
      timeout: milliseconds,
      maxTimeout: milliseconds,
    })
    .optional(),
  run: z
    .strictObject({
      ...{ maxBuffer: z.unknown(), keep: z.unknown(), onMaxBuffer: z.unknown(), idleTimeout: z.unknown() },
      ...{ killSignal: z.unknown(), forceKillAfter: z.unknown(), lingering: z.unknown(), drainTimeout: z.unknown() },
      ...{ containment: z.unknown(), require: z.unknown() },
    })
    .partial()
    .optional(),
});

const NAMES = [
  OPTIONS,
  OPTIONS.shape.hooks.unwrap(),
  OPTIONS.shape.limits.unwrap(),
  OPTIONS.shape.run.unwrap(),
].flatMap((one) => Object.keys(one.shape));

/** @throws TypeError that names every option at fault. The policy and values of `run` and `env` are checked elsewhere. */
export function checkOptions(options: ExecutorOptions): void {
  const outcome = OPTIONS.safeParse(options);
  if (outcome.success) return;
  const issues = listIssues(outcome.error, (key) => {
    const nearest = findNearestName(key, NAMES);
    return `is not a known option${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
  });
  throw makeValueError('executor options:', formatIssues(issues));
}
