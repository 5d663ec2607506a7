// A word of the fixture program that no test uses is dead code, and a word that only one side knows is a mistake.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import { CHILD } from './child.ts';

const TESTS = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(TESTS, path), 'utf8');

const readWords = (path: string): string[] =>
  [...read(path).matchAll(/(?:strcmp\(word, |wcscmp\(word, L)"([^"]+)"\)/g)].map((match) => match[1] ?? '');

const unixWords = readWords('fixtures/child.c');
const windowsWords = readWords('fixtures/windows/child.c');
const inProgram = [...new Set([...unixWords, ...windowsWords])];
const union = /export type Word =([^;]+);/.exec(read('helpers/child.ts'))?.[1] ?? '';
const inType = [...union.matchAll(/'([^']+)'/g)].map((match) => match[1] ?? '');

test('the type knows the words of the two programs, each once', () => {
  expect(inType.toSorted()).toEqual(inProgram.toSorted());
  for (const words of [unixWords, windowsWords]) {
    expect(words.length).toBeGreaterThan(5);
    expect(new Set(words).size).toBe(words.length);
  }
});

test('every word is used by a test', () => {
  const texts = readdirSync(TESTS, { recursive: true })
    .map(String)
    .filter((name) => /\.(ts|cc)$/.test(name) && !name.startsWith('helpers'))
    .map(read);
  // child('word', ...) in TypeScript; "CHILD)}, 'word'" in the scripts of hosts of their own.
  const isUsed = (word: string): boolean => {
    const use = new RegExp(`(child\\(\\s*|CHILD\\)?\\}?,\\s*|\\.child,\\s*)'${word}'`);
    return texts.some((text) => use.test(text));
  };
  expect(inProgram.filter((word) => !isUsed(word))).toEqual([]);
});

test('a word it does not know is an error of its own', async () => {
  const result = await run([CHILD, 'no-such-word']);
  expect([result.code, result.stderr]).toEqual([99, 'unknown word: no-such-word\n']);
});
