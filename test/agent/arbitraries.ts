// Random argument vectors and rules: mostly plain words, so that rules match, with everything awkward among them.

import fc from 'fast-check';
import type { Effect, Rule } from '../../lib/agent.ts';

/** ARGV_SPAWN_PROPERTY_RUNS changes it; the seed is fixed so that a failure can be repeated. */
export const PROPERTY_RUNS: number = Number(process.env['ARGV_SPAWN_PROPERTY_RUNS'] ?? 100_000);

const NASTY = [
  ...Array.from(` '"\\$\`;&|<>()*?[]{}~!#^=%,\n\r\t-/.:@`),
  '\u00e9',
  '\u200b',
  '\u202e',
  '\u{1f600}',
  'a',
  'rm',
];
const WORDS = [
  'git',
  'rm',
  'ls',
  'status',
  'push',
  '-rf',
  '--force',
  'a',
  'b',
  'x=1',
  'env',
  'sh',
  '-c',
  './x',
  '/bin/rm',
];

const plainWord = fc.constantFrom(...WORDS);
const nastyWord = fc.array(fc.constantFrom(...NASTY), { maxLength: 6 }).map((parts) => parts.join(''));
const anyText = fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll('\0', '').toWellFormed());
const word = fc.oneof({ weight: 5, arbitrary: plainWord }, { weight: 3, arbitrary: nastyWord }, anyText);

/** At least a program, which is not empty. */
export const anyArgv: fc.Arbitrary<string[]> = fc
  .tuple(
    word.filter((text) => text !== ''),
    fc.array(word, { maxLength: 5 }),
  )
  .map(([program, args]) => [program, ...args]);

export const anyEffect: fc.Arbitrary<Effect> = fc.constantFrom('allow', 'ask', 'deny');

const patternPart = fc.oneof(plainWord, fc.constantFrom('*', ' ', '?', '"', "'"), nastyWord);
const pattern = fc.oneof(
  fc.array(plainWord, { minLength: 1, maxLength: 3 }).map((words) => `${words.join(' ')} *`),
  fc.array(patternPart, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(' ')),
  fc.constantFrom('*', '* *', '*;*', 'git*'),
);
const textRule = fc.record({ effect: anyEffect, text: pattern });
const programRule = fc.record({
  effect: anyEffect,
  program: fc.constantFrom('git', 'rm', 'ls', '/bin/rm'),
  args: fc.constantFrom<readonly ({ rest: true } | string | { glob: string })[]>(
    [{ rest: true }],
    ['status'],
    [{ glob: '-*' }, { rest: true }],
  ),
});
const finalDeny = textRule.map(({ text }) => ({ effect: 'deny' as const, text, final: true }));

export const anyTextRules: fc.Arbitrary<Rule[]> = fc.array(fc.oneof(textRule, finalDeny), { maxLength: 5 });
export const anyRules: fc.Arbitrary<Rule[]> = fc.array(
  fc.oneof({ weight: 4, arbitrary: textRule }, finalDeny, programRule),
  { maxLength: 6 },
);
