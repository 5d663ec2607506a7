// collect(): the output of a running process under its cap, as run would have returned it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, spawn } from '../../lib/index.ts';
import type { Keep, RunOptions } from '../../lib/index.ts';
import { splitCap } from '../../lib/process/request.ts';
import { StreamCollector } from '../../lib/process/stream-collector.ts';
import { makeFolder } from '../helpers/folder.ts';
import { readRss } from '../helpers/processes.ts';

const folder = makeFolder();
const KEEPS: readonly Keep[] = ['ends', 'head', 'tail'];

describe('the same result as run', () => {
  const argv = ['sh', '-c', 'seq 1 3000; seq 1 2000 >&2; exit 3'] as const;
  test.each<[string, RunOptions]>([
    ['without a cap', { maxBuffer: Infinity }],
    ['with the default cap', {}],
    ['with a cap of nothing', { maxBuffer: 0 }],
    ['with a cap for each stream', { maxBuffer: { stdout: 100, stderr: 51 } }],
    ['keeping the beginning', { maxBuffer: 99, keep: 'head' }],
    ['keeping the end', { maxBuffer: 99, keep: 'tail' }],
    ['as bytes', { maxBuffer: 101, encoding: 'buffer' }],
    ['merged', { stderr: 'stdout', maxBuffer: 50 }],
    ['ignored', { stdout: 'ignore' }],
  ])('%s', async (_name, options) => {
    const [mine, theirs] = [await spawn([...argv], options).collect(), await run([...argv], options)];
    expect([mine.stdout, mine.stderr, mine.capture, mine.code]).toEqual([
      theirs.stdout,
      theirs.stderr,
      theirs.capture,
      theirs.code,
    ]);
  });

  test('with a tee file', async () => {
    const file = join(folder, 'tee');
    const result = await spawn(['seq', '1', '1000'], { tee: { stdout: file }, maxBuffer: 10 }).collect();
    expect(result.capture.stdout).toMatchObject({ kept: 10, tee: { path: file, bytes: 3893, error: null } });
    expect(readFileSync(file, 'utf8')).toMatch(/^1\n2\n[\s\S]*\n1000\n$/);
  });
});

test('a firehose under a small cap does not grow the host', async () => {
  await spawn(['seq', '1', '1000']).collect();
  const before = readRss();
  const result = await spawn(['head', '-c', '300000000', '/dev/zero'], { maxBuffer: 1000 }).collect();
  expect(result.capture.stdout).toMatchObject({ bytes: 300_000_000, kept: 1000 });
  // The test's own process collects garbage when it likes: far below what went through is what can be said.
  expect(readRss() - before).toBeLessThan(150_000_000);
});

test('collecting late gathers what had been held back', async () => {
  const running = spawn(['sh', '-c', 'echo early; echo err >&2']);
  await running.exited;
  expect(await running.collect()).toMatchObject({ stdout: 'early\n', stderr: 'err\n', code: 0 });
});

test('collecting twice gives the same promise', async () => {
  const running = spawn(['echo', 'once']);
  expect(running.collect()).toBe(running.collect());
  expect((await running.collect()).stdout).toBe('once\n');
});

test('the collector keeps exactly the beginning and the end, however the bytes arrive', () => {
  const input = Buffer.from(Array.from({ length: 300 }, (_, i) => i % 256));
  for (const keep of KEEPS) {
    for (const cap of [0, 1, 2, 7, 100, 299, 300, 301, Infinity]) {
      for (const piece of [1, 3, 64, 300]) {
        const { head, tail } = splitCap(cap, keep);
        const collector = new StreamCollector({ head, tail });
        for (let at = 0; at < input.length; at += piece) collector.push(input.subarray(at, at + piece));
        const taken = collector.take();
        const fromEnd = Math.min(tail, Math.max(0, input.length - head));
        expect(taken.bytes).toBe(input.length);
        expect(Buffer.from(taken.head ?? [])).toEqual(input.subarray(0, Math.min(head, input.length)));
        expect(Buffer.from(taken.tail ?? [])).toEqual(input.subarray(input.length - fromEnd));
      }
    }
  }
});
