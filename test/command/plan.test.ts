// The Plan: everything decided, frozen to the bottom, and the same for the same words.

import { describe, expect, test } from 'vitest';
import { createPlan } from '../../lib/command/plan.ts';
import { runPlan } from '../../lib/process/run.ts';
import { runPlanSync } from '../../lib/process/run-sync.ts';
import { child, readArgs } from '../helpers/child.ts';

const OPTIONS = {
  cwd: '/tmp',
  env: { B: '2', A: '1', PATH: '/usr/bin:/bin' },
  extendEnv: { C: '3', B: undefined },
  stdin: 'text',
  stdout: { file: '/tmp/out', append: true },
  stderr: 'pipe',
  tee: { stderr: '/tmp/tee' },
  maxBuffer: { stdout: 1, stderr: 2 },
  timeout: 1000,
  check: true,
} as const;

/** Objects in `value` that are not frozen, by path. Bytes and live objects cannot be. */
function findThawed(value: unknown, path = 'plan'): string[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  const inside = Object.entries(value).flatMap(([name, one]) => findThawed(one, `${path}.${name}`));
  return Object.isFrozen(value) ? inside : [path, ...inside];
}

test('is frozen to the bottom', () => {
  expect(findThawed(createPlan('run', ['a', 'b', Buffer.from('c')], OPTIONS))).toEqual([]);
  expect(findThawed(createPlan('run', ['a'], {}))).toEqual([]);
  expect(findThawed(createPlan('spawn', ['a'], { stdin: 'pipe', extendEnv: { X: '1' } }))).toEqual([]);
});

test('is the same for the same words, whatever the order they were given in', () => {
  const backwards = Object.fromEntries(Object.entries(OPTIONS).reverse());
  expect(createPlan('run', ['a', 'b'], OPTIONS)).toEqual(createPlan('run', ['a', 'b'], backwards));
});

test('keeps the order of the environment, and what removes comes after what it removes', () => {
  expect(createPlan('run', ['a'], OPTIONS).env).toEqual({
    host: false,
    entries: [['B', '2'], ['A', '1'], ['PATH', '/usr/bin:/bin'], ['C', '3'], ['B', null]], // prettier-ignore
  });
});

describe('what the caller changes afterwards does not reach it', () => {
  test('argv, bytes, env and options', async () => {
    const bytes = Buffer.from('bytes');
    const argv: (string | Uint8Array)[] = child('args', 'first', bytes);
    const env: Record<string, string> = { A: '1' };
    const options = { env, maxBuffer: { stdout: 100, stderr: 100 }, cwd: '/' };
    const plan = createPlan('run', argv, options);
    argv.push('second');
    bytes.fill('x');
    env['A'] = '2';
    env['B'] = '3';
    options.maxBuffer.stdout = 0;
    options.cwd = '/tmp';
    expect(readArgs(String((await runPlan(plan)).stdout)).map(String)).toEqual(['first', 'bytes']);
    expect(plan).toMatchObject({ cwd: '/', maxBuffer: { stdout: 100 }, env: { entries: [['A', '1']] } });
  });

  test('bytes given as stdin', async () => {
    const input = Buffer.from('approved');
    const plan = createPlan('run', ['cat'], { stdin: input });
    input.fill('x');
    expect((await runPlan(plan)).stdout).toBe('approved');
    expect(runPlanSync(plan).stdout).toBe('approved');
  });
});

test('may be run more than once, each time the same', async () => {
  const plan = createPlan('run', child('args', 'a'), { timeout: 10_000 });
  const results = [await runPlan(plan), await runPlan(plan), runPlanSync(plan)];
  for (const { stdout, argv } of results) expect([stdout, argv]).toEqual([results[0]?.stdout, plan.argv]);
});

test('is made without looking for the program or starting anything', () => {
  const plan = createPlan('run', ['no-such-name-anywhere'], {});
  expect(plan).toMatchObject({ program: 'no-such-name-anywhere', file: null, base: null });
});
