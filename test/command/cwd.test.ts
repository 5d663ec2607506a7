// cwd and the other options that name files: strings and file URLs, absolute before anything starts.

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { run, runSync, spawn } from '../../lib/index.ts';
import type { RunOptions } from '../../lib/index.ts';
import { createPlan } from '../../lib/command/plan.ts';
import { child, fromHexLines } from '../helpers/child.ts';
import { makeFolder, writeProgram } from '../helpers/folder.ts';
import { runHost } from '../helpers/host.ts';

const folder = makeFolder();
const inner = join(folder, 'a b %41 é#?');
mkdirSync(inner);
symlinkSync(inner, join(folder, 'link'));
writeProgram(folder, 'file', '');

const show = async (cwd: string | URL): Promise<string | undefined> =>
  fromHexLines((await run(child('cwd'), { cwd })).stdout).map(String)[0];

test('a string and a file URL name the same folder, whatever characters it has', async () => {
  expect(await show(inner)).toBe(inner);
  expect(await show(pathToFileURL(inner))).toBe(inner);
  expect(await show(join(folder, 'link'))).toBe(inner);
  expect(await show(`${inner}/`)).toBe(inner);
});

test('nothing given is the folder of the host, as it is at the start', async () => {
  const end = await runHost(`
    process.chdir('/usr');
    const before = (await run(['pwd'])).stdout;
    process.chdir('/');
    console.log(before + runSync(['pwd']).stdout + (await run(['pwd'], { cwd: 'usr' })).stdout);`);
  expect(end.stdout.trim().split('\n')).toEqual(['/usr', '/', '/usr']);
});

test('a result carries the absolute folder that was asked for, or null', async () => {
  expect((await run(['true'], { cwd: '.' })).cwd).toBe(process.cwd());
  expect((await run(['true'])).cwd).toBe(null);
});

describe('a folder that cannot be used', () => {
  test.each([
    ['missing', join(folder, 'missing'), 'ENOENT'],
    ['a file', join(folder, 'file'), 'ENOTDIR'],
    ['below a file', join(folder, 'file/below'), 'ENOTDIR'],
    ['too long', `/${'x'.repeat(5000)}`, 'ENAMETOOLONG'],
  ])('%s: the same SpawnError from all, and nothing starts', async (_name, cwd, code) => {
    const expected = expect.objectContaining({ name: 'SpawnError', stage: 'cwd', subject: 'cwd', code, path: cwd });
    await expect(run(['true'], { cwd })).rejects.toEqual(expected);
    expect(() => runSync(['true'], { cwd })).toThrow(expected as Error);
    await expect(spawn(['true'], { cwd }).spawned).rejects.toEqual(expected);
  });
});

describe('a wrong value is named', () => {
  const fields: [string, (value: unknown) => object][] = [
    ['cwd', (cwd) => ({ cwd })],
    ['stdin.file', (file) => ({ stdin: { file } })],
    ['stdout.file', (file) => ({ stdout: { file } })],
    ['stderr.file', (file) => ({ stderr: { file } })],
    ['tee.stdout', (stdout) => ({ tee: { stdout } })],
  ];
  test.each(fields)('%s', async (field, make) => {
    const rows: [unknown, string][] = [
      [1, 'ERR_INVALID_ARG_TYPE'],
      [null, 'ERR_INVALID_ARG_TYPE'],
      [{}, 'ERR_INVALID_ARG_TYPE'],
      [Buffer.from('/tmp'), 'ERR_INVALID_ARG_TYPE'],
      ['', 'ERR_INVALID_ARG_VALUE'],
      ['/tmp\0', 'ERR_INVALID_ARG_VALUE'],
      ['/\ud800', 'ERR_INVALID_ARG_VALUE'],
      [new URL('https://example.com/tmp'), 'ERR_INVALID_ARG_VALUE'],
      [new URL('file:///a%00b'), 'ERR_INVALID_ARG_VALUE'],
      [new URL('file:///a%2Fb'), 'ERR_INVALID_ARG_VALUE'],
      [new URL('file://host/share'), 'ERR_INVALID_ARG_VALUE'],
    ];
    for (const [value, code] of rows) {
      await expect(run(['true'], make(value) as RunOptions)).rejects.toMatchObject({ name: 'TypeError', code, field });
    }
  });
});

test('files of the options start at the folder of the host, not at cwd', () => {
  const plan = createPlan('run', ['a'], { cwd: '/usr', stdin: { file: 'in' }, stdout: { file: 'out' } });
  expect(plan.stdin).toEqual({ kind: 'file', path: join(process.cwd(), 'in') });
  expect(plan.stdout).toEqual({ kind: 'file', path: join(process.cwd(), 'out'), append: false });
});
