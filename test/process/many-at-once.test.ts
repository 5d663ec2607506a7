// The last events of many runs in one turn of the loop, and blocking calls while they are handed out: each result is
// that of its own program.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, runSync, spawn } from '../../lib/index.ts';
import { makeFolder } from '../helpers/folder.ts';

test('200 runs that end while JavaScript is busy', async () => {
  const folder = makeFolder();
  const script = (i: number): string =>
    `echo out ${i}; echo err ${i} >&2; : > ${join(folder, String(i))}; exit ${i % 100}`;
  const runs = Array.from({ length: 200 }, (_, i) => run(['sh', '-c', script(i)], { containment: 'group' }));
  for (let i = 0; i < 200; i++) while (!existsSync(join(folder, String(i))));
  runSync(['true']); // later than the ends of nearly all
  const results = await Promise.all(runs);
  expect(results.map(({ code, stdout, stderr }) => ({ code, stdout, stderr }))).toEqual(
    Array.from({ length: 200 }, (_, i) => ({ code: i % 100, stdout: `out ${i}\n`, stderr: `err ${i}\n` })),
  );
  expect(new Set(results.map(({ pid }) => pid)).size).toBe(200);
});

test('a blocking call while events are handed out', async () => {
  const nested: (number | null)[] = [];
  const statuses = await Promise.all(
    Array.from({ length: 40 }, (_, i) => {
      const running = spawn(['sh', '-c', `echo ${i}; exit ${i}`], { containment: 'group' });
      running.stdout?.on('data', () => nested.push(runSync(['sh', '-c', `exit ${100 + i}`]).code));
      return running.exited;
    }),
  );
  expect(statuses.map(({ code }) => code)).toEqual(Array.from({ length: 40 }, (_, i) => i));
  expect(nested.sort()).toEqual(Array.from({ length: 40 }, (_, i) => 100 + i));
});
