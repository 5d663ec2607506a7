// What the tests of this layer share: an executor that allows everything unless told otherwise, and both modes of one
// call.

import { createExecutor } from '../../lib/agent.ts';
import type { Executor, ExecutorOptions, Policy } from '../../lib/agent.ts';

export const ALLOW_ALL: Policy = { rules: [], otherwise: 'allow' };

export function makeExecutor(options: Partial<ExecutorOptions> = {}): Executor {
  return createExecutor({ policy: ALLOW_ALL, ...options });
}

export type Mode = 'process' | 'shell';
export const MODES: readonly Mode[] = ['process', 'shell'];

/** The same call in either mode: plain words only, so that both read alike. */
export function inMode(mode: Mode, words: readonly [string, ...string[]], extra: object = {}): object {
  const [program, ...args] = words;
  return mode === 'process' ? { mode, program, args, ...extra } : { command: words.join(' '), ...extra };
}

/** What a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  try {
    await promise;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error('the promise did not reject');
}
