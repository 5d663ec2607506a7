// `lingering`: what becomes of descendants that remain when the direct child has ended, daemons included.

import { describe, expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import { child } from '../helpers/child.ts';
import { runHost } from '../helpers/host.ts';
import { countZombies, findByCommand, isAlive, readParent } from '../helpers/processes.ts';
import { uniqueSpan } from '../helpers/span.ts';
import { until } from '../helpers/until.ts';

describe("'leave'", () => {
  test('lets daemons live, names them, does not wait for them, and the host can end', async () => {
    const span = uniqueSpan();
    const end = await runHost(`
      const result = await run(['sh', '-c', 'setsid sleep ${span} & sleep 0.1; echo up'], { lingering: 'leave' });
      console.log(JSON.stringify([result.stdout, result.leftovers, result.containment.tree]));`);
    const [stdout, leftovers, tree] = JSON.parse(end.stdout) as [string, { pid: number }[], string];
    expect([end.code, stdout, tree]).toEqual([0, 'up\n', 'tree']);
    expect(leftovers).toMatchObject([{ name: 'sleep', heldPipe: true, fate: 'left', why: null }]);
    const pid = leftovers[0]?.pid ?? 0;
    expect(findByCommand(`sleep\0${span}`)).toEqual([pid]);
    // The keeper stays to reap it, and goes when the last one has gone.
    const keeper = readParent(pid) ?? 0;
    process.kill(pid, 'SIGKILL');
    await until('the keeper has ended', () => !isAlive(keeper));
  });

  test('several of them, of which some end: none becomes a zombie of the host', async () => {
    const span = uniqueSpan();
    const text = `for i in 1 2 3 4 5; do setsid sleep 0.3 & done; setsid sleep ${span} & exit 0`;
    const result = await run(['sh', '-c', text], { lingering: 'leave' });
    expect(result.leftovers.map(({ fate }) => fate)).toEqual(Array.from({ length: 6 }, () => 'left'));
    const [pid] = findByCommand(`sleep\0${span}`);
    await until('the short ones are reaped', () =>
      result.leftovers.every((one) => one.pid === pid || readParent(one.pid) === undefined),
    );
    expect(countZombies(process.pid)).toBe(0);
    process.kill(pid ?? 0, 'SIGKILL');
    await until('the last one is reaped', () => readParent(pid ?? 0) === undefined);
  });

  test('what is left goes on writing although nobody reads', async () => {
    const text = 'setsid sh -c "while :; do echo noise; done" & exit 0';
    const { leftovers } = await run(['sh', '-c', text], { lingering: 'leave' });
    const pid = leftovers[0]?.pid ?? 0;
    await run(['sleep', '0.3']);
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
    await until('it is reaped', () => readParent(pid) === undefined);
  });

  test('does not apply to a call that is ended', async () => {
    const span = uniqueSpan();
    await run(['sh', '-c', `setsid sleep ${span} & wait`], { lingering: 'leave', timeout: 200, forceKillAfter: 100 });
    expect(findByCommand(`sleep\0${span}`)).toEqual([]);
  });
});

describe("'wait'", () => {
  test('waits for a daemon that holds the pipe, and has its output', async () => {
    const result = await run(child('escape', '300'), { lingering: 'wait' });
    expect(result).toMatchObject({ ok: true, stdout: 'leaving\n', leftovers: [] });
  });

  test('ends what holds none', async () => {
    const span = uniqueSpan();
    const text = `setsid sleep ${span} >/dev/null 2>&1 </dev/null & setsid sh -c 'sleep 0.2; echo late' & exit 0`;
    const result = await run(['sh', '-c', text], { lingering: 'wait' });
    expect(result.stdout).toBe('late\n');
    expect(result.leftovers).toMatchObject([{ heldPipe: false, fate: 'ended' }]);
    expect(findByCommand(`sleep\0${span}`)).toEqual([]);
  });

  test('under the timeout', async () => {
    const span = uniqueSpan();
    const options = { lingering: 'wait', timeout: 300, forceKillAfter: 100 } as const;
    const result = await run(['sh', '-c', `setsid sleep ${span} & echo early`], options);
    expect(result).toMatchObject({ reason: 'timeout', code: 0, stdout: 'early\n' });
    expect(findByCommand(`sleep\0${span}`)).toEqual([]);
  });

  test('many orphans that end meanwhile are reaped meanwhile', async () => {
    const text = 'for i in 1 2 3 4 5 6 7 8; do (sleep 0.01 >/dev/null 2>&1 &) ; done; setsid sleep 0.7 & exit 0';
    const started = run(['sh', '-c', text], { lingering: 'wait' });
    let zombies = Number.MAX_SAFE_INTEGER;
    await until('only the direct child is left unreaped', () => {
      const [holder] = findByCommand('sleep\x000.7');
      const keeper = holder === undefined ? undefined : readParent(holder);
      if (keeper !== undefined) zombies = countZombies(keeper);
      return zombies <= 1;
    });
    expect((await started).ok).toBe(true);
  });
});
