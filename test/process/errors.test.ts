// The errors as objects: fields, guards, and how they look to code that did not import our classes.

import { inspect } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { isAbortError, isExitError, isSpawnError, run, spawn, SpawnError } from '../../lib/index.ts';
import type { Argv, RunOptions } from '../../lib/index.ts';
import { PACKAGE } from '../helpers/host.ts';

const catchError = (argv: Argv, options?: RunOptions): Promise<SpawnError> =>
  run(argv, options).then(
    () => {
      throw new Error('it did not reject');
    },
    (error: unknown) => error as SpawnError,
  );

describe('a SpawnError', () => {
  test('has every field, whatever failed', async () => {
    const errors = [
      await catchError(['/no/such/program', 'a', Buffer.from('b')]),
      await catchError(['no-such-name-anywhere']),
      await catchError(['true'], { cwd: '/no/such/folder' }),
      await catchError(['true', 'x'.repeat(200_000)]),
      await catchError(['true'], { stdin: { file: '/no/such/input' } }),
    ];
    for (const error of errors) {
      expect(error).toBeInstanceOf(SpawnError);
      expect(Object.keys(error).sort()).toEqual(
        ['argv', 'code', 'cwd', 'detail', 'errno', 'index', 'limit', 'name', 'path', 'size', 'stage', 'subject', 'syscall', 'tried'].sort(), // prettier-ignore
      );
      expect(error.message).toContain(`[${error.code}]`);
      expect(error.stack).toContain(error.message);
    }
    expect(errors).toMatchObject([
      {
        code: 'ENOENT',
        stage: 'resolve',
        subject: 'program',
        path: '/no/such/program',
        errno: 2,
        cwd: null,
        index: null,
      },
      { code: 'ENOENT', stage: 'resolve', subject: 'program', path: null },
      { code: 'ENOENT', stage: 'cwd', subject: 'cwd', path: '/no/such/folder', cwd: '/no/such/folder' },
      { code: 'E2BIG', stage: 'limits', subject: 'argv', index: 1, limit: 131_071 },
      { code: 'ENOENT', stage: 'setup', subject: 'stdin', path: '/no/such/input', syscall: 'open' },
    ]);
    expect(errors[0]?.argv).toEqual(['/no/such/program', 'a', Uint8Array.from([98])]);
    expect(errors[1]?.tried.length).toBeGreaterThan(0);
  });

  test('names the stream whose file cannot be opened', async () => {
    for (const subject of ['stdout', 'stderr'] as const) {
      const error = await catchError(['true'], { [subject]: { file: '/no/such/folder/out' } });
      expect(error).toMatchObject({ code: 'ENOENT', stage: 'setup', subject, path: '/no/such/folder/out' });
      expect(error.message).toContain(`${subject} could not be set up: "/no/such/folder/out"`);
    }
  });

  test('shows control characters of names, so that a message is one line', async () => {
    const error = await catchError(['/no/such\r\n\u001b[31mred\u202e']);
    expect(error.message).toBe(
      'Cannot run "/no/such\\r\\n\\u001b[31mred\\u202e": "/no/such\\r\\n\\u001b[31mred\\u202e" does not exist [ENOENT]',
    );
  });

  test('says that a path is too long without numbers where the system has none', async () => {
    const long = `/${'x'.repeat(300)}`;
    for (const [argv, options] of [[[long]], [['x'.repeat(300)]], [['true'], { cwd: long }]] as [Argv, RunOptions?][]) {
      const error = await catchError(argv, options);
      expect(error).toMatchObject({ code: 'ENAMETOOLONG', size: null, limit: null });
      expect(error.message).toMatch(/", or one part of it, is longer than this system allows \[ENAMETOOLONG\]$/);
    }
  });

  test('prints with its fields', async () => {
    expect(inspect(await catchError(['/no/such/program']))).toMatch(/SpawnError: Cannot run[\s\S]*stage: 'resolve'/);
  });
});

describe('require', () => {
  test('refuses a call whose protection would be weaker, and starts nothing', async () => {
    const options = { containment: 'none', require: 'group' } as const;
    await expect(run(['true'], options)).rejects.toMatchObject({ name: 'TypeError', field: 'require' });
    expect(() => spawn(['true'], options)).toThrow(TypeError);
  });

  test('lets a call pass that gets what is asked', async () => {
    expect((await run(['true'], { require: 'group' })).containment.tree).not.toBe('none');
  });
});

describe('guards', () => {
  const guards = { isSpawnError, isExitError, isAbortError };
  const accepted = (value: unknown): string[] =>
    Object.entries(guards).flatMap(([name, guard]) => (guard(value) ? [name] : []));

  test('each knows its own error and no other', async () => {
    expect(accepted(await catchError(['/no/such/program']))).toEqual(['isSpawnError']);
    expect(accepted(await catchError(['false'], { check: true }))).toEqual(['isExitError']);
    expect(accepted(await catchError(['true'], { signal: AbortSignal.abort() }))).toEqual(['isAbortError']);
    expect(accepted(await catchError(['true'], { timeout: -1 }))).toEqual([]);
  });

  test.each([
    undefined,
    null,
    0,
    '',
    'SpawnError',
    {},
    [],
    () => undefined,
    new Error('x'),
    { name: 'SpawnError', code: 'ENOENT' },
  ])('no guard accepts %j', (value) => expect(accepted(value)).toEqual([]));

  test('know errors of another copy of this package', async () => {
    // The compiled package is another copy than the sources that this file imports.
    const other = (await import(PACKAGE)) as typeof import('../../lib/index.ts');
    const error: unknown = await other.run(['/no/such/program']).catch((reason: unknown) => reason);
    expect(error).not.toBeInstanceOf(SpawnError);
    expect(accepted(error)).toEqual(['isSpawnError']);
    expect(other.isExitError(await catchError(['false'], { check: true }))).toBe(true);
  });

  test('survive proxies and objects of another realm', () => {
    const foreign: unknown = runInContext('new Error("SpawnError")', createContext());
    expect(accepted(foreign)).toEqual([]);
    expect(accepted(new Proxy(new Error('x'), {}))).toEqual([]);
  });
});
