// resolveProgram: the lookup that starting uses, alone; and platform, which says what protects calls.

import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { platform, resolveProgram, run } from '../../lib/index.ts';
import { makeFolder, writeProgram } from '../helpers/folder.ts';
import { runHost } from '../helpers/host.ts';

const folder = makeFolder();
const tool = writeProgram(folder, 'tool', '#!/bin/sh\necho "$0"\n');
const second = join(folder, 'second');
mkdirSync(second);
writeProgram(second, 'tool', '#!/bin/sh\n');
chmodSync(writeProgram(folder, 'plain', 'not a program'), 0o644);
mkdirSync(join(folder, 'directory'));
symlinkSync(tool, join(folder, 'link'));

describe('what is found', () => {
  const env = { PATH: `relative:${folder}/missing::${folder}:${second}` };

  test('a bare name, in the first folder of PATH that has it', async () => {
    expect(await resolveProgram('tool', { env })).toEqual({ name: 'tool', path: tool });
  });

  test('is what run runs', async () => {
    for (const name of ['tool', 'link']) {
      const { path } = await resolveProgram(name, { env });
      expect((await run([name], { env })).program).toBe(path);
    }
    const { path } = await resolveProgram('sh');
    expect((await run(['sh', '-c', ':'])).program).toBe(path);
  });

  test('an absolute path, itself; links are not followed', async () => {
    expect((await resolveProgram(tool)).path).toBe(tool);
    expect((await resolveProgram(join(folder, 'link'))).path).toBe(join(folder, 'link'));
  });

  test('a path with a slash, from the folder given or the host', async () => {
    expect((await resolveProgram('./tool', { cwd: folder })).path).toBe(`${folder}/./tool`);
    expect((await resolveProgram('second/tool', { cwd: pathToFileURL(folder) })).path).toBe(join(second, 'tool'));
    await expect(resolveProgram('./tool')).rejects.toMatchObject({ code: 'ENOENT', stage: 'resolve' });
  });

  test('is frozen', async () => {
    expect(Object.isFrozen(await resolveProgram('sh'))).toBe(true);
  });
});

describe('what is not found', () => {
  test('says where it was looked for, and what was there instead', async () => {
    const PATH = `:relative:${folder}`;
    await expect(resolveProgram('nothing', { env: { PATH } })).rejects.toMatchObject({
      ...{ name: 'SpawnError', code: 'ENOENT', stage: 'resolve', subject: 'program', argv: ['nothing'] },
      message:
        'Cannot run "nothing": not found in PATH (1 folder of PATH searched, 2 empty or relative entries skipped) [ENOENT]',
    });
    await expect(resolveProgram('plain', { env: { PATH } })).rejects.toMatchObject({ code: 'EACCES' });
    await expect(resolveProgram('directory', { env: { PATH } })).rejects.toThrow('is a directory');
    await expect(resolveProgram('tool', { env: {} })).rejects.toMatchObject({ detail: 'no-path' });
  });

  test.each([
    ['', 'argv[0]'],
    ['a\0b', 'argv[0]'],
    [1, 'argv[0]'],
    [undefined, 'argv[0]'],
  ])('the name %j is refused before', async (name, field) => {
    await expect(resolveProgram(name as string)).rejects.toMatchObject({ name: 'TypeError', field });
  });

  test.each([
    [{ cwd: 1 }, 'cwd', 'ERR_INVALID_ARG_TYPE'],
    [{ env: 'PATH=/bin' }, 'env', 'ERR_INVALID_ARG_TYPE'],
    [{ path: '/bin' }, 'path', 'ERR_UNKNOWN_OPTION'],
    // Options of run that would be ignored here: a lookup that ignores one is another lookup.
    [{ extendEnv: { PATH: '/bin' } }, 'extendEnv', 'ERR_UNKNOWN_OPTION'],
    [{ timeout: 1 }, 'timeout', 'ERR_UNKNOWN_OPTION'],
  ])('the options %j are refused by name', async (options, field, code) => {
    await expect(resolveProgram('sh', options as object)).rejects.toMatchObject({ name: 'TypeError', field, code });
  });
});

describe('platform', () => {
  test('says what a call then gets', async () => {
    const { containment } = await run(['true']);
    expect([platform.tree, platform.parentDeath]).toEqual([containment.tree, containment.parentDeath]);
    expect(['tree', 'group', 'none']).toContain(platform.tree);
    expect(['keeper', 'job', 'exit-hook', 'none']).toContain(platform.parentDeath);
  });

  test('names the system and the engine, and cannot be written', () => {
    expect(platform.os).toBe(process.platform);
    expect(platform.engine).not.toBe('');
    expect([typeof platform.libc, typeof platform.pidfd, typeof platform.closeFrom]).toEqual([
      'string',
      'boolean',
      'boolean',
    ]);
    expect(Object.isFrozen(platform)).toBe(true);
  });

  test('can be spread and printed as plain data', async () => {
    const end = await runHost(
      `console.log(JSON.stringify(platform) === JSON.stringify({ ...platform }), Object.keys(platform).length);`,
    );
    expect(end.stdout).toBe('true 9\n');
  });
});
