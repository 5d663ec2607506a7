// Field cases about argument boundaries: F-01 to F-05, F-07 to F-09, and F-30, which is the child's own loss.

import { describe, expect, test } from 'vitest';
import { commandLine, run, runSync, spawn } from '../../lib/index.ts';
import type { Argv } from '../../lib/index.ts';
import { CHILD, child, readArgs } from '../helpers/child.ts';
import { PACKAGE } from '../helpers/host.ts';

const CASES: readonly (readonly [name: string, args: readonly string[]])[] = [
  [
    'F-01: an apostrophe in JSON, and a body of several lines',
    ['-d', `{"note":"it's \\"done\\""}`, 'http://127.0.0.1:1/x', 'first\n- second\nthird'],
  ],
  ['F-02: Markdown and back-ticks', ['--body', 'Uses `FLAG` in \\turbo.json\n\n- item $x']],
  ['F-03: inner quotes, an empty argument, a trailing backslash', ['a "b c" d', '', 'tail\\']],
  ['F-04: quotes, a variable and an apostrophe', ['/p:platform="Any CPU"', 'hello $PATH', "it's"]],
  ['F-05: words, globs and backslashes', ['1 foo', 'src/**/*.x', 'c:\\a\\b\\.ts']],
];

describe.each(CASES)('%s', (_name, args) => {
  const expected = args.map((argument) => Buffer.from(argument));

  test('arrive as they are through every function', async () => {
    const argv = child('args', ...args);
    expect(readArgs((await run(argv)).stdout)).toEqual(expected);
    expect(readArgs(runSync(argv).stdout)).toEqual(expected);
    expect(readArgs(String((await spawn(argv).collect()).stdout))).toEqual(expected);
  });

  test('arrive as they are over two hops', async () => {
    // The first hop is a Node program that passes its own arguments on with this package.
    const script = `import { run } from ${JSON.stringify(PACKAGE)};
      process.stdout.write((await run([process.argv[1], 'args', ...process.argv.slice(2)])).stdout);`;
    const hop: Argv = [process.execPath, '--input-type=module', '-e', script, '--', CHILD, ...args];
    expect(readArgs((await run(hop)).stdout)).toEqual(expected);
  });
});

describe('F-07: what was approved is what runs', () => {
  test.each<[Argv]>([[['git', 'diff', '--']], [['git', 'diff', '--no-index', '--', 'a', 'b']]])(
    '%j is in the result as it was given, frozen, with the path that ran',
    async (given) => {
      const argv = ['true', ...given] as const;
      const result = await run(argv);
      expect(result.argv).toEqual(argv);
      expect(Object.isFrozen(result.argv)).toBe(true);
      expect(result.program).toMatch(/^\/.*\/true$/);
    },
  );

  test('a list that is changed after the call does not change the call', async () => {
    const argv: [string, ...string[]] = ['echo', 'approved'];
    const started = run(argv);
    argv[1] = 'changed';
    argv.push('added');
    expect((await started).stdout).toBe('approved\n');
  });

  test('a text for display is refused as input', async () => {
    const text = commandLine(['echo', 'a b']);
    expect(text).toBe("echo 'a b'");
    await expect(run(text as unknown as Argv)).rejects.toMatchObject({ name: 'TypeError', field: 'argv' });
  });
});

test('F-08: a NUL is refused with index and offset, by a rejection, and nothing is cut', async () => {
  const started = run(child('args', 'a\0b')); // does not throw
  await expect(started).rejects.toMatchObject({ name: 'TypeError', field: 'argv[2]', index: 2, offset: 1 });
});

test('F-09: half a surrogate pair is refused with index and offset, never replaced', async () => {
  await expect(run(child('args', 'a\ud800b'))).rejects.toMatchObject({ field: 'argv[2]', index: 2, offset: 1 });
  await expect(run(child('args', '\udc00'))).rejects.toMatchObject({ field: 'argv[2]', index: 2, offset: 0 });
});

describe('F-30: a Node child that writes more than the pipe holds', () => {
  const bytesOf = async (script: string): Promise<number | undefined> => {
    const { code, capture } = await run([process.execPath, '-e', script]);
    expect(code).toBe(3);
    return capture.stdout?.bytes;
  };

  test('and exits at once cuts its own output; what it did write is not cut further', async () => {
    // The pipe is read at once, and made larger once it has carried much; what the child drops is beyond reach.
    const bytes = await bytesOf(`process.stdout.write('x'.repeat(2e6)); process.exit(3);`);
    expect(bytes).toBeGreaterThanOrEqual(65_536);
  });

  test('and waits for its write loses nothing', async () => {
    expect(await bytesOf(`process.stdout.write('x'.repeat(2e6), () => process.exit(3));`)).toBe(2_000_000);
  });
});
