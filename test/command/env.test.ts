// env and extendEnv: what the child gets, and what is refused with the name of the variable.

import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import type { RunOptions } from '../../lib/index.ts';
import { createPlan } from '../../lib/command/plan.ts';
import { CHILD, child, fromHexLines } from '../helpers/child.ts';
import { PACKAGE } from '../helpers/host.ts';

const show = async ({ env, extendEnv }: RunOptions): Promise<string[]> =>
  fromHexLines((await run(child('env'), { env, extendEnv })).stdout).map(String);

describe('env is complete, extendEnv goes on top', () => {
  test.each<[string, RunOptions, string[]]>([
    ['additions replace in place', { env: { A: '1', B: '2' }, extendEnv: { A: '3', C: '4' } }, ['A=3', 'B=2', 'C=4']],
    ['undefined removes', { env: { A: '1', B: '2' }, extendEnv: { A: undefined } }, ['B=2']],
    ['undefined leaves out', { env: { A: undefined, B: '2' } }, ['B=2']],
    ['removing what is not there is nothing', { env: {}, extendEnv: { A: undefined } }, []],
    ['an empty value is a value', { env: {}, extendEnv: { A: '' } }, ['A=']],
    ['names differ by case', { env: { a: '1', A: '2' } }, ['a=1', 'A=2']],
    ['inherited properties are none', { env: Object.create({ A: '1' }) as Record<string, string> }, []],
    ['an object without prototype is one', { env: Object.assign(Object.create(null), { A: '1' }) as Record<string, string> }, ['A=1']], // prettier-ignore
    ['a name that means something to JavaScript', { env: { ['__proto__']: '1', constructor: '2' } }, ['__proto__=1', 'constructor=2']], // prettier-ignore
  ])('%s', async (_name, options, expected) => {
    expect((await show(options)).sort()).toEqual(expected.sort());
  });

  test('of a worker is the environment of that worker', async () => {
    const script = `
      const { workerData, parentPort } = require('node:worker_threads');
      process.env.ONLY_HERE = 'set in the worker';
      import(workerData.package).then(async ({ run, runSync }) => {
        const argv = [workerData.child, 'env'];
        parentPort.postMessage([(await run(argv)).stdout, runSync(argv).stdout]);
      });`;
    const outputs = await new Promise<string[]>((resolve, reject) => {
      const worker = new Worker(script, {
        eval: true,
        workerData: { package: PACKAGE, child: CHILD },
        env: { FROM: 'its creator' },
      });
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    for (const output of outputs) {
      expect(fromHexLines(output).map(String).sort()).toEqual(['FROM=its creator', 'ONLY_HERE=set in the worker']);
    }
    expect(process.env['ONLY_HERE']).toBe(undefined);
  });
});

describe('refused, by name', () => {
  test.each(['env', 'extendEnv'] as const)('in %s', async (field) => {
    const rows: [unknown, string, string, number?][] = [
      [{ OK: '1', 'A=B': 'x' }, `${field}["A=B"]`, 'ERR_INVALID_ARG_VALUE'],
      [{ '=C:': 'x' }, `${field}["=C:"]`, 'ERR_INVALID_ARG_VALUE'],
      [{ '': 'x' }, field, 'ERR_INVALID_ARG_VALUE'],
      [{ 'A\0B': 'x' }, `name of ${field}["A\\u0000B"]`, 'ERR_INVALID_ARG_VALUE', 1],
      [{ '\ud800': 'x' }, `name of ${field}["\\ud800"]`, 'ERR_INVALID_ARG_VALUE', 0],
      [{ OK: '1', A: 'xy\0' }, `${field}.A`, 'ERR_INVALID_ARG_VALUE', 2],
      [{ A: 'x\udc00' }, `${field}.A`, 'ERR_INVALID_ARG_VALUE', 1],
      [{ A: 1 }, `${field}.A`, 'ERR_INVALID_ARG_TYPE'],
      [{ A: true }, `${field}.A`, 'ERR_INVALID_ARG_TYPE'],
      [{ A: null }, `${field}.A`, 'ERR_INVALID_ARG_TYPE'],
      [{ A: ['x'] }, `${field}.A`, 'ERR_INVALID_ARG_TYPE'],
      [null, field, 'ERR_INVALID_ARG_TYPE'],
      ['A=1', field, 'ERR_INVALID_ARG_TYPE'],
      [['A=1'], field, 'ERR_INVALID_ARG_TYPE'],
      // Each of these would be an empty environment if only its own properties were looked at.
      [new Map([['A', '1']]), field, 'ERR_INVALID_ARG_TYPE'],
      [new URLSearchParams('A=1'), field, 'ERR_INVALID_ARG_TYPE'],
      [Promise.resolve({ A: '1' }), field, 'ERR_INVALID_ARG_TYPE'],
    ];
    for (const [value, name, code, offset] of rows) {
      const expected = { name: 'TypeError', field: name, code, ...(offset === undefined ? {} : { offset }) };
      await expect(run(['true'], { [field]: value })).rejects.toMatchObject(expected);
    }
  });

  test('a variable that only removes must have a good name too', async () => {
    await expect(run(['true'], { extendEnv: { 'A=B': undefined } })).rejects.toMatchObject({
      field: 'extendEnv["A=B"]',
    });
  });
});

test('an environment of process.env, spread or whole, is the same one', () => {
  expect(createPlan('run', ['a'], { env: process.env }).env).toEqual(
    createPlan('run', ['a'], { env: { ...process.env } }).env,
  );
});
