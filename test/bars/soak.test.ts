// What a host has open, and what lives below it, is the same after many mixed runs as before: scripts/soak.mjs.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SOAK = fileURLToPath(new URL('../../scripts/soak.mjs', import.meta.url));

interface Report {
  readonly seconds: number;
  readonly leaks: readonly string[];
  readonly broken: number;
  readonly firstBroken: readonly unknown[];
  readonly done: Readonly<Record<string, number>>;
}

function soak(...args: string[]): Promise<{ code: number | null; report: Report }> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [SOAK, ...args], { timeout: 280_000 }, (_error, stdout, stderr) => {
      if (stdout === '') reject(new Error(`no report: ${stderr}`));
      else resolve({ code: child.exitCode, report: JSON.parse(stdout) as Report });
    });
  });
}

test('3,000 mixed runs, 16 at once, leave no descriptor, thread, zombie, process, listener or memory', async () => {
  const { code, report } = await soak('--runs', '3000', '--at-once', '16');
  console.log(`3,000 runs in ${report.seconds.toFixed(1)} s`);
  expect(report.firstBroken).toEqual([]);
  expect(report.leaks).toEqual([]);
  expect(code).toBe(0);
  expect(Object.values(report.done).reduce((sum, count) => sum + count)).toBe(3000);
  expect(Math.min(...Object.values(report.done))).toBeGreaterThan(0);
}, 300_000);

test('a leak of each sort would be seen', async () => {
  const { code, report } = await soak('--runs', '50', '--plant-leaks');
  expect([...report.leaks].sort()).toEqual(['descriptors', 'listeners', 'processes', 'rss', 'threads']);
  expect(code).toBe(1);
}, 120_000);
