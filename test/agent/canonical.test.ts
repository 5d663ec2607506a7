// The canonical form: readable where it can be, injective always.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalize, parseCanonical } from '../../lib/agent.ts';
import { run } from '../../lib/index.ts';
import { readArgs, child } from '../helpers/child.ts';
import { anyArgv, PROPERTY_RUNS } from './arbitraries.ts';

function textOf(argv: readonly string[]): string {
  const canonical = canonicalize(argv);
  if (!canonical.ok) throw new Error(canonical.reason);
  return canonical.text;
}

describe('the form', () => {
  test.each([
    [['git', 'status'], 'git status'],
    [['git', 'log', '--format=%h', 'a..b'], 'git log --format=%h a..b'],
    [['git', 'commit', '-m', 'two words'], "git commit -m 'two words'"],
    [['echo', ''], "echo ''"],
    [['echo', "it's"], `echo 'it'"'"'s'`],
    [['echo', "''"], `echo "''"`],
    [['echo', 'a\nb'], "echo 'a\nb'"],
    [['FOO=1', 'x'], "'FOO=1' x"],
    [['if', 'x'], "'if' x"],
    [['-x'], "'-x'"],
    [['echo', '\u00e9'], "echo '\u00e9'"],
    [['echo', '\\'], "echo '\\'"],
  ])('of %j is %j', (argv, text) => {
    expect(textOf(argv)).toBe(text);
    expect(parseCanonical(text)).toEqual(argv);
  });

  test.each([
    ['a b', 'more than one word'],
    ['', 'empty'],
    ['a\tb', 'more than one word'],
    ['a\nb', 'newline'],
    ['a;b', 'operator'],
    ['>x', 'operator'],
    ['*', 'wildcard'],
    ['$x', 'expansion'],
    ['~', 'expansion'],
    ['=x', 'expansion'],
    ["'", 'quote'],
    ['\\', 'quote'],
    ['\u200b', 'non-ASCII'],
    ['\u00a0', 'more than one word'],
    ['\u0430', 'non-ASCII'],
  ] as const)('names %j as unclear: %s', (token, why) => {
    expect(canonicalize(['x', 'y', token])).toMatchObject({ ok: true, unclear: [{ index: 2, why }] });
  });

  test.each(['if', '.', 'A=1', '-c', '{', 'time'])('names the program %j as unclear', (program) => {
    expect(canonicalize([program])).toMatchObject({ ok: true, unclear: [{ index: 0 }] });
  });

  test.each([
    [[], 'empty'],
    [[''], 'empty program'],
    [['a', 'b\0'], 'NUL'],
    [['a', '\ud800'], 'half a surrogate pair'],
    [['a', Buffer.from('x')], 'bytes'],
  ] as const)('does not exist for %j: %s', (argv, reason) => {
    expect(canonicalize(argv)).toEqual({ ok: false, reason });
  });

  test.each(['git  status', ' git', 'git "status"', "git 'status'", "a'", 'a"x"', "a ''''", "''", ''])(
    'is not made of %j',
    (text) => expect(() => parseCanonical(text)).toThrow(TypeError),
  );
});

test(`${PROPERTY_RUNS} random argv: the form is deterministic and injective`, { timeout: 600_000 }, () => {
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(anyArgv, (argv) => {
      const text = textOf(argv);
      expect(textOf([...argv])).toBe(text);
      expect(parseCanonical(text)).toEqual(argv);
      const key = JSON.stringify(argv);
      expect(seen.get(text) ?? key).toBe(key);
      seen.set(text, key);
    }),
    { seed: 20_261_201, numRuns: PROPERTY_RUNS, endOnFailure: true },
  );
  expect(seen.size).toBeGreaterThan(PROPERTY_RUNS / 4);
});

test('real shells read the form back as the same arguments', async () => {
  const argvs = fc.sample(anyArgv, { seed: 7, numRuns: 60 });
  for (const shell of ['dash', 'bash', 'busybox']) {
    for (const args of argvs) {
      const [program = '', ...rest] = child('args', ...args) as string[];
      const line = `exec ${textOf([program, ...rest])}`;
      const result = await run(shell === 'busybox' ? [shell, 'sh', '-c', line] : [shell, '-c', line]);
      expect(readArgs(result.stdout).map(String)).toEqual(args);
    }
  }
});
