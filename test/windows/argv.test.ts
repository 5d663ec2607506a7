// The argument matrix against every parser there is here: the C runtime and CommandLineToArgvW in a program built with
// mingw-w64, and Microsoft's own C runtime, which is linked into node.exe. All in UTF-16 units.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandLine, run } from '../../lib/index.ts';
import { findFixture } from '../helpers/child.ts';
import { ARGUMENTS, LONG_ARGUMENTS } from '../helpers/vectors.ts';

const PRINTER = findFixture('argv.exe');
const AT_ONCE = 8;
const LONGEST_LINE = 32_000;
/** How many random vectors are really sent through command lines. */
const VECTORS = Number(process.env['ARGV_SPAWN_PARSER_VECTORS'] ?? 100_000);

const isText = (value: string | Uint8Array): value is string => typeof value === 'string';
const HALVES = ['a\ud800b', '\udc00', 'x\udc00\ud800'];
const ROWS = [...ARGUMENTS.map((row) => row.value).filter(isText), ...HALVES];
const LONG = LONG_ARGUMENTS.map((row) => row.value).filter(isText);

const fromUnits = (hex: string): string =>
  hex.replace(/.{4}/g, (unit) => String.fromCharCode(Number.parseInt(unit, 16)));

/** The arguments after argv[0], by both parsers of the printer. */
async function printed(args: readonly string[]): Promise<Readonly<Record<'crt' | 'shell', string[]>>> {
  const { stdout } = await run([PRINTER, ...args], { check: true, maxBuffer: Infinity });
  const lines = stdout.split(/\r?\n/);
  const take = (parser: string): string[] => {
    const start = lines.findIndex((line) => line.startsWith(`${parser} `));
    const count = Number(lines[start]?.slice(parser.length + 1));
    return lines.slice(start + 2, start + 1 + count).map(fromUnits);
  };
  return { crt: take('crt'), shell: take('shell') };
}

async function expectExact(args: readonly string[]): Promise<void> {
  expect(await printed(args)).toEqual({ crt: args, shell: args });
}

test('all rows side by side, by both parsers', async () => {
  await expectExact(ROWS);
});

test('each row as the only one, by both parsers', async () => {
  for (let at = 0; at < ROWS.length; at += AT_ONCE) {
    await Promise.all(ROWS.slice(at, at + AT_ONCE).map((row) => expectExact([row])));
  }
});

test('long rows, by both parsers', async () => {
  expect(LONG.length).toBeGreaterThan(0);
  for (const row of LONG) await expectExact([row]);
});

test("all rows through node.exe, by Microsoft's C runtime", async () => {
  const script =
    "process.stdout.write(JSON.stringify(process.argv.slice(1).map((one) => [...Buffer.from(one, 'utf16le')])))";
  // Node turns its arguments into UTF-8, where half a surrogate pair has no form.
  const rows = ROWS.filter((row) => !HALVES.includes(row));
  const { stdout } = await run([process.execPath, '-e', script, '--', ...rows], { check: true });
  expect(JSON.parse(stdout)).toEqual(rows.map((row) => [...Buffer.from(row, 'utf16le')]));
});

test(`${VECTORS} random vectors on real command lines, by both parsers`, { timeout: 900_000 }, async () => {
  const nasty = fc.constantFrom('"', '\\', '\\\\', ' ', '\t', '\n', '\v', '%', '^', '!', '*', '?', "'", 'a', '\u00e9');
  const halves = fc.constantFrom('\u{1f600}', '\ud83d', '\ude00');
  const argument = fc.array(fc.oneof({ weight: 9, arbitrary: nasty }, { weight: 1, arbitrary: halves }), {
    maxLength: 8,
  });
  const vector = fc.array(
    argument.map((parts) => parts.join('')),
    { maxLength: 5 },
  );
  const vectors = fc.sample(vector, { numRuns: VECTORS, seed: 20_261_203 });
  // Each line has as many vectors as it has room for, with a word between them that is in none.
  const END = 'end-of-vector';
  const batches: string[][] = [];
  let words: string[] = [];
  let size = commandLine([PRINTER], { platform: 'win32' }).length;
  const start = size;
  for (const one of vectors) {
    const added = [...one, END];
    const length = commandLine(['x', ...added], { platform: 'win32' }).length;
    if (size + length > LONGEST_LINE) {
      batches.push(words);
      words = [];
      size = start;
    }
    words.push(...added);
    size += length;
  }
  batches.push(words);
  for (let at = 0; at < batches.length; at += AT_ONCE) {
    await Promise.all(
      batches.slice(at, at + AT_ONCE).map(async (batch) => {
        const { crt, shell } = await printed(batch);
        for (const seen of [crt, shell]) {
          const wrong = batch.findIndex((word, i) => word !== seen[i]);
          expect(wrong === -1 ? 'none' : JSON.stringify([batch.slice(wrong - 2, wrong + 3), seen[wrong]])).toBe('none');
          expect(seen.length).toBe(batch.length);
        }
      }),
    );
  }
  expect(batches.flat().filter((word) => word === END).length).toBe(VECTORS);
});
