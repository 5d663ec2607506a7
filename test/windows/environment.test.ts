// The environment: names without case, sorted, with a small baseline. F-71, F-72, F-79.

import { describe, expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import type { RunOptions } from '../../lib/index.ts';
import { child, fromHexLines } from '../helpers/child.ts';

const show = async (options: RunOptions): Promise<string[]> =>
  fromHexLines(String((await run(child('env'), options)).stdout))
    .map(String)
    .filter((entry) => !entry.startsWith('WINE'));
const BASELINE = ['SystemDrive', 'SystemRoot', 'windir'];

test('a complete environment gets the baseline, and nothing else', async () => {
  const names = (await show({ env: { Zeta: '1', alpha: '2' } })).map((entry) => entry.split('=')[0]);
  expect(names).toEqual(['alpha', ...BASELINE, 'Zeta'].sort((a, b) => (a.toUpperCase() < b.toUpperCase() ? -1 : 1)));
});

test('without the baseline when that is said', async () => {
  const env = { A: '1', SYSTEMROOT: undefined, systemdrive: undefined, windir: undefined };
  const shown = await show({ env });
  expect(shown).toContain('A=1');
  expect(shown.filter((entry) => /^systemroot=/i.test(entry) && !entry.startsWith('SYSTEMROOT='))).toEqual([]);
});

test("a name that is given replaces the baseline's, whatever its case", async () => {
  const shown = await show({ env: { SYSTEMROOT: process.env['SystemRoot'] ?? '', WINDIR: 'C:\\w' } });
  expect(shown.filter((entry) => /^(systemroot|windir)=/i.test(entry)).map((entry) => entry.split('=')[0])).toEqual([
    'SYSTEMROOT',
    'WINDIR',
  ]);
});

describe('of names that differ in case only the last one counts', () => {
  test('in a complete environment', async () => {
    const shown = await show({ env: { Foo: '1', FOO: '2', foo: '3' } });
    expect(shown.filter((entry) => /^foo=/i.test(entry))).toEqual(['foo=3']);
  });

  test("on top of the host's", async () => {
    process.env['ArgvSpawnCase'] = 'host';
    try {
      const shown = await show({ extendEnv: { ARGVSPAWNCASE: 'ours' } });
      expect(shown.filter((entry) => /^argvspawncase=/i.test(entry))).toEqual(['ARGVSPAWNCASE=ours']);
      const removed = await show({ extendEnv: { argvspawncase: undefined } });
      expect(removed.filter((entry) => /^argvspawncase=/i.test(entry))).toEqual([]);
    } finally {
      delete process.env['ArgvSpawnCase'];
    }
  });

  test('letters beyond ASCII too', async () => {
    const shown = await show({ env: { 'é': '1', 'É': '2' } });
    expect(shown.filter((entry) => /^é=/i.test(entry))).toEqual(['É=2']);
  });
});

test('values are what was given', async () => {
  const env = { EMPTY: '', EQUALS: 'a=b', UNICODE: 'é中😀', LINES: 'a\nb', 'odd name': '"x" %PATH%' };
  const shown = await show({ env });
  for (const [name, value] of Object.entries(env)) expect(shown).toContain(`${name}=${value}`);
});

describe('exit codes are unsigned, and known status values have names', () => {
  test.each([
    [0xc000013a, 'STATUS_CONTROL_C_EXIT'],
    [0xc0000005, 'STATUS_ACCESS_VIOLATION'],
    [0xffffffff, null],
    [259, null],
    [0x80000000, null],
  ])('%d', async (code, name) => {
    const result = await run(child('exit', `0x${code.toString(16)}`));
    expect([result.code, result.ntStatus, result.reason]).toEqual([code, name, 'exit']);
  });
});
