// The environment: names without case, sorted, with a small baseline. F-71, F-72, F-79.

import { describe, expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import type { RunOptions } from '../../lib/index.ts';
import { child, fromHexLines } from '../helpers/child.ts';

const show = async (options: RunOptions): Promise<string[]> =>
  fromHexLines(String((await run(child('env'), options)).stdout))
    .map(String)
    .filter((entry) => !entry.startsWith('WINE'));
/** Wine puts its own SystemRoot and SystemDrive at the end of every environment, whatever was given. */
const isWines = (name: string): boolean => /^system(root|drive)$/i.test(name);
const namesOf = (entries: readonly string[]): string[] => entries.map((entry) => entry.slice(0, entry.indexOf('=', 1)));

test('a complete environment gets the baseline, and nothing else, in the order of names', async () => {
  const names = namesOf(await show({ env: { Zeta: '1', alpha: '2' } }));
  expect([...names].sort()).toEqual(['SystemDrive', 'SystemRoot', 'Zeta', 'alpha', 'windir']);
  expect(names.filter((name) => !isWines(name))).toEqual(['alpha', 'windir', 'Zeta']);
});

test('without the baseline when that is said', async () => {
  const names = namesOf(
    await show({ env: { A: '1', SYSTEMROOT: undefined, systemdrive: undefined, WINDIR: undefined } }),
  );
  expect(names.filter((name) => !isWines(name))).toEqual(['A']);
});

test("a name that is given replaces the baseline's, whatever its case", async () => {
  const shown = await show({ env: { WINDIR: 'C:\\w' } });
  expect(shown.filter((entry) => /^windir=/i.test(entry))).toEqual(['WINDIR=C:\\w']);
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
    const shown = await show({ env: { é: '1', É: '2' } });
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
