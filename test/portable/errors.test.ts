// Why nothing was started, on every system.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SpawnError, resolveProgram, run, runSync, spawn } from '../../lib/index.ts';
import type { Argv, RunOptions } from '../../lib/index.ts';
import { CHILD, child, fromHexLines } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';

const folder = makeFolder();

/** The error of a start, which must be the same through every function. */
async function failureOf(argv: Argv, options: RunOptions = {}): Promise<SpawnError> {
  const first: unknown = await run(argv, options).catch((error: unknown) => error);
  const second: unknown = await spawn(argv, options).exited.catch((error: unknown) => error);
  let third: unknown;
  try {
    third = runSync(argv, options);
  } catch (error) {
    third = error;
  }
  for (const error of [first, second, third]) {
    expect(error).toBeInstanceOf(SpawnError);
    expect((error as SpawnError).message).toBe((first as SpawnError).message);
  }
  return first as SpawnError;
}

test('a missing program is named, by path and by name', async () => {
  const path = join(folder, 'no', 'such-program');
  expect(await failureOf([path])).toMatchObject({ code: 'ENOENT', subject: 'program' });
  const error = await failureOf(['no-such-program-anywhere']);
  expect(error).toMatchObject({ code: 'ENOENT', stage: 'resolve', subject: 'program', path: null });
  expect(error.tried.length).toBeGreaterThan(0);
});

test('without a PATH a bare name is not found, and a whole path works', async () => {
  expect(await failureOf(['child'], { env: {} })).toMatchObject({ code: 'ENOENT', detail: 'no-path' });
  expect((await run(child('exit', '3'), { env: {} })).code).toBe(3);
});

test('a missing working directory is named, with the part that is missing', async () => {
  const cwd = join(folder, 'no', 'such');
  const error = await failureOf(child('cwd'), { cwd });
  expect(error).toMatchObject({ code: 'ENOENT', stage: 'cwd', subject: 'cwd', path: cwd, detail: join(folder, 'no') });
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(await failureOf(child('cwd'), { cwd: file })).toMatchObject({ code: 'ENOTDIR', stage: 'cwd' });
});

test('the working directory arrives', async () => {
  const shown = fromHexLines((await run(child('cwd'), { cwd: folder })).stdout).map(String);
  expect(shown).toEqual([folder]);
});

test('an argument that is too long is named with its size and the limit', async () => {
  const error = await failureOf([CHILD, 'a', 'x'.repeat(146_000)]);
  expect(error).toMatchObject({ code: 'E2BIG', stage: 'limits', subject: 'argv', index: 2, size: 146_000 });
  expect(error.limit).toBe(process.platform === 'win32' ? 32_766 : 131_071);
  expect(error.message).toContain('argument 2 has 146,000');
});

test('many arguments that are too long together are an error with both numbers', async () => {
  const error = await failureOf([CHILD, ...Array<string>(60_000).fill('y'.repeat(140))]);
  expect(error).toMatchObject({ code: 'E2BIG', subject: 'total' });
  expect(error.size).toBeGreaterThan(error.limit ?? Infinity);
});

test('a folder is not a program', async () => {
  expect((await failureOf([folder])).code).toBe('EACCES');
});

test('a file that is no program is told apart from a missing one', async () => {
  const file = join(folder, 'text.exe');
  writeFileSync(file, 'this is no program', { mode: 0o755 });
  expect((await failureOf([file])).code).toBe('ENOEXEC');
});

test('resolveProgram finds what would run', async () => {
  expect(await resolveProgram(CHILD)).toEqual({ name: CHILD, path: CHILD });
  await expect(resolveProgram('no-such-program-anywhere')).rejects.toMatchObject({ code: 'ENOENT' });
});
