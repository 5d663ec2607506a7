// Nobody is flooded: a reader that stops holds the program back, and so does a program that does not read.

import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { spawn } from '../../lib/index.ts';
import { child } from '../helpers/child.ts';
import { readWritten } from '../helpers/processes.ts';
import { until } from '../helpers/until.ts';

const MIB = 1024 * 1024;
/** The window of the stream, the pipe (which the engine may have grown to 1 MiB) and a chunk on its way. */
const IN_FLIGHT = 4 * MIB;

/** Waits until the number has not changed for a while; returns it. */
async function settled(what: string, read: () => number): Promise<number> {
  let last = -1;
  await until(what, async () => {
    const before = read();
    await pause(150);
    last = read();
    return before === last;
  });
  return last;
}

describe('stdout that is not read', () => {
  const TOTAL = 200 * MIB;

  test('stops the program, and reading goes on where it stopped with nothing lost', async () => {
    const running = spawn(child('flood', String(TOTAL)));
    const { pid } = await running.spawned;
    let received = 0;
    running.stdout?.on('data', (chunk: Buffer) => (received += chunk.length));
    await until('some output has come', () => received > MIB);
    running.stdout?.pause();
    const written = await settled('the program has been stopped', () => readWritten(pid));
    expect(written).toBeLessThan(received + IN_FLIGHT);
    expect(written).toBeLessThan(TOTAL);
    running.stdout?.resume();
    expect((await running.exited).code).toBe(0);
    await until('the rest has come', () => running.stdout?.readableEnded === true);
    expect(received).toBe(TOTAL);
  });

  test('from the start holds it back at once', async () => {
    const running = spawn(child('flood', String(TOTAL)));
    const { pid } = await running.spawned;
    const written = await settled('the program has been stopped', () => readWritten(pid));
    expect(written).toBeLessThan(IN_FLIGHT);
    expect((await running.stop()).reason).toBe('stop');
  });

  test('holds back its own stream only', async () => {
    const running = spawn(['sh', '-c', 'seq 1 1000 >&2; exec head -c 100000000 /dev/zero']);
    let text = '';
    running.stderr?.on('data', (chunk: Buffer) => (text += String(chunk)));
    await until('stderr has come although stdout is full', () => text.endsWith('\n1000\n'));
    await running.stop();
  });

  test('that is destroyed lets the program go on: the rest is read and dropped', async () => {
    const running = spawn(child('flood', String(20 * MIB)));
    running.stdout?.destroy();
    expect(await running.exited).toMatchObject({ reason: 'exit', code: 0 });
  });

  test('a slow reader of lines holds it back too', async () => {
    const running = spawn(['yes', 'x'.repeat(1000)]);
    const { pid } = await running.spawned;
    const lines = running.lines()[Symbol.asyncIterator]();
    await lines.next();
    expect(await settled('the program has been stopped', () => readWritten(pid))).toBeLessThan(IN_FLIGHT);
    await lines.return?.();
    await running.stop();
  });
});

describe('stdin that is not read', () => {
  test('makes write say false, and drain follows once the program reads', async () => {
    const running = spawn(['sh', '-c', 'read go; cat | wc -c'], { stdin: 'pipe' });
    const { stdin } = running;
    if (stdin === null) throw new Error('no stdin');
    const piece = Buffer.alloc(64 * 1024, 'x');
    let pieces = 0;
    while (stdin.write(piece)) pieces++;
    pieces++;
    expect(pieces * piece.length).toBeLessThan(2 * MIB);
    let drained = false;
    stdin.once('drain', () => (drained = true));
    const drain = until('drain', () => drained);
    // The shell's read takes input up to a line end; all that was waiting is read by it.
    stdin.write('\n');
    await drain;
    stdin.end('0123456789');
    const result = await running.collect();
    expect(String(result.stdout).trim()).toBe('10');
    expect(result.stdin.bytesWritten).toBe(pieces * piece.length + 11);
  });

  test('holds back an iterable source', async () => {
    let taken = 0;
    function* source(): Generator<Buffer> {
      for (;;) {
        taken += 64 * 1024;
        yield Buffer.alloc(64 * 1024, 'x');
      }
    }
    const running = spawn(['sleep', '30'], { stdin: source() });
    await running.spawned;
    expect(await settled('the source is left alone', () => taken)).toBeLessThan(IN_FLIGHT);
    await running.stop();
  });

  test('holds back a Readable, which is destroyed when the program ends', async () => {
    let taken = 0;
    const source = new Readable({
      read() {
        taken += 64 * 1024;
        this.push(Buffer.alloc(64 * 1024, 'x'));
      },
    });
    const running = spawn(['sleep', '30'], { stdin: source });
    await running.spawned;
    expect(await settled('the source is left alone', () => taken)).toBeLessThan(IN_FLIGHT);
    await running.stop();
    await until('the source has been let go', () => source.destroyed);
  });
});

test('both ways at once: a filter of 64 MiB through a handle loses nothing', async () => {
  const running = spawn(['cat'], { stdin: 'pipe' });
  const piece = Buffer.alloc(MIB, '0123456789abcdef');
  const { stdin } = running;
  if (stdin === null) throw new Error('no stdin');
  Readable.from(Array.from({ length: 64 }, () => piece)).pipe(stdin);
  let received = 0;
  for await (const chunk of running.stdout ?? []) {
    const got = chunk as Buffer;
    expect(got[0]).toBe(piece[received % 16]);
    received += got.length;
  }
  expect(received).toBe(64 * MIB);
  expect((await running.exited).stdin).toEqual({ bytesWritten: 64 * MIB, closedEarly: false });
});
