// lines(): output cut at line feeds while the program runs.

import { describe, expect, test } from 'vitest';
import { spawn } from '../../lib/index.ts';
import type { Argv, Line } from '../../lib/index.ts';
import { LineSplitter } from '../../lib/process/lines.ts';
import { collectUnhandled } from '../helpers/unhandled.ts';

const LONGEST = 1024 * 1024;

async function readAll(argv: Argv): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of spawn(argv).lines()) lines.push(line);
  return lines;
}

test('lines of both streams come with their stream, each stream in order', async () => {
  const lines = await readAll(['sh', '-c', 'echo 1; echo a >&2; echo 2; echo b >&2']);
  const of = (stream: Line['stream']): string[] =>
    lines.filter((line) => line.stream === stream).map((line) => line.text);
  expect(of('stdout')).toEqual(['1', '2']);
  expect(of('stderr')).toEqual(['a', 'b']);
  expect(lines.every((line) => line.ended)).toBe(true);
});

test.each<[string, string, [string, boolean][]]>([
  ['nothing', '', []],
  ['one empty line', '\\n', [['', true]]],
  ['a last line that was not ended', 'a\\nb', [['a', true], ['b', false]]], // prettier-ignore
  ['a Windows line end', 'a\\r\\nb\\r\\n', [['a', true], ['b', true]]], // prettier-ignore
  ['carriage returns that end no line', '10%%\\r20%%\\r\\n\\r', [['10%\r20%', true], ['\r', false]]], // prettier-ignore
  ['only the last of two carriage returns', 'a\\r\\r\\n', [['a\r', true]]],
  ['separators that are no line feeds', 'a\\013b\\014c\\342\\200\\250d\\n', [['a\vb\fc\u2028d', true]]],
])('%s', async (_name, format, expected) => {
  expect((await readAll(['printf', format])).map((line) => [line.text, line.ended])).toEqual(expected);
});

test('a line end that is divided over two writes is one line end', async () => {
  const lines = await readAll(['sh', '-c', "printf 'a\\r'; sleep 0.2; printf '\\nb'"]);
  expect(lines.map((line) => line.text)).toEqual(['a', 'b']);
});

test('a line is delivered while the program still runs', async () => {
  const running = spawn(['sh', '-c', 'echo ready; read word; echo "got $word"'], { stdin: 'pipe' });
  const texts: string[] = [];
  for await (const line of running.lines()) {
    texts.push(line.text);
    if (line.text === 'ready') running.stdin?.end('it\n');
  }
  expect(texts).toEqual(['ready', 'got it']);
});

describe('a caller that stops early', () => {
  test('lets the program go on to its own end, with the rest of its output dropped', async () => {
    const running = spawn(['sh', '-c', 'echo first; seq 1 200000; exit 3']);
    for await (const line of running.lines()) {
      expect(line.text).toBe('first');
      break;
    }
    expect((await running.exited).code).toBe(3);
  });

  test('leaves no rejection behind, whatever the other stream was about to do', async () => {
    const unhandled = await collectUnhandled(async () => {
      for (const text of ['echo a; echo b >&2; sleep 0.2', 'echo a; sleep 0.2', 'yes', 'echo a; exit 1']) {
        const running = spawn(['sh', '-c', text], { timeout: 2000 });
        for await (const line of running.lines()) if (line.stream === 'stdout') break;
        await running.stop();
      }
    });
    expect(unhandled).toEqual([]);
  });
});

test('a program that could not be started has no lines, and exited says why', async () => {
  const running = spawn(['/no/such/program']);
  for await (const line of running.lines()) expect(line).toBe('never');
  await expect(running.exited).rejects.toMatchObject({ code: 'ENOENT' });
});

test('streams that are not pipes have no lines', async () => {
  const running = spawn(['sh', '-c', 'echo a; echo b >&2'], { stdout: 'ignore' });
  const lines = [];
  for await (const line of running.lines()) lines.push(line);
  expect(lines).toEqual([{ stream: 'stderr', text: 'b', ended: true }]);
});

test('output has one reader: lines and collect refuse to share it', async () => {
  const first = spawn(['true']);
  first.lines();
  expect(() => first.lines()).toThrow('already being read');
  expect(() => first.collect()).toThrow('already being read');
  await first.spawned;
  const second = spawn(['true']);
  const collected = second.collect();
  expect(second.collect()).toBe(collected);
  expect(() => second.lines()).toThrow('already being read');
  await Promise.all([first.stop(), collected]);
});

describe('a line without an end', () => {
  const feed = (text: string): Line[] => {
    const splitter = new LineSplitter('stdout');
    return [...splitter.push(Buffer.from(text)), ...splitter.end()];
  };

  test('comes in parts, so that it cannot fill the memory', () => {
    const parts = feed('x'.repeat(2 * LONGEST + 5));
    expect(parts.map((part) => [part.text.length, part.ended])).toEqual([
      [LONGEST, false],
      [LONGEST, false],
      [5, false],
    ]);
  });

  test('is never divided inside a character', () => {
    const text = 'x'.repeat(LONGEST - 1) + '😀'.repeat(LONGEST);
    const parts = feed(text);
    expect(parts.every((part) => part.text.isWellFormed())).toBe(true);
    expect(parts.map((part) => part.text).join('')).toBe(text);
  });
});
