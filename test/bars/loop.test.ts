// What holds while the JavaScript loop is blocked, and what never blocks it. Each in a host of its own.

import { expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import { runHost } from '../helpers/host.ts';
import { findByCommand } from '../helpers/processes.ts';

test('a loop that is blocked for 2 s does not delay a deadline of 500 ms', async () => {
  const host = await runHost(`
    const pending = run(['sleep', '30'], { timeout: 500 });
    const end = performance.now() + 2000;
    while (performance.now() < end);
    const { reason, durationMs } = await pending;
    console.log(JSON.stringify({ reason, durationMs }));
  `);
  const { reason, durationMs } = JSON.parse(host.stdout) as { reason: string; durationMs: number };
  expect(reason).toBe('timeout');
  expect(durationMs).toBeGreaterThanOrEqual(500);
  expect(durationMs).toBeLessThan(1500);
});

test('an endless writer under a cap of 256 KiB: the host does not grow, its loop does not stall', async () => {
  const host = await runHost(`
    import { monitorEventLoopDelay } from 'node:perf_hooks';
    import { readFileSync } from 'node:fs';
    const peak = () => Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
    await run(['true']);
    const before = peak();
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const result = await run(['yes'], { timeout: 3000, maxBuffer: 256 * 1024 });
    delay.disable();
    console.log(JSON.stringify({
      grownKb: peak() - before, stallMs: delay.max / 1e6, kept: result.stdout.length,
      bytes: result.capture.stdout.bytes, reason: result.reason,
    }));
  `);
  const seen = JSON.parse(host.stdout) as Record<'grownKb' | 'stallMs' | 'kept' | 'bytes', number> & { reason: string };
  expect(seen.reason).toBe('timeout');
  expect(seen.kept).toBe(256 * 1024);
  expect(seen.bytes).toBeGreaterThan(50_000_000);
  expect(seen.grownKb).toBeLessThan(16 * 1024);
  expect(seen.stallMs).toBeLessThan(100);
});

test('a background process that holds the output does not hold the call', async () => {
  const result = await run(['sh', '-c', `sleep 60.${process.pid} & echo done`]);
  expect(result.stdout).toBe('done\n');
  expect(result.durationMs).toBeLessThan(1000);
  expect(findByCommand(`60.${process.pid}`)).toEqual([]);
});
