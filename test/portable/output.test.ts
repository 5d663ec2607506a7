// Output, on every system.

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, spawn } from '../../lib/index.ts';
import { child } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';

const folder = makeFolder();

test('text comes back as it was written', async () => {
  expect((await run(child('say', 'é中😀 "x"'))).stdout).toBe('é中😀 "x"');
});

test('every byte of a program that ends quickly arrives, each time', async () => {
  for (let i = 0; i < 15; i++) {
    const result = await run(child('flood', '588895'));
    expect([result.capture.stdout?.bytes, result.stdout.length]).toEqual([588_895, 588_895]);
  }
});

test('past the cap both ends are kept, and what is missing is counted', async () => {
  const { stdout, capture } = await run(child('flood', '300000'), { maxBuffer: 20_000 });
  expect(stdout).toBe('0123456789'.repeat(2000));
  expect(capture.stdout).toMatchObject({
    bytes: 300_000,
    kept: 20_000,
    omitted: 280_000,
    truncated: true,
    gapAt: 10_000,
  });
});

test('past the cap the program is ended when that is asked for', async () => {
  const result = await run(child('flood', '900000000'), { maxBuffer: 1000, onMaxBuffer: 'kill' });
  expect([result.reason, result.ok, result.stdout.length]).toEqual(['max-buffer', false, 1000]);
});

test('a large output without a cap is whole', async () => {
  const result = await run(child('flood', '40000000'), { maxBuffer: Infinity, encoding: 'buffer' });
  expect(result.stdout.length).toBe(40_000_000);
});

test('a stream that is read slowly loses nothing', async () => {
  const running = spawn(child('flood', '1000000'));
  let bytes = 0;
  for await (const piece of running.stdout ?? []) {
    bytes += (piece as Buffer).length;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect([bytes, (await running.exited).code]).toEqual([1_000_000, 0]);
});

test('one pipe for both streams', async () => {
  const result = await run(child('no-such-word' as 'say'), { stderr: 'stdout' });
  expect([result.stdout.trim(), result.stderr, result.code]).toEqual(['unknown word: no-such-word', null, 99]);
});

test('files are replaced or appended to, and a tee has everything', async () => {
  const file = join(folder, 'log');
  await run(child('say', 'one'), { stdout: { file } });
  await run(child('say', 'two'), { stdout: { file } });
  const last = await run(child('say', 'three'), { stdout: { file, append: true } });
  expect([readFileSync(file, 'utf8'), last.stdout]).toEqual(['twothree', null]);
  const tee = join(folder, 'tee');
  const result = await run(child('flood', '588895'), { tee: { stdout: tee }, maxBuffer: 100 });
  expect([statSync(tee).size, result.stdout.length]).toEqual([588_895, 100]);
  expect(result.capture.stdout?.tee).toEqual({ path: tee, bytes: 588_895, error: null });
});

test('standard streams are pipes, and a device where nothing is given', async () => {
  const kinds = async (options: Parameters<typeof run>[1]): Promise<string[]> =>
    String((await run(child('stdio'), options)).stdout)
      .trim()
      .split(/\r?\n/);
  expect(await kinds({ stdin: 'x' })).toEqual(['pipe', 'pipe', 'pipe']);
  expect(await kinds({})).toEqual(['device', 'pipe', 'pipe']);
  expect(await kinds({ stderr: { file: join(folder, 'err') } })).toEqual(['device', 'pipe', 'file']);
});
