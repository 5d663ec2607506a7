// Field cases about deadlines, ending a tree and background work: F-32 to F-43, F-46, F-47, F-85. Of F-33 the part that
// a process group can keep.
//
// What needs more than a process group (descendants in sessions of their own, a host that is killed) is not here.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, runSync, spawn } from '../../lib/index.ts';
import { child, findFixture } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { runHost } from '../helpers/host.ts';
import { countZombies, findByCommand, isAlive, readGroup } from '../helpers/processes.ts';
import { uniqueSpan } from '../helpers/span.ts';
import { until } from '../helpers/until.ts';

const folder = makeFolder();

describe('F-32, F-38: a timeout ends the work, not only the shell, and needs no tool for it', () => {
  test.each([{ PATH: process.env['PATH'] ?? '' }, { PATH: '' }])('with PATH $PATH', async ({ PATH }) => {
    const span = uniqueSpan(7000);
    const text = `/bin/sleep ${span} | /bin/cat; echo never`;
    const result = await run(['/bin/sh', '-c', text], { timeout: 300, extendEnv: { PATH } });
    expect(result.reason).toBe('timeout');
    expect(result.stdout).toBe('');
    expect(findByCommand(span)).toEqual([]);
  });
});

test('F-33: a descendant in its own session that goes on writing does not hold up the call, and is named', async () => {
  const span = uniqueSpan(7000);
  const ticking = `while :; do echo tick; sleep 0.05; : ${span}; done`;
  const started = performance.now();
  const result = await run(['sh', '-c', `setsid sh -c '${ticking}' & sleep 60`], {
    timeout: 500,
    containment: 'group',
  });
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(result.reason).toBe('timeout');
  expect(result.leftovers).toContainEqual(
    expect.objectContaining({ name: 'sh', heldPipe: true, fate: 'survived', why: 'left-group' }),
  );
  for (const pid of findByCommand(span)) process.kill(pid, 'SIGKILL');
});

test('F-34: a program that ignores the polite signal is ended by SIGKILL after the grace period', async () => {
  const result = await run(['sh', '-c', "trap '' TERM; sleep 30; sleep 30"], { timeout: 200, forceKillAfter: 200 });
  expect([result.reason, result.signal, result.forced]).toEqual(['timeout', 'SIGKILL', true]);
  expect(result.durationMs).toBeGreaterThanOrEqual(399);
});

test('a program that heeds the polite signal is not forced, and what it says last is kept', async () => {
  const text = "trap 'echo bye; exit 5' TERM; echo ready; while :; do sleep 0.05; done";
  const result = await run(['sh', '-c', text], { timeout: 300, forceKillAfter: 10_000 });
  expect([result.reason, result.code, result.signal, result.forced]).toEqual(['timeout', 5, null, false]);
  expect(result.stdout).toBe('ready\nbye\n');
});

test('members of the tree that outlive a polite leader keep their grace period', async () => {
  const file = join(folder, 'last-words');
  const text = `(trap 'sleep 0.3; echo done > ${file}; exit' TERM; echo up; while :; do sleep 0.05; done) & wait`;
  const result = await run(['sh', '-c', text], { timeout: 300, forceKillAfter: 10_000 });
  expect(result.forced).toBe(false);
  expect((await run(['cat', file])).stdout).toBe('done\n');
});

test('F-35: a timeout keeps the output so far, and is not a success', async () => {
  const result = await run(['sh', '-c', 'echo step1; sleep 30'], { timeout: 300 });
  expect(result).toMatchObject({ stdout: 'step1\n', timedOut: true, code: null, ok: false });
});

describe('F-36: very long timeouts', () => {
  test.each([2_592_000_000, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, Infinity, 0])(
    '%d ms does not fire',
    async (timeout) => {
      expect((await run(['sleep', '0.1'], { timeout, idleTimeout: timeout })).reason).toBe('exit');
    },
  );
});

test('an idle timeout is reset by output and fires without it', async () => {
  const chatty = await run(['sh', '-c', 'for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done'], { idleTimeout: 1000 });
  const silent = await run(['sh', '-c', 'echo 1; sleep 30'], { idleTimeout: 200 });
  expect([chatty.reason, silent.reason, silent.timedOut, silent.stdout]).toEqual(['exit', 'idle-timeout', true, '1\n']);
});

test('F-37: a program that changed its user is reported when it cannot be ended, and the call returns', async () => {
  // An ordinary user's host, and a set-uid root copy of sleep that has become root entirely.
  const helper = join(folder, 'become-root');
  await run(['cp', findFixture('become-root'), helper], { check: true });
  await run(['chown', 'root:root', helper], { check: true });
  await run(['chmod', '4755', helper], { check: true });
  await run(['chmod', '755', folder], { check: true });
  const end = await runHost(
    `const r = await run([${JSON.stringify(helper)}, '20'], { timeout: 200, forceKillAfter: 200 });
     console.log(JSON.stringify([r.reason, r.code, r.signal, r.leftovers.map((l) => [l.fate, l.why]), r.durationMs < 10000]));`,
    { prefix: ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] },
  );
  expect(end.stderr).toBe('');
  expect(JSON.parse(end.stdout)).toEqual(['timeout', null, null, [['survived', 'other-user']], true]);
  for (const pid of findByCommand(helper)) process.kill(pid, 'SIGKILL');
});

