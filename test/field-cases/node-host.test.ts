// Field cases about the host as a Node process: F-81, F-83, F-84, F-86, F-87, and how a host ends with runs pending.
//
// A host that is killed by a signal runs no code of ours: ending its trees needs a process outside of it, and is not
// here.

import { describe, expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import { createPlan } from '../../lib/command/plan.ts';
import { CHILD, findFixture } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { runHost } from '../helpers/host.ts';
import { findByCommand } from '../helpers/processes.ts';
import { uniqueSpan } from '../helpers/span.ts';
import { refusing } from '../helpers/strace.ts';
import { until } from '../helpers/until.ts';

const folder = makeFolder();

describe('a host that ends with runs pending takes their trees with it', () => {
  const tree = (span: string): string => `
    process.on('SIGTERM', () => process.exit(143));
    const ignore = () => undefined;
    const pending = spawn(['sh', '-c', "trap '' TERM; sleep ${span} & echo up; sleep ${span}"]);
    run(['sleep', '${span}']).catch(ignore);
    run(['sh', '-c', 'yes ${span}']).catch(ignore);
    await new Promise((resolve) => pending.stdout.once('data', resolve));`;

  test.each<[name: string, ending: string, code: number, error: RegExp]>([
    ['process.exit', 'process.exit(7);', 7, /^$/],
    ['process.exit from an exit listener', `process.on('exit', () => process.exit(8)); process.exit(7);`, 8, /^$/],
    ['an uncaught exception', `setImmediate(() => { throw new Error('on purpose'); });`, 1, /on purpose/],
    ['an unhandled rejection', `Promise.reject(new Error('on purpose'));`, 1, /on purpose/],
    [
      'an uncaught exception in a listener of ours',
      `pending.stdout.on('close', ignore); await pending.stop(); throw new Error('on purpose');`,
      1,
      /on purpose/,
    ],
    ['SIGTERM that it handles', `process.kill(process.pid, 'SIGTERM');`, 143, /^$/],
    ['process.reallyExit', 'process.reallyExit(6);', 6, /^$/],
  ])('%s', async (_name, ending, code, error) => {
    const span = uniqueSpan();
    const end = await runHost(tree(span) + ending);
    expect([end.code, end.signal]).toEqual([code, null]);
    expect(end.stderr).toMatch(error);
    await until('the trees are gone', () => findByCommand(span).length === 0);
  });

  test('process.exit with 300 starts in the queue, 15 times', async () => {
    const span = uniqueSpan();
    for (let i = 0; i < 15; i++) {
      const end = await runHost(`
        await spawn(['sleep', '${span}']).spawned;
        for (let i = 0; i < 300; i++) run(['sleep', '${span}']).catch(() => undefined);
        await new Promise(setImmediate);
        process.exit(9);`);
      expect([end.code, end.stderr]).toEqual([9, '']);
    }
    await until('all are gone', () => findByCommand(span).length === 0);
  }, 120_000);

  test('the end of its work, when all that is pending was unreferenced', async () => {
    const span = uniqueSpan();
    const end = await runHost(`const p = spawn(['sleep', '${span}']); await p.spawned; p.unref();`);
    expect(end.code).toBe(0);
    await until('the tree is gone', () => findByCommand(span).length === 0);
  });
});

test('F-81: many programs at work do not hold up the loop, and no call blocks', async () => {
  const end = await runHost(`
    import { monitorEventLoopDelay } from 'node:perf_hooks';
    await Promise.all(Array.from({ length: 20 }, () => run(['true'])));
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const from = performance.now();
    const runs = Array.from({ length: 200 }, () => run(['sh', '-c', 'sleep 0.2; seq 1 2000']));
    const calls = performance.now() - from;
    await new Promise(setImmediate); // the calls themselves are no delay of the loop
    delay.reset();
    await Promise.all(runs);
    delay.disable();
    console.log(JSON.stringify([calls, delay.max / 1e6, performance.now() - from]));`);
  const [calls, stall, total] = JSON.parse(end.stdout) as [number, number, number];
  // Shares of the whole, since a neighbour can slow all of it down; a start that blocks makes up nearly all.
  expect(calls).toBeLessThan(total / 4);
  expect(stall).toBeLessThan(total / 4);
});

describe('F-83: the failure of a wrapper is told apart from our own', () => {
  test('a wrapper that cannot start its program has an exit code; we have an error code', async () => {
    const wrapped = await run(['env', '--', '/no/such/program']);
    expect([wrapped.reason, wrapped.code]).toEqual(['exit', 127]);
    expect(wrapped.stderr).toContain('/no/such/program');
    await expect(run(['/no/such/program'])).rejects.toMatchObject({ name: 'SpawnError', code: 'ENOENT' });
  });

  test('a sandbox that cannot be set up is a normal exit with its own words', async () => {
    const end = await runHost(
      `const r = await run(['unshare', '--mount', 'true']);
       console.log(JSON.stringify([r.reason, r.code, /unshare/.test(r.stderr)]));`,
      { prefix: ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] },
    );
    expect(JSON.parse(end.stdout)).toEqual(['exit', 1, true]);
  });
});

