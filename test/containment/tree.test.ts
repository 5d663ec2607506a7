// `containment: 'tree'`: what a call has started is gone when it settles, wherever it has moved.
//
// ARGV_SPAWN_TREES sets how many trees of 50 the first test ends; scripts/tree-soak.mjs runs the full counts.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { platform, run, runSync, spawn } from '../../lib/index.ts';
import { child } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { makeMark } from '../helpers/mark.ts';
import { findByCommand, isAlive, readParent } from '../helpers/processes.ts';
import { uniqueSpan } from '../helpers/span.ts';
import { until } from '../helpers/until.ts';

const folder = makeFolder();
const TREES = Number(process.env['ARGV_SPAWN_TREES'] ?? 6);
const AT_ONCE = 3;
const TREE = { tree: 'tree', parentDeath: 'keeper' };

test(`${TREES} trees of 50, half of them daemons, all ignoring SIGTERM, are gone after a timeout`, async () => {
  let next = 0;
  const endTrees = async (): Promise<void> => {
    while (next < TREES) {
      next++;
      const mark = makeMark();
      const result = await run(child('daemons', '50', mark), { timeout: 1000, forceKillAfter: 200 });
      expect(findByCommand(mark)).toEqual([]);
      expect(result).toMatchObject({ reason: 'timeout', forced: true, signal: 'SIGKILL', containment: TREE });
      expect(result.leftovers.length).toBeGreaterThan(0);
      expect(result.leftovers.filter(({ fate }) => fate !== 'ended')).toEqual([]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, endTrees));
});

test('the same for the blocking call', () => {
  const mark = makeMark();
  const result = runSync(child('daemons', '10', mark), { timeout: 500, forceKillAfter: 0 });
  expect(findByCommand(mark)).toEqual([]);
  expect(result).toMatchObject({ reason: 'timeout', forced: true, containment: TREE });
});

test('a daemon that outlives the direct child is ended, and named', async () => {
  const span = uniqueSpan(20_000);
  const result = await run(['sh', '-c', `setsid sleep ${span} & echo started`]);
  expect(findByCommand(span)).toEqual([]);
  expect(result).toMatchObject({ stdout: 'started\n', ok: true, containment: TREE });
  expect(result.leftovers).toMatchObject([{ heldPipe: true, fate: 'ended', why: null }]);
});

test('one that holds no pipe as well', async () => {
  const span = uniqueSpan(20_000);
  const result = await run(['sh', '-c', `setsid sleep ${span} >/dev/null 2>&1 </dev/null &`]);
  expect(findByCommand(span)).toEqual([]);
  expect(result.leftovers).toMatchObject([{ heldPipe: false, fate: 'ended' }]);
});

test('a tree that starts daemon after daemon is ended', async () => {
  const span = uniqueSpan(20_000);
  const text = `trap '' TERM; while :; do setsid sh -c 'setsid sleep ${span} & sleep 0.02' & sleep 0.02; done`;
  const result = await run(['sh', '-c', text], { timeout: 500, forceKillAfter: 100 });
  expect(findByCommand(span)).toEqual([]);
  expect(result.leftovers.filter(({ fate }) => fate !== 'ended')).toEqual([]);
});

// Each that ends hands the next to the keeper, and so may come between its list of children and what it learns of them.
test('a tree that is another process all the time is never taken for an empty one', async () => {
  for (let i = 0; i < 20; i++) {
    const mark = makeMark();
    const result = await run(child('relay', '1000', mark), { drainTimeout: 20 });
    expect(findByCommand(mark)).toEqual([]);
    expect(result).toMatchObject({ stdout: 'running\n', ok: true, containment: TREE });
    expect(result.leftovers.filter(({ fate }) => fate !== 'ended')).toEqual([]);
  }
});

test('a supervisor that restarts its worker does not win', async () => {
  const span = uniqueSpan(20_000);
  const text = `trap '' TERM; while :; do setsid -w sleep ${span}; done`;
  await run(['setsid', '-w', 'sh', '-c', text], { timeout: 300, forceKillAfter: 100 });
  expect(findByCommand(span)).toEqual([]);
});

test('the polite signal reaches every session of the tree', async () => {
  const file = join(folder, 'polite');
  const text = `setsid sh -c 'trap "echo heard >> ${file}; exit" TERM; echo ready; while :; do sleep 0.05; done' & wait`;
  const running = spawn(['sh', '-c', text], { forceKillAfter: 20_000 });
  for await (const line of running.lines()) if (line.text === 'ready') break;
  const status = await running.stop();
  expect(status.forced).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe('heard\n');
});

test('stop resolves when the tree is gone, and so does disposal', async () => {
  for (const how of ['stop', 'dispose'] as const) {
    const mark = makeMark();
    const running = spawn(child('daemons', '10', mark), { forceKillAfter: 100 });
    running.stdout?.resume();
    await until('the tree has grown', () => findByCommand(mark).length >= 11);
    await (how === 'stop' ? running.stop() : running[Symbol.asyncDispose]());
    expect(findByCommand(mark)).toEqual([]);
  }
});

test('the keeper is small, closes what it was lent, and ends with its tree', async () => {
  expect(statSync(platform.keeper ?? '').size).toBeLessThan(64 * 1024);
  const running = spawn(['sleep', uniqueSpan(20_000)], { extendEnv: { LONG: 'x'.repeat(100_000) } });
  const { pid } = await running.spawned;
  const keeper = readParent(pid) ?? 0;
  const status = (): string => readFileSync(`/proc/${keeper}/status`, 'latin1');
  expect(readFileSync(`/proc/${keeper}/cmdline`, 'latin1')).toBe('argv-keeper\0');
  await until('it has let go of the environment', () => Number(/^VmRSS:\s+(\d+)/m.exec(status())?.[1]) < 1024);
  expect(readFileSync(`/proc/${keeper}/environ`, 'latin1')).toBe('');
  await until('the streams are closed', () => !isOpenPipe(keeper, 1) && !isOpenPipe(keeper, 2));
  await running.stop();
  await until('it has ended', () => !isAlive(keeper));
});

function isOpenPipe(pid: number, fd: number): boolean {
  try {
    return statSync(`/proc/${pid}/fd/${fd}`).isFIFO();
  } catch {
    return false;
  }
}

test('the peak of memory is the program’s own, not the host’s', async () => {
  const small = await run(['true']);
  const large = await run(['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=40M', 'count=1']);
  expect(small.usage?.maxRssBytes).toBeGreaterThan(100_000);
  expect(small.usage?.maxRssBytes).toBeLessThan(20_000_000);
  expect(large.usage?.maxRssBytes).toBeGreaterThan(40 * 2 ** 20);
  expect(large.usage?.maxRssBytes).toBeLessThan(60 * 2 ** 20);
});

test('arguments and environment up to the last byte that exec takes arrive through the keeper', async () => {
  const argument = 'x'.repeat(131_071);
  const args = Array.from({ length: 14 }, () => argument);
  for (const containment of ['group', 'tree'] as const) {
    const many = await run(child('args', ...args), { env: {}, containment, maxBuffer: Infinity });
    expect(many.stdout.length).toBeGreaterThan(14 * 2 * 131_071);
  }
});
