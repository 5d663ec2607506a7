// argv: what is copied, and how a wrong one is refused. The matrix of values is in test/args.

import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import type { Argv } from '../../lib/index.ts';
import { encodeArgv, parseArgv } from '../../lib/command/argv.ts';
import { child, readArgs } from '../helpers/child.ts';

test('is copied and frozen', () => {
  const given = ['a', 'b'];
  const parsed = parseArgv(given);
  given[1] = 'changed';
  expect([parsed, Object.isFrozen(parsed)]).toEqual([['a', 'b'], true]);
});

test('each entry is read once, so that what was checked is what is used', async () => {
  let reads = 0;
  const argv = child('args', 'x');
  Object.defineProperty(argv, 2, { get: () => (++reads === 1 ? 'good' : 'a\0b'), enumerable: true });
  expect(readArgs((await run(argv)).stdout).map(String)).toEqual(['good']);
});

describe('a wrong one says where', () => {
  test.each<[string, unknown, string]>([
    ['a command line', 'ls -l', 'argv must be an array of strings, the program first, got "ls -l"'],
    ['an iterator', new Set(['ls']), 'argv must be an array of strings, the program first, got an object'],
    ['nothing', undefined, 'argv must be an array of strings, the program first, got undefined'],
    ['a hole', ['ls', , 'x'], 'argv[1] must be a string or (on Unix) a Uint8Array, got undefined'], // eslint-disable-line no-sparse-arrays -- the hole is the test
    ['a number', ['head', '-n', 5], 'argv[2] must be a string or (on Unix) a Uint8Array, got 5'],
    ['bytes as the program', [Buffer.from('ls')], 'argv[0] must be a string (the program), got an object'],
    ['a symbol', ['ls', Symbol('x')], 'argv[1] must be a string or (on Unix) a Uint8Array, got a symbol'],
    ['other numbers', ['ls', new Uint16Array(1)], 'argv[1] must be a string or (on Unix) a Uint8Array, got an object'],
    [
      'half a pair after a whole one',
      ['ls', '😀\udc00'],
      'argv[1] has half a surrogate pair at offset 2; it has no UTF-8 form',
    ],
    ['a long text with a NUL', ['ls', `${'x'.repeat(200)}\0`], 'argv[1] has a NUL character at offset 200'],
  ])('%s', async (_name, argv, message) => {
    await expect(run(argv as Argv)).rejects.toMatchObject({ name: 'TypeError', message });
  });
});

test('an array of another realm is an array', async () => {
  const argv = runInContext('["echo", "from there"]', createContext()) as Argv;
  expect((await run(argv)).stdout).toBe('from there\n');
});

test('is sent as text when it is all text, else as bytes; each entry ends with a NUL', () => {
  expect(encodeArgv(['a', '', 'é'])).toBe('a\0\0é\0');
  expect(encodeArgv(['a', Uint8Array.of(0xff), 'é'])).toEqual(Buffer.from('6100ff00c3a900', 'hex'));
});
