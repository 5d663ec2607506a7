// A start that the kernel does not let go on: a named pipe as stdin that nobody writes to stands for it here, and for a
// program or a folder on a dead network share. It may cost what it holds, and nothing else.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { AbortError, SpawnError, run, runSync, spawn } from '../../lib/index.ts';
import type { RunSyncOptions } from '../../lib/index.ts';
import { catchError } from '../helpers/catch-error.ts';
import { makeFolder } from '../helpers/folder.ts';
import { runHost } from '../helpers/host.ts';
import { letGo, makeNamedPipe } from '../helpers/named-pipe.ts';
import { findByCommand } from '../helpers/processes.ts';

const folder = makeFolder();
const pipes: string[] = [];
let count = 0;

function makePipe(): string {
  const path = makeNamedPipe(join(folder, `pipe-${count++}`));
  pipes.push(path);
  return path;
}

afterEach(() => {
  for (const path of pipes.splice(0)) letGo(path);
});

test('others are started as ever, however many are stuck', async () => {
  const pipe = makePipe();
  const stuck = Array.from({ length: 8 }, () => run(['cat'], { stdin: { file: pipe } }));
  const others = await Promise.all(Array.from({ length: 8 }, (_, i) => run(['echo', String(i)])));
  expect(others.map((one) => one.stdout)).toEqual(['0\n', '1\n', '2\n', '3\n', '4\n', '5\n', '6\n', '7\n']);
  expect(runSync(['echo', 'blocking']).stdout).toBe('blocking\n');
  expect(runSync(['echo', 'bounded'], { timeout: 30_000 }).stdout).toBe('bounded\n');
  letGo(pipe);
  expect((await Promise.all(stuck)).map((one) => one.ok)).toEqual(stuck.map(() => true));
});

describe('it is given up', () => {
  const LIMITED = { timeout: 100 };

  test.each([
    ['run', (file: string) => run(['cat'], { ...LIMITED, stdin: { file } })],
    ['runSync', (file: string) => runSync(['cat'], { ...LIMITED, stdin: { file } })],
    ['spawn', (file: string) => spawn(['cat'], { ...LIMITED, stdin: { file } }).exited],
  ])('after the timeout: %s', async (_name, start) => {
    const error = await catchError(() => start(makePipe()));
    expect(error).toBeInstanceOf(SpawnError);
    expect(error).toMatchObject({ code: 'ETIMEDOUT', stage: 'setup', subject: 'program', errno: null, syscall: null });
    expect((error as Error).message).toContain('its start took longer than the timeout');
  });

  test('when it is aborted', async () => {
    const controller = new AbortController();
    const running = run(['cat'], { stdin: { file: makePipe() }, signal: controller.signal });
    controller.abort('enough');
    expect(await catchError(() => running)).toMatchObject({ name: 'AbortError', cause: 'enough' });
  });

  test('when it is stopped', async () => {
    const running = spawn(['cat'], { stdin: { file: makePipe() } });
    const error = await catchError(() => running.stop('enough'));
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ cause: 'enough' });
    expect(await catchError(() => running.exited)).toBe(error);
  });

  test.each(['tree', 'group', 'none'] as const)('and what it starts after all is ended (%s)', async (containment) => {
    const pipe = makePipe();
    const span = `${7000 + (process.pid % 1000)}.${containment.length}`;
    const files = ['run', 'sync'].map((name) => join(folder, `${containment}-${name}`));
    const [first = '', second = ''] = files;
    const options = (file: string): RunSyncOptions => ({
      ...LIMITED,
      stdin: { file: pipe },
      stdout: { file },
      containment,
    });
    expect(await catchError(() => run(['sleep', span], options(first)))).toMatchObject({ code: 'ETIMEDOUT' });
    expect(await catchError(() => runSync(['sleep', span], options(second)))).toMatchObject({ code: 'ETIMEDOUT' });
    letGo(pipe);
    // These are made after stdin has been opened. Once others have been started behind them, so have they.
    await expect.poll(() => files.every((file) => existsSync(file))).toBe(true);
    for (let i = 0; i < 20; i++) await run(['true']);
    await expect.poll(() => findByCommand(span), { timeout: 20_000 }).toEqual([]);
  });
});

test('the first start of a process is bounded as any other', async () => {
  const end = await runHost(`
    const stdin = { file: ${JSON.stringify(makePipe())} };
    console.log(await run(['cat'], { stdin, timeout: 50 }).catch(({ code }) => code));`);
  expect([end.stderr, end.stdout]).toEqual(['', 'ETIMEDOUT\n']);
});

test('it holds up the exit of the host for a moment at most', async () => {
  const file = makePipe();
  const end = await runHost(`
    void run(['cat'], { stdin: { file: ${JSON.stringify(file)} } });
    await run(['true']);
    process.on('exit', () => console.log('over'));
    process.exit(3);`);
  expect(end).toMatchObject({ code: 3, stdout: 'over\n', stderr: '' });
});
