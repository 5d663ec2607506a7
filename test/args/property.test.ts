// Random argument vectors, each really started. ARGV_SPAWN_PROPERTY_RUNS makes it longer; the seed is fixed so that a
// failure can be repeated, and printed by fast-check when there is one.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import { child, readArgs, toBytes } from '../helpers/child.ts';

const IS_WINDOWS = process.platform === 'win32';
const RUNS = Number(process.env['ARGV_SPAWN_PROPERTY_RUNS'] ?? (IS_WINDOWS ? 200 : 10_000));
const AT_ONCE = 8;

const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.replaceAll('\0', '').toWellFormed());
const nasty = fc
  .array(fc.constantFrom('"', '\\', ' ', "'", '$', '`', '%', '^', '\n', '\r', '\t', '*', '-', '\u00e9', '\u{1f600}'), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));
const bytes = fc.uint8Array({ min: 1, maxLength: 40 });
const vector = fc.array(IS_WINDOWS ? fc.oneof(text, nasty) : fc.oneof(text, nasty, bytes), { maxLength: 10 });

test(
  `${RUNS} random argument vectors arrive unchanged`,
  { timeout: 60_000 + RUNS * (IS_WINDOWS ? 2000 : 30) },
  async () => {
    const property = fc.asyncProperty(fc.array(vector, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (vectors) => {
      const results = await Promise.all(vectors.map((args) => run(child('args', ...args))));
      results.forEach((result, i) => expect(readArgs(result.stdout)).toEqual(vectors[i]?.map(toBytes)));
    });
    await fc.assert(property, { seed: 20_261_201, numRuns: Math.ceil(RUNS / AT_ONCE), endOnFailure: true });
  },
);
