// How a run ends, on every system: only words of the fixture program, no tool of the system.

import { describe, expect, test } from 'vitest';
import { run, runSync, spawn } from '../../lib/index.ts';
import { CHILD, child } from '../helpers/child.ts';

test('a code is a result, whatever it is', async () => {
  for (const code of [0, 1, 7, 255]) {
    const result = await run(child('exit', String(code)));
    expect([result.code, result.signal, result.ok, result.reason]).toEqual([code, null, code === 0, 'exit']);
  }
});

test('run, runSync and spawn agree about one program', async () => {
  const argv = child('say', 'same');
  const results = [await run(argv), runSync(argv), await spawn(argv).collect()];
  for (const result of results) {
    expect(result).toMatchObject({ stdout: 'same', stderr: '', code: 0, program: CHILD, statusKnown: true });
    expect(result.pid).toBeGreaterThan(0);
  }
});

test('a timeout ends a program that waits for ever', async () => {
  const result = await run(child('wait'), { timeout: 300, forceKillAfter: 200 });
  expect([result.reason, result.timedOut, result.ok]).toEqual(['timeout', true, false]);
  // Windows: what is asked to end by CTRL_BREAK, and does not handle it, ends with a code.
  if (result.signal === null) expect(result.ntStatus).toBe('STATUS_CONTROL_C_EXIT');
  else expect([result.code, result.signal]).toEqual([null, expect.stringMatching(/^SIG(TERM|KILL)$/)]);
});

test('an idle timeout fires without output, and its output so far is kept', async () => {
  const result = await run(child('tree', '0'), { idleTimeout: 1500, forceKillAfter: 100 });
  expect([result.reason, result.stdout.trimEnd()]).toEqual(['idle-timeout', 'grown']);
});

test('a deadline holds in a blocking call', () => {
  expect(runSync(child('wait'), { timeout: 300, forceKillAfter: 100 }).reason).toBe('timeout');
});

describe('abort', () => {
  test('ends the program, and keeps the reason', async () => {
    const controller = new AbortController();
    const running = spawn(child('wait'), { signal: controller.signal, forceKillAfter: 100 });
    await running.spawned;
    const reason = new Error('no longer needed');
    controller.abort(reason);
    await expect(running.exited).rejects.toMatchObject({
      name: 'AbortError',
      cause: reason,
      result: { aborted: true },
    });
  });

  test('before the call starts nothing', async () => {
    await expect(run(child('wait'), { signal: AbortSignal.abort('early') })).rejects.toMatchObject({ cause: 'early' });
  });
});

test('a handle can be stopped, killed and asked in every state', async () => {
  const running = spawn(child('wait'));
  const { pid } = await running.spawned;
  expect(running.pid).toBe(pid);
  expect(running.kill('SIGKILL')).toBe(true);
  const status = await running.exited;
  expect([status.signal, status.code, status.reason]).toEqual(['SIGKILL', null, 'signal']);
  expect(running.kill('SIGKILL')).toBe(false);
  expect((await running.stop()).signal).toBe('SIGKILL');
});

test('of many at once the quick ones do not wait for the slow one', async () => {
  const slow = spawn(child('wait'));
  const codes = await Promise.all(
    Array.from({ length: 8 }, async (_, i) => (await run(child('exit', String(i)))).code),
  );
  expect(codes).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  await slow.stop();
});
