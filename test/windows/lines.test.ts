// The command line: what is shown is what a Windows program gets, taken apart by the system's own parser.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandLine, run } from '../../lib/index.ts';
import { child } from '../helpers/child.ts';
import { WINDOWS_LINES } from '../helpers/vectors.ts';

const RUNS = 100_000;

/** Every line through CommandLineToArgvW. */
async function parseLines(lines: readonly string[]): Promise<string[][]> {
  const stdin = Buffer.from(lines.map((line) => `${line}\0`).join(''), 'utf16le');
  const { stdout } = await run(child('parse'), { stdin, encoding: 'buffer', maxBuffer: Infinity, check: true });
  const parsed = stdout.toString('utf16le').split('\uffff\0').slice(0, -1);
  return parsed.map((one) => one.split('\0').slice(0, -1));
}

test('the rows of the vectors', async () => {
  expect(WINDOWS_LINES.map((row) => commandLine(row.argv, { platform: 'win32' }))).toEqual(
    WINDOWS_LINES.map((row) => row.line),
  );
  expect(await parseLines(WINDOWS_LINES.map((row) => row.line))).toEqual(WINDOWS_LINES.map((row) => row.argv));
});

test(`${RUNS} random argument vectors come back`, { timeout: 300_000 }, async () => {
  const nasty = fc.constantFrom('"', '\\', ' ', '\t', '\n', '%', '^', '!', 'a', '\u00e9', '\u{1f600}');
  const argument = fc.array(nasty, { maxLength: 8 }).map((parts) => parts.join(''));
  const vectors = fc.sample(fc.array(argument, { maxLength: 5 }), { numRuns: RUNS, seed: 20_261_202 });
  const parsed = await parseLines(vectors.map((args) => commandLine(['prog ram', ...args], { platform: 'win32' })));
  expect(parsed.length).toBe(RUNS);
  const wrong = vectors.findIndex((args, i) => JSON.stringify(['prog ram', ...args]) !== JSON.stringify(parsed[i]));
  expect(wrong === -1 ? 'none' : JSON.stringify([vectors[wrong], parsed[wrong]])).toBe('none');
});

test('a program path with a quote is refused', async () => {
  await expect(run(['a"b.exe'])).rejects.toThrow();
});
