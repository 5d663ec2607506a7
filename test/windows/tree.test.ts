// The job: nothing of a tree is left, however it tries, and however the host ends. F-65, F-77.

import { spawn as nodeSpawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, spawn } from '../../lib/index.ts';
import { CHILD, child } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { PACKAGE } from '../helpers/host.ts';
import { isAlive } from '../helpers/windows.ts';
import { until } from '../helpers/until.ts';

const folder = makeFolder();

/** A parent that ends at once and leaves a descendant with its pipes: plainly, outside of the job, in a job of its own. */
const PARENTS = [child('escape', 'tag'), child('break-away', 'tag'), child('second-job', 'tag')].map((argv) => ({
  word: String(argv[1]),
  argv,
}));

describe.each(PARENTS)('a parent that ends at once after "$word"', ({ word, argv }) => {
  test('leaves nothing behind', async () => {
    const result = await run(argv);
    expect(result.stdout).toContain('leaving');
    expect(result.leftovers).toMatchObject([{ name: 'child.exe', fate: 'ended' }]);
    expect(result.leftovers.filter((one) => isAlive(one.pid))).toEqual([]);
  });

  test('is ended by a timeout and by an abort while its descendant holds the pipe', async () => {
    const timed = await run(argv, { lingering: 'wait', timeout: 3000, forceKillAfter: 100 });
    expect(timed.reason).toBe('timeout');
    expect(timed.leftovers.filter((one) => isAlive(one.pid))).toEqual([]);
    const controller = new AbortController();
    const running = spawn(argv, { lingering: 'wait', signal: controller.signal, forceKillAfter: 100 });
    running.stdout?.once('data', () => controller.abort());
    const error: unknown = await running.exited.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'AbortError', result: { aborted: true } });
  });

  test('a host that is ended hard takes it along', async () => {
    // Output goes to files: what holds a pipe of this process would hold up nothing but this test.
    const output = join(folder, `${word}.txt`);
    const script = `import { spawn } from ${JSON.stringify(PACKAGE)};
      const running = spawn(${JSON.stringify(argv)}, { lingering: 'wait' });
      const { pid } = await running.spawned;
      running.stdout.once('data', () => console.log('pid ' + pid + ' up'));
      setInterval(() => {}, 1000);`;
    const files = [openSync(output, 'w'), openSync(`${output}.err`, 'w')];
    const host = nodeSpawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', ...files] });
    files.forEach(closeSync);
    const ended = new Promise((resolve) => host.once('exit', resolve));
    await until('the host has started it', () => readFileSync(output, 'utf8').includes('up'), 60_000);
    const before = await countRunning();
    expect(before).toBeGreaterThan(0);
    host.kill('SIGKILL');
    await ended;
    await until('nothing of it is left', async () => (await countRunning()) === 0, 30_000);
  });
});

/** Fixture programs that wait; the one that counts is not among them. */
async function countRunning(): Promise<number> {
  const { stdout } = await run(child('count-waiting'));
  return Number(stdout);
}

test('a host that is in a job itself has jobs of its own inside', async () => {
  const script = `import { run } from ${JSON.stringify(PACKAGE)};
    const { containment, leftovers } = await run([${JSON.stringify(CHILD)}, 'escape', 'tag']);
    console.log(JSON.stringify([containment, leftovers.map((one) => one.fate)]));`;
  const { stdout, leftovers } = await run([process.execPath, '--input-type=module', '-e', script], { check: true });
  expect(JSON.parse(stdout)).toEqual([{ tree: 'tree', parentDeath: 'job' }, ['ended']]);
  expect(leftovers).toEqual([]);
});

test('leaving a process behind is possible, and only on purpose', async () => {
  const result = await run(child('escape', 'left'), { lingering: 'leave' });
  expect(result.leftovers).toMatchObject([{ name: 'child.exe', fate: 'left', heldPipe: true }]);
  const [left] = result.leftovers;
  expect(isAlive(left?.pid ?? 0)).toBe(true);
  process.kill(left?.pid ?? 0, 'SIGKILL');
});

describe('handles', () => {
  test('starts side by side do not leak into each other: quick ones settle while a slow one runs', async () => {
    const slow = spawn(child('wait'));
    const shown = await Promise.all(Array.from({ length: 8 }, async () => (await run(child('pipes'))).stdout.trim()));
    // stdout and stderr, and nothing of anybody else.
    expect(new Set(shown)).toEqual(new Set(['2']));
    await slow.stop();
  });

  const count = async (): Promise<number> => Number((await run(child('handles', String(process.pid)))).stdout);

  const RUNS = Number(process.env['ARGV_SPAWN_HANDLE_RUNS'] ?? 2000);
  test(`their number is flat over ${RUNS} runs`, { timeout: 60_000 + RUNS * 2000 }, async () => {
    const batch = async (): Promise<void> => {
      await Promise.all(Array.from({ length: 20 }, () => run(child('exit', '0'), { stdin: 'x' })));
    };
    await batch();
    const before = await count();
    for (let done = 0; done < RUNS; done += 20) await batch();
    expect(Math.abs((await count()) - before)).toBeLessThan(20);
  });

  test('their number is flat over polite stops', async () => {
    const batch = async (): Promise<void> => {
      const one = async (): Promise<boolean> => {
        const running = spawn(child('wait-for-event'), { killSignal: 'SIGINT', forceKillAfter: 60_000 });
        // Not before it is on its console: a program that is still starting cannot be asked.
        await new Promise((resolve) => running.stdout?.once('data', resolve));
        return (await running.stop()).forced;
      };
      const forced = await Promise.all(Array.from({ length: 10 }, one));
      expect(forced).toEqual(Array(10).fill(false));
    };
    await batch();
    const before = await count();
    for (let done = 0; done < 3; done++) await batch();
    expect(Math.abs((await count()) - before)).toBeLessThan(10);
  });
});