test('F-84: the end of a program is its exit, whatever its output looks like', async () => {
  // What terminal integrations take for a prompt or for the end of a command, followed by more of the program.
  const marks = String.raw`printf '\033]633;D;0\007$ \n\033]133;D\007> '; sleep 0.2; printf 'late\n'; exit 3`;
  const marked = await run(['sh', '-c', marks]);
  expect([marked.stdout, marked.code]).toEqual(['\x1b]633;D;0\x07$ \n\x1b]133;D\x07> late\n', 3]);
  const lines = await run(['sh', '-c', 'echo one\necho two\n\nif true; then\n  echo three\nfi']);
  expect(lines.stdout).toBe('one\ntwo\nthree\n');
  expect((await run(['true'])).stdout).toBe('');
});

describe('F-86: others that wait in the same process', () => {
  test('200 of ours and 200 of node:child_process side by side all get their own status', async () => {
    const end = await runHost(`
      import { spawn as startForeign } from 'node:child_process';
      const theirs = (code) => new Promise((resolve) =>
        startForeign('sh', ['-c', 'exit ' + code], { stdio: 'ignore' }).once('exit', resolve));
      const wrong = [];
      for (let round = 0; round < 10; round++) {
        await Promise.all(Array.from({ length: 20 }, async (_, i) => {
          const code = (round * 20 + i) % 256;
          const [a, b] = await Promise.all([run(['sh', '-c', 'exit ' + code]), theirs(code)]);
          if (a.code !== code || !a.statusKnown || b !== code) wrong.push([code, a.code, b]);
        }));
      }
      console.log(JSON.stringify(wrong));`);
    expect(end.stdout).toBe('[]\n');
  });

  const withReaper = (script: string, prefix: readonly string[] = []): ReturnType<typeof runHost> =>
    // Through env, so that strace itself has no reaper.
    runHost(script, { prefix: [...prefix, 'env', `LD_PRELOAD=${findFixture('libreaper.so')}`] });

  const reaped = (rounds: number, containment: string): string => `
    const containment = '${containment}';
    const results = [];
    for (let round = 0; round < ${rounds}; round++) {
      results.push(...(await Promise.all(Array.from({ length: 20 }, () =>
        run([${JSON.stringify(CHILD)}, 'exit', '7'], { env: {}, containment })))));
    }
    const late = await run(['/bin/sleep', '60'], { env: {}, timeout: 100, containment });
    const checked = await run([${JSON.stringify(CHILD)}, 'exit', '7'], { env: {}, check: true, containment })
      .then(() => 'resolved', (error) => error.name);
    const count = (test) => results.filter(test).length;
    console.log(JSON.stringify({
      known: count((r) => r.statusKnown && r.code === 7 && r.reason === 'exit'),
      unknown: count((r) => !r.statusKnown && r.code === null && r.signal === null && !r.ok),
      late: late.reason, checked,
    }));`;

  test('a foreign reaper takes statuses: each run settles, with its status or with none, never with an invented one', async () => {
    const end = await withReaper(reaped(10, 'group'));
    const { known, unknown, late, checked } = JSON.parse(end.stdout) as Record<string, number | string>;
    expect(Number(known) + Number(unknown)).toBe(200);
    expect([late, checked]).toEqual(['timeout', 'ExitError']);
  });

  test('under a keeper nobody else can take a status', async () => {
    const end = await withReaper(reaped(10, 'tree'));
    expect(JSON.parse(end.stdout)).toEqual({ known: 200, unknown: 0, late: 'timeout', checked: 'ExitError' });
  });

  test('also without pidfd, where a taken status is lost', async () => {
    const tampered = refusing(folder, 'pidfd_open', 'ENOSYS');
    const end = await withReaper(reaped(4, 'group'), tampered.prefix);
    const { known, unknown, late, checked } = JSON.parse(end.stdout) as Record<string, number | string>;
    expect(Number(known) + Number(unknown)).toBe(80);
    expect(unknown).toBeGreaterThan(0);
    expect([late, checked]).toEqual(['timeout', 'ExitError']);
    expect(tampered.count()).toBeGreaterThan(0);
  });
});

describe('F-87: the same call is the same record', () => {
  test('the plan is frozen plain data whose text does not depend on the order of the options', () => {
    const one = createPlan('run', ['echo', 'a b'], { timeout: 5, cwd: '/tmp', env: { A: '1', B: '2' } });
    const other = createPlan('run', ['echo', 'a b'], { env: { A: '1', B: '2' }, cwd: '/tmp', timeout: 5 });
    expect(JSON.stringify(other)).toBe(JSON.stringify(one));
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      expect(Object.isFrozen(value)).toBe(true);
      for (const part of Object.values(value)) walk(part);
    };
    walk(one);
  });

  test('two results differ in pid, times and usage only', async () => {
    const call = () => run(['sh', '-c', 'echo out; echo err >&2; exit 3'], { stdin: 'x', cwd: '/tmp' });
    const stable = (result: Awaited<ReturnType<typeof call>>): string => {
      const { pid, startedAt, durationMs, usage, ...rest } = result;
      expect([typeof pid, typeof startedAt, typeof durationMs, typeof usage]).toEqual([
        ...['number', 'number', 'number', 'object'],
      ]);
      return JSON.stringify(rest);
    };
    const [first, second] = [await call(), await call()];
    expect(Object.keys(second)).toEqual(Object.keys(first));
    expect(stable({ ...second, stdin: first.stdin })).toBe(stable(first));
  });
});
