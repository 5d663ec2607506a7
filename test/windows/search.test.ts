// Which file runs: PATH of the child and nothing else, and never a batch file. F-66, F-69, F-70.

import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveProgram, run } from '../../lib/index.ts';
import type { RunOptions } from '../../lib/index.ts';
import { CHILD } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';

const folder = makeFolder();
const bin = join(folder, 'bin dir');
const planted = join(folder, 'planted');
mkdirSync(bin);
mkdirSync(planted);
const marker = join(folder, 'it-ran');
const BATCH = `@echo ran>"${marker}"\r\n`;

describe('batch files are refused, and nothing runs', () => {
  for (const name of ['a.bat', 'a.cmd', 'only-batch.cmd']) writeFileSync(join(bin, name), BATCH);
  const options: RunOptions = { cwd: folder, extendEnv: { PATH: bin } };

  test.each([
    join(bin, 'a.bat'),
    join(bin, 'a.BAT.'),
    join(bin, 'a.cmd . '),
    join(bin, 'a.bat::$DATA'),
    'bin dir\\a.bat',
    './bin dir/a.cmd',
    'bin dir/a',
    'a.bat',
    'a',
    'only-batch',
    'ONLY-BATCH.CMD',
    `\\\\?\\${join(bin, 'a.bat')}`,
  ])('%s', async (name) => {
    const error: unknown = await run([name, 'x'], options).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'ERR_BATCH_REFUSED', stage: 'batch', subject: 'program', errno: null });
    expect((error as Error).message).toMatch(/\.(bat|cmd)/i);
    expect(existsSync(marker)).toBe(false);
  });

  test('also when it is hidden in resolveProgram, and with shims resolved', async () => {
    await expect(resolveProgram('only-batch', { env: { PATH: bin } })).rejects.toMatchObject({ stage: 'batch' });
    await expect(run(['only-batch'], { ...options, windowsShims: 'resolve' })).rejects.toMatchObject({
      stage: 'batch',
    });
    expect(existsSync(marker)).toBe(false);
  });

  test('another stream of a program is refused too', async () => {
    const error: unknown = await run([`${CHILD}:stream`]).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'EINVAL', stage: 'resolve', detail: 'alternate-stream' });
  });
});

describe('a planted program never runs', () => {
  for (const name of ['tool.exe', 'cmd.exe', 'node.exe', 'planted.exe']) copyFileSync(CHILD, join(planted, name));
  writeFileSync(join(planted, 'tool.cmd'), BATCH);
  copyFileSync(CHILD, join(bin, 'tool.exe'));

  test("not from the child's folder", async () => {
    const result = await run(['tool', 'exit', '4'], { cwd: planted, extendEnv: { PATH: bin } });
    expect([result.code, result.program]).toEqual([4, join(bin, 'tool.exe')]);
    for (const name of ['cmd', 'cmd.exe', 'node', 'planted', 'planted.exe']) {
      await expect(run([name], { cwd: planted, extendEnv: { PATH: bin } })).rejects.toMatchObject({ code: 'ENOENT' });
    }
  });

  test("not from the host's folder, nor from that of the host's own program", async () => {
    const before = process.cwd();
    process.chdir(planted);
    try {
      for (const name of ['planted', 'cmd', 'node']) {
        await expect(run([name], { extendEnv: { PATH: `;.;;"";${bin}` } })).rejects.toMatchObject({ code: 'ENOENT' });
      }
    } finally {
      process.chdir(before);
    }
  });
});

describe('strange values of PATH', () => {
  const find = async (PATH: string): Promise<string> => (await resolveProgram('tool', { env: { PATH } })).path;

  test('quotes, empty and relative entries, both slashes, and a missing folder', async () => {
    const expected = join(bin, 'tool.exe');
    expect(await find(`"${bin}"`)).toBe(expected);
    expect(await find(`;;.;;C:\\no such folder;${bin};`)).toBe(expected);
    expect(await find(`${bin}\\`)).toBe(expected);
    expect(await find(bin.replaceAll('\\', '/'))).toBe(expected);
  });

  test('are told in the error', async () => {
    const error: unknown = await run(['nothing'], { extendEnv: { PATH: ';.;relative;";";' } }).catch((e: unknown) => e);
    const { tried } = error as { tried: { path: string; code: string }[] };
    expect(tried.map((one) => one.code)).toEqual(['EMPTY', 'RELATIVE', 'RELATIVE', 'RELATIVE', 'EMPTY']);
  });

  test('the PATH that counts is the last one given, whatever its case', async () => {
    const result = await run(['tool', 'exit', '4'], { env: { PATH: 'C:\\nowhere', Path: bin } });
    expect(result.code).toBe(4);
  });

  test('a name with another extension, and an extension in capitals', async () => {
    copyFileSync(CHILD, join(bin, 'name.v2.exe'));
    copyFileSync(CHILD, join(bin, 'UPPER.EXE'));
    const options: RunOptions = { extendEnv: { PATH: bin } };
    expect((await run(['name.v2', 'exit', '3'], options)).code).toBe(3);
    expect((await run(['upper', 'exit', '3'], options)).code).toBe(3);
  });
});

const ALIASES = join(process.env['LOCALAPPDATA'] ?? '', 'Microsoft', 'WindowsApps');
const aliases = existsSync(ALIASES) ? readdirSync(ALIASES).filter((name) => name.endsWith('.exe')) : [];
if (aliases.length === 0) console.log('App Execution Aliases: none on this system, not tested');
else {
  test('App Execution Aliases are found, though nobody can open them', async () => {
    for (const name of aliases) {
      const found = await resolveProgram(name, { env: { PATH: ALIASES } });
      expect(found.path.toLowerCase()).toBe(join(ALIASES, name).toLowerCase());
    }
  });
}

test('spaces in the program and in an argument together', async () => {
  const { stdout } = await run([join(bin, 'tool.exe'), 'args', 'arg one']);
  expect(Buffer.from(stdout.trim().split('\n').at(-1) ?? '', 'hex').toString()).toBe('arg one');
});

test('a program and a folder past 260 characters work, or their length is named', async () => {
  const deep = join(folder, ...Array<string>(6).fill('d'.repeat(50)));
  mkdirSync(deep, { recursive: true });
  const program = join(deep, 'deep-tool.exe');
  copyFileSync(CHILD, program);
  const ran: unknown = await run([program, 'exit', '3']).then(
    (result) => result.code,
    (error: unknown) => error,
  );
  if (ran !== 3) expect(ran).toMatchObject({ code: 'ENAMETOOLONG', stage: 'exec', size: program.length, limit: 259 });
  const outcome: unknown = await run([CHILD, 'exit', '5'], { cwd: deep }).then(
    (result) => result.code,
    (error: unknown) => error,
  );
  console.log(
    ran === 3 ? 'the program ran' : 'its length was named',
    outcome === 5 ? 'the folder worked' : 'its length was named',
  );
  if (outcome !== 5)
    expect(outcome).toMatchObject({ code: 'ENAMETOOLONG', stage: 'cwd', size: deep.length, limit: 258 });
});