test('F-39: a signal to a handle whose number now belongs to a stranger reaches nobody', async () => {
  const script = `
    import { writeFileSync } from 'node:fs';
    import { spawn as nodeSpawn } from 'node:child_process';
    const ours = spawn(['true']);
    const { pid } = await ours.exited;
    // The next process in this namespace gets the number that was ours.
    let stranger;
    for (let i = 0; i < 50; i++) {
      writeFileSync('/proc/sys/kernel/ns_last_pid', String(pid - 1));
      stranger = nodeSpawn('sleep', ['30']);
      if (stranger.pid === pid) break;
      stranger.kill('SIGKILL');
    }
    const sent = ours.kill('SIGKILL');
    await ours.stop();
    await new Promise((resolve) => setTimeout(resolve, 100));
    console.log(JSON.stringify([stranger.pid === pid, sent, stranger.exitCode, stranger.signalCode]));
    stranger.kill('SIGKILL');`;
  const end = await runHost(script, { prefix: ['unshare', '--pid', '--fork', '--mount-proc'] });
  expect(end.stderr).toBe('');
  expect(JSON.parse(end.stdout)).toEqual([true, false, null, null]);
});

describe('F-40: abort', () => {
  test('ends the program before the promise settles, and keeps the reason', async () => {
    const span = uniqueSpan(7000);
    const controller = new AbortController();
    const started = run(['sleep', span], { signal: controller.signal });
    await until('the program runs', () => findByCommand(span).length === 1);
    const reason = new Error('no longer needed');
    controller.abort(reason);
    await expect(started).rejects.toMatchObject({
      name: 'AbortError',
      code: 'ABORT_ERR',
      cause: reason,
      result: { aborted: true },
    });
    expect(findByCommand(span)).toEqual([]);
  });

  test('before the call starts nothing', async () => {
    const file = join(folder, 'never');
    const signal = AbortSignal.abort('early');
    await expect(run(['touch', file], { signal })).rejects.toMatchObject({ cause: 'early' });
    expect(() => runSync(['touch', file], { signal })).toThrow('aborted before');
    await expect(spawn(['touch', file], { signal }).exited).rejects.toMatchObject({ cause: 'early' });
    expect((await run(['test', '-e', file])).code).toBe(1);
  });

  test('in the same turn as the call settles it all the same', async () => {
    const controller = new AbortController();
    const started = run(['sleep', '30'], { signal: controller.signal });
    controller.abort();
    await expect(started).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('a signal object that is none is refused before anything starts', async () => {
    await expect(run(['true'], { signal: {} as AbortSignal })).rejects.toMatchObject({ field: 'signal' });
  });
});

describe('F-41: a background process that holds the pipe', () => {
  const argv = (span: string): [string, ...string[]] => ['sh', '-c', `sleep ${span} & echo ready`];

  test('does not hold up the call, is named and ended', async () => {
    const span = uniqueSpan(7000);
    const started = performance.now();
    const result = await run(argv(span));
    expect(performance.now() - started).toBeLessThan(5000);
    expect([result.stdout, result.code]).toEqual(['ready\n', 0]);
    expect(result.leftovers).toMatchObject([{ name: 'sleep', heldPipe: true, fate: 'ended' }]);
    expect(findByCommand(span)).toEqual([]);
  });

  test('does not hold up runSync and spawn either', async () => {
    expect(runSync(argv(uniqueSpan(7000))).stdout).toBe('ready\n');
    const collected = await spawn(argv(uniqueSpan(7000))).collect();
    expect([collected.stdout, collected.leftovers.length]).toEqual(['ready\n', 1]);
  });

  test('that writes without end does not extend the drain', async () => {
    const started = performance.now();
    const result = await run(['sh', '-c', 'while :; do echo tick; done & echo ready'], { maxBuffer: 1000 });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(result.leftovers).toMatchObject([{ fate: 'ended' }]);
  });

  test('that does not hold the pipe is ended too', async () => {
    const span = uniqueSpan(7000);
    const result = await run(['sh', '-c', `sleep ${span} >/dev/null 2>&1 & echo ready`]);
    expect(result.leftovers).toMatchObject([{ name: 'sleep', heldPipe: false, fate: 'ended' }]);
    expect(findByCommand(span)).toEqual([]);
  });

  test('in another session is named although the group does not reach it', async () => {
    const result = await run(child('escape', '1500'), { containment: 'group' });
    expect(result.stdout).toBe('leaving\n');
    expect(result.leftovers).toMatchObject([{ name: 'child', heldPipe: true, fate: 'survived', why: 'left-group' }]);
  });
});

describe('F-42: a process substitution still gets to write', () => {
  test('within the drain time', async () => {
    const result = await run(['bash', '-c', 'exec > >(tee /dev/null); echo a; exit 4'], { drainTimeout: 10_000 });
    expect([result.stdout, result.code]).toEqual(['a\n', 4]);
  });

  test('and is bounded by it', async () => {
    const started = performance.now();
    const result = await run(['bash', '-c', 'exec > >(sleep 20; cat); echo a; exit 4']);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect([result.code, result.leftovers.length > 0]).toEqual([4, true]);
  });
});

describe('F-43: leaving a process behind is possible, and only on purpose', () => {
  test('it survives, is listed with its pid, and can go on writing', async () => {
    const file = join(folder, 'left');
    const text = `(for i in 1 2 3 4 5 6 7 8; do echo noise; sleep 0.1; done; echo alive > ${file}) & echo ready`;
    const result = await run(['sh', '-c', text], { lingering: 'leave' });
    expect(result.stdout.startsWith('ready\n') || result.stdout.startsWith('noise\n')).toBe(true);
    const left = result.leftovers.find((one) => one.name === 'sh');
    expect(left).toMatchObject({ heldPipe: true, fate: 'left' });
    expect(isAlive(left?.pid ?? 0)).toBe(true);
    await until('the process that was left has gone on', async () => (await run(['test', '-e', file])).code === 0);
  });

  test('it does not keep the host alive', async () => {
    const span = uniqueSpan(7000);
    const end = await runHost(`const r = await run(['sh', '-c', 'sleep ${span} & echo ready'], { lingering: 'leave' });
      console.log(r.leftovers[0].pid);`);
    const pid = Number(end.stdout);
    expect([end.code, isAlive(pid)]).toEqual([0, true]);
    process.kill(pid, 'SIGKILL');
  });

  test('a timeout still ends the whole tree', async () => {
    const span = uniqueSpan(7000);
    const result = await run(['sh', '-c', `sleep ${span} & sleep ${span}`], { lingering: 'leave', timeout: 200 });
    expect(result.reason).toBe('timeout');
    expect(findByCommand(span)).toEqual([]);
  });
});

describe("lingering: 'wait'", () => {
  test('waits for the pipe to close', async () => {
    const result = await run(['sh', '-c', '(sleep 0.5; echo late) & echo early'], { lingering: 'wait' });
    expect(result.stdout).toBe('early\nlate\n');
    expect(result.leftovers).toEqual([]);
  });

  test.each(['tree', 'group'] as const)(
    'what ends by itself is not said to have been ended: %s',
    async (containment) => {
      // The end of the pipe is seen while its last holder is still on its way out.
      const call = () => run(['sh', '-c', '(sleep 0.02; echo late) & echo early'], { lingering: 'wait', containment });
      for (let round = 0; round < 25; round++) {
        const results = await Promise.all(Array.from({ length: 8 }, call));
        expect(results.flatMap(({ leftovers }) => leftovers)).toEqual([]);
      }
    },
  );

  test('under the timeout', async () => {
    const span = uniqueSpan(7000);
    const result = await run(['sh', '-c', `sleep ${span} & echo early`], {
      lingering: 'wait',
      timeout: 300,
      forceKillAfter: 100,
    });
    expect([result.reason, result.code, result.stdout]).toEqual(['timeout', 0, 'early\n']);
    expect(findByCommand(span)).toEqual([]);
  });
});

test('F-46: a wrapper that ignores SIGTERM does not keep its tree alive', async () => {
  const span = uniqueSpan(7000);
  const result = await run(['sh', '-c', `trap '' TERM; sleep ${span} & sleep ${span}`], {
    timeout: 200,
    forceKillAfter: 200,
  });
  expect(result.forced).toBe(true);
  expect(findByCommand(span)).toEqual([]);
});

test('F-47: a handle that is dropped leaves no zombie', async () => {
  const before = countZombies(process.pid);
  for (let i = 0; i < 20; i++) void spawn(['sleep', '0.05']).unref();
  await until('all have been reaped', () => findByCommand('0.05').length === 0 && countZombies(process.pid) <= before);
});

test('F-85: when a call settles as timed out, nothing of its process group is alive', async () => {
  // Half of the tree has sessions of its own: those are beyond a group, and containment says so.
  const result = await run(child('tree', '10'), { timeout: 300, forceKillAfter: 100, containment: 'group' });
  expect([result.reason, result.containment.tree]).toEqual(['timeout', 'group']);
  const alive = findByCommand('child\0tree\u000010');
  expect(alive.filter((pid) => readGroup(pid) === result.pid)).toEqual([]);
  for (const pid of alive) process.kill(pid, 'SIGKILL');
});
