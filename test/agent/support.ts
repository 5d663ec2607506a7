// What the tests of this layer share: an executor that allows everything unless told otherwise, and both modes of one
// call.

import { inspect } from 'node:util';
import { createExecutor, preview } from '../../lib/agent.ts';
import type { Executor, ExecutorOptions, Policy } from '../../lib/agent.ts';

export const ALLOW_ALL: Policy = { rules: [], otherwise: 'allow' };

/** Literal stdin of a request; short ones are found anywhere by chance. */
function stdinOf(request: unknown): string | null {
  const { stdin } = (request ?? {}) as { stdin?: unknown };
  return typeof stdin === 'string' && stdin.length >= 8 ? stdin.slice(0, 200) : null;
}

const show = (value: unknown): string =>
  `${inspect(value, { depth: 12 })}\n${JSON.stringify(value)}\n${String((value as Error | null)?.stack)}`;

/**
 * An executor that allows everything unless told otherwise. Whatever suite uses it: the literal stdin of a request is
 * looked for in every plan, preview, question, record and error that comes of it.
 */
export function makeExecutor(options: Partial<ExecutorOptions> = {}): Executor {
  const texts = new Set<string>();
  const look = <T>(value: T): T => {
    const shown = texts.size === 0 ? '' : show(value);
    for (const text of texts) {
      if (shown.includes(text) || shown.includes(JSON.stringify(text).slice(1, -1))) throw new Error('stdin was shown');
    }
    return value;
  };
  const { ask, audit } = options;
  const executor = createExecutor({
    policy: ALLOW_ALL,
    ...options,
    ...(ask === undefined ? {} : { ask: (question) => ask(look(question)) }),
    audit: { record: (entry) => audit?.record(look(entry)) },
  });
  const watch = async <T>(work: Promise<T>, seen: (value: T) => unknown): Promise<T> => {
    const value = await work.catch((error: unknown) => {
      throw look(error);
    });
    look(seen(value));
    return value;
  };
  const note = (request: unknown): void => {
    const text = stdinOf(request);
    if (text !== null) texts.add(text);
  };
  return {
    ...executor,
    plan: (request) => {
      note(request);
      return watch(executor.plan(request), (plan) => [plan, preview(plan)]);
    },
    run: (request, more) => {
      note(request);
      // What the program itself writes is its own word.
      return watch(executor.run(request, more), (result) => ({ ...result, stdout: '', stderr: '' }));
    },
    background: {
      ...bind(executor.background),
      start: (request, more) => {
        note(request);
        return watch(executor.background.start(request, more), (run) => run);
      },
    },
  };
}

/** The methods of an object as functions of their own. */
function bind(background: Executor['background']): Executor['background'] {
  return {
    start: (...args) => background.start(...args),
    status: (...args) => background.status(...args),
    read: (...args) => background.read(...args),
    write: (...args) => background.write(...args),
    stop: (...args) => background.stop(...args),
    list: () => background.list(),
  };
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
