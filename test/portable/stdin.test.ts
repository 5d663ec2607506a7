// Standard input, on every system.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { run, runSync, spawn } from '../../lib/index.ts';
import { child } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';

const folder = makeFolder();

test('absent stdin is its end at once', async () => {
  expect((await run(child('count-stdin'))).stdout.trim()).toBe('0');
});

test('every kind of source arrives whole, and nothing is added', async () => {
  const data = Buffer.alloc(700_000, 'abcdefg\r\n\x1a');
  const file = join(folder, 'input.bin');
  writeFileSync(file, data);
  const pieces = [data.subarray(0, 1), data.subarray(1, 300_000), data.subarray(300_000)];
  for (const stdin of [{ file }, data, pieces, Readable.from(pieces)]) {
    const result = await run(child('cat'), { stdin, encoding: 'buffer' });
    expect(result.stdout.equals(data)).toBe(true);
  }
  expect(runSync(child('count-stdin'), { stdin: data }).stdout.trim()).toBe('700000');
});

test('a child that ends before its input is written is a result with its own code', async () => {
  const input = 'x'.repeat(8 * 1024 * 1024);
  const result = await run(child('exit', '7'), { stdin: input });
  expect([result.code, result.stdin.closedEarly]).toEqual([7, true]);
  expect(result.stdin.bytesWritten).toBeLessThan(input.length);
  const running = spawn(child('exit', '7'), { stdin: 'pipe' });
  running.stdin?.write(input);
  running.stdin?.end('more');
  expect((await running.exited).code).toBe(7);
});

test('input and output that are both larger than a pipe do not deadlock', async () => {
  const input = 'y'.repeat(3_000_000);
  const result = await run(child('cat'), { stdin: input, timeout: 60_000 });
  expect([result.reason, result.stdout.length]).toEqual(['exit', input.length]);
  expect(result.stdin).toEqual({ bytesWritten: input.length, closedEarly: false });
});

test('a stream is written under backpressure and ended', async () => {
  const running = spawn(child('count-stdin'), { stdin: 'pipe' });
  const chunk = Buffer.alloc(100_000, 'z');
  for (let i = 0; i < 30; i++) {
    if (running.stdin?.write(chunk) === false) await new Promise((resolve) => running.stdin?.once('drain', resolve));
  }
  running.stdin?.end();
  expect(String((await running.collect()).stdout).trim()).toBe('3000000');
});

test('a source that fails ends the program and rejects with its error', async () => {
  async function* failing(): AsyncGenerator<string> {
    yield 'a';
    await Promise.resolve();
    throw new Error('disk on fire');
  }
  const started = run(child('cat'), { stdin: failing() });
  await expect(started).rejects.toMatchObject({ code: 'ERR_STDIN_SOURCE', cause: { message: 'disk on fire' } });
});
