// However the host dies, its trees die with it: no code of the host is needed for that.
//
// ARGV_SPAWN_HOSTS sets how many hosts with 20 trees of 50 are killed; scripts/tree-soak.mjs runs the full count.

import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { run, spawn } from '../../lib/index.ts';
import { CHILD } from '../helpers/child.ts';
import { PACKAGE, runHost } from '../helpers/host.ts';
import { makeMark } from '../helpers/mark.ts';
import { findByCommand, isAlive, readParent } from '../helpers/processes.ts';
import { uniqueSpan } from '../helpers/span.ts';
import { until } from '../helpers/until.ts';

const HOSTS = Number(process.env['ARGV_SPAWN_HOSTS'] ?? 1);
const TREES = Number(process.env['ARGV_SPAWN_HOST_TREES'] ?? 5);

/** Starts `count` trees of `size` daemons and goes on when all of them have grown. */
const grow = (mark: string, count: number, size: number): string => `
  const trees = Array.from({ length: ${count} }, () =>
    spawn(['${CHILD}', 'daemons', '${size}', '${mark}'], { stderr: 'ignore', lingering: 'wait' }));
  await Promise.all(trees.map((tree) => new Promise((resolve) => {
    tree.stdout.on('data', (chunk) => { if (chunk.includes('grown')) resolve(); });
  })));`;

test(`${HOSTS} hosts that hold ${TREES} trees of 50 are killed by SIGKILL: nothing is left`, async () => {
  for (let i = 0; i < HOSTS; i++) {
    const mark = makeMark();
    const end = await runHost(`${grow(mark, TREES, 50)} process.kill(process.pid, 'SIGKILL');`);
    const died = performance.now();
    expect(end.signal).toBe('SIGKILL');
    await until('the trees are gone', () => findByCommand(mark).length === 0);
    console.log(`${TREES} trees gone ${Math.round(performance.now() - died)} ms after their host`);
  }
});

describe('a tree is gone after its host ended by', () => {
  test.each([
    ['SIGKILL', "process.kill(process.pid, 'SIGKILL');"],
    ['SIGSEGV', "process.kill(process.pid, 'SIGSEGV');"],
    ['abort', 'process.abort();'],
    ['SIGTERM', "process.kill(process.pid, 'SIGTERM');"],
    ['an uncaught exception', "setTimeout(() => { throw new Error('planned'); });"],
    ['process.exit', 'process.exit(3);'],
    ['process.reallyExit', 'process.reallyExit(3);'],
  ])('%s', async (_name, ending) => {
    const mark = makeMark();
    const end = await runHost(`${grow(mark, 1, 4)} console.log('grown'); ${ending}`);
    expect(end.stdout).toBe('grown\n');
    await until('the tree is gone', () => findByCommand(mark).length === 0);
  });

  test('the end of its terminal', async () => {
    const mark = makeMark();
    // script(1) gives the host a terminal of its own and takes it away again when it is killed.
    const source = `import { spawn } from ${JSON.stringify(PACKAGE)}; ${grow(mark, 1, 4)} console.log('grown');`;
    const command = `exec '${process.execPath}' --input-type=module -e '${source.replaceAll("'", `'\\''`)}'`;
    const terminal = spawn(['script', '-qec', command, '/dev/null'], { stdin: 'pipe', containment: 'none' });
    for await (const line of terminal.lines()) if (line.text.includes('grown')) break;
    expect(findByCommand(mark).length).toBeGreaterThan(0);
    terminal.kill('SIGKILL');
    await terminal.exited;
    await until('the tree is gone', () => findByCommand(mark).length === 0);
  });
});

test('a worker that ends takes its own trees along and leaves those of the host alone', async () => {
  const [mine, theirs] = [uniqueSpan(), uniqueSpan()];
  const running = spawn(['sh', '-c', `setsid sleep ${mine} & wait`]);
  await running.spawned;
  const worker = new Worker(
    `import(${JSON.stringify(PACKAGE)}).then(async ({ spawn }) => {
       await spawn(['sh', '-c', 'setsid sleep ${theirs} & wait']).spawned;
       require('node:worker_threads').parentPort.postMessage('running');
     });`,
    { eval: true },
  );
  await new Promise((resolve) => worker.once('message', resolve));
  await until(
    'both run',
    () => findByCommand(`sleep\0${mine}`).length + findByCommand(`sleep\0${theirs}`).length === 2,
  );
  await worker.terminate();
  await until("the worker's tree is gone", () => findByCommand(`sleep\0${theirs}`).length === 0);
  expect(findByCommand(`sleep\0${mine}`).length).toBe(1);
  await running.stop();
});

test('a process that the host has forked and that keeps its descriptors does not delay the end of the tree', async () => {
  const span = uniqueSpan();
  // What a fork without exec would have: the other end of every pipe to a keeper, taken through /proc.
  const end = await runHost(`
    import { openSync, readdirSync, readlinkSync, writeSync } from 'node:fs';
    import { spawn as startForeign } from 'node:child_process';
    await run(['true']);
    const before = new Set(readdirSync('/proc/self/fd'));
    await spawn(['sleep', '${span}']).spawned;
    const pipes = readdirSync('/proc/self/fd').filter((fd) => !before.has(fd)).filter((fd) => {
      try { return readlinkSync('/proc/self/fd/' + fd).startsWith('pipe:'); } catch { return false; }
    });
    const copies = pipes.map((fd) => openSync('/proc/self/fd/' + fd, 'r+'));
    startForeign('sleep', ['${span}1'], { stdio: ['ignore', 'ignore', 'ignore', ...copies], detached: true }).unref();
    console.log(copies.length);
    process.kill(process.pid, 'SIGKILL');`);
  expect(Number(end.stdout)).toBeGreaterThan(1);
  await until('the tree is gone', () => findByCommand(`sleep\0${span}\0`).length === 0);
  const [keeper] = findByCommand(`sleep\0${span}1`);
  expect(keeper).toBeDefined();
  process.kill(keeper ?? 0, 'SIGKILL');
});

test('a keeper ignores what a terminal sends, and ends neither before nor after its tree', async () => {
  const running = spawn(['sh', '-c', 'sleep 0.5; echo done']);
  const { pid } = await running.spawned;
  const keeper = readParent(pid) ?? 0;
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGTSTP', 'SIGPIPE', 'SIGUSR1'] as const) {
    process.kill(keeper, signal);
  }
  const result = await running.collect();
  expect(result).toMatchObject({ stdout: 'done\n', ok: true, containment: { tree: 'tree' } });
  await until('it is gone', () => !isAlive(keeper));
  expect((await run(['true'])).ok).toBe(true);
});
