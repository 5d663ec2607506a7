// Abort signals: what a rejection carries, and that nothing stays attached to a signal that lives long.

import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { AbortError, isAbortError, run, runSync, spawn } from '../../lib/index.ts';
import type { RunResult } from '../../lib/index.ts';
import { runHost } from '../helpers/host.ts';
import { until } from '../helpers/until.ts';

async function failure(started: Promise<unknown>): Promise<AbortError<RunResult>> {
  const error: unknown = await started.then(
    () => new Error('it did not reject'),
    (reason: unknown) => reason,
  );
  if (!isAbortError(error)) throw error;
  return error as AbortError<RunResult>;
}

describe('what the rejection carries', () => {
  test.each<[string, unknown]>([
    ['an error', new Error('no longer needed')],
    ['a string', 'user pressed stop'],
    ['null', null],
    ['a number', 0],
  ])('the reason as cause: %s', async (_name, reason) => {
    const controller = new AbortController();
    const started = run(['sleep', '30'], { signal: controller.signal });
    controller.abort(reason);
    expect((await failure(started)).cause).toBe(reason);
  });

  test('the reason of AbortSignal.timeout, and the DOMException of an abort without one', async () => {
    const timed = await failure(run(['sleep', '30'], { signal: AbortSignal.timeout(50) }));
    const controller = new AbortController();
    const started = run(['sleep', '30'], { signal: controller.signal });
    controller.abort();
    expect([timed.cause, (await failure(started)).cause]).toMatchObject([
      { name: 'TimeoutError' },
      { name: 'AbortError' },
    ]);
  });

  test('the whole result when the program ran, with its output so far', async () => {
    const controller = new AbortController();
    const running = spawn(['sh', '-c', 'echo so far; echo oops >&2; sleep 30'], { signal: controller.signal });
    const collected = running.collect();
    await running.spawned;
    let seen = 0;
    running.stdout?.on('data', (chunk: Buffer) => (seen += chunk.length));
    await until('the program has written', () => seen > 0);
    controller.abort('enough');
    const { result, name, code, message } = await failure(collected);
    expect([name, code, message]).toEqual(['AbortError', 'ABORT_ERR', '"sh" was aborted']);
    expect(result).toMatchObject({ reason: 'abort', aborted: true, ok: false, signal: 'SIGTERM', stdout: 'so far\n' });
    expect((await failure(running.exited)).result).toMatchObject({ aborted: true });
  });

  test('no result when nothing was started', async () => {
    const signal = AbortSignal.abort('early');
    for (const error of [
      await failure(run(['true'], { signal })),
      await failure(spawn(['true'], { signal }).spawned),
    ]) {
      expect([error.cause, error.result, error.message]).toEqual(['early', undefined, '"true" was not started: aborted before']); // prettier-ignore
      expect(error).toBeInstanceOf(AbortError);
    }
    expect(() => runSync(['true'], { signal })).toThrow(expect.objectContaining({ cause: 'early', code: 'ABORT_ERR' }));
  });

  test('check does not turn an abort into an ExitError', async () => {
    const started = run(['sleep', '30'], { check: true, signal: AbortSignal.timeout(50) });
    expect((await failure(started)).result).toMatchObject({ reason: 'abort' });
  });
});

test('an abort after the end changes nothing', async () => {
  const controller = new AbortController();
  const running = spawn(['true'], { signal: controller.signal });
  expect((await running.exited).ok).toBe(true);
  controller.abort();
  expect((await running.exited).aborted).toBe(false);
  expect((await running.stop()).reason).toBe('exit');
});

test('one signal ends all the calls that were given it', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const started = Array.from({ length: 20 }, () => run(['sleep', '30'], { signal }));
  controller.abort('all');
  for (const one of await Promise.all(started.map(failure))) expect(one.cause).toBe('all');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a signal goes on serving the calls that are left, and later ones', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const slow = run(['sleep', '30'], { signal });
  expect((await run(['true'], { signal })).ok).toBe(true);
  const later = run(['sleep', '30'], { signal });
  controller.abort('both');
  const errors = await Promise.all([failure(slow), failure(later)]);
  expect(errors.map((error) => error.cause)).toEqual(['both', 'both']);
});

describe('a signal that outlives the calls', () => {
  test('has no listener of theirs left, however they ended', async () => {
    const { signal } = new AbortController();
    const calls = [
      run(['true'], { signal }),
      run(['false'], { signal, check: true }),
      run(['/no/such/program'], { signal }),
      run(['true'], { signal, cwd: '/no/such/folder' }),
      run(['sleep', '30'], { signal, timeout: 50 }),
      spawn(['true'], { signal }).exited,
      spawn(['/no/such/program'], { signal }).exited,
      spawn(['sleep', '30'], { signal }).stop(),
    ];
    await Promise.allSettled(calls);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('serves 1,000 runs without a warning and without growing', { timeout: 120_000 }, async () => {
    const end = await runHost(`
      import { getEventListeners } from 'node:events';
      const warnings = [];
      process.on('warning', (warning) => warnings.push(warning.name));
      const { signal } = new AbortController();
      let most = 0;
      for (let i = 0; i < 1000; i += 20) {
        const calls = Array.from({ length: 20 }, (_, k) => k % 2 ? run(['true'], { signal }) : spawn(['true'], { signal }).exited);
        most = Math.max(most, getEventListeners(signal, 'abort').length);
        await Promise.all(calls);
      }
      await new Promise((resolve) => setImmediate(resolve));
      console.log(JSON.stringify([warnings, most, getEventListeners(signal, 'abort').length]));`);
    expect(end.stderr).toBe('');
    expect(JSON.parse(end.stdout)).toEqual([[], 1, 0]);
  });
});
