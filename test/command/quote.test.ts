// commandLine: argv as one line to read. Real shells read it back here; the package itself never does.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandLine, run, runSync } from '../../lib/index.ts';
import { child, readArgs, toBytes } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { ARGUMENTS, WINDOWS_LINES } from '../helpers/vectors.ts';

const folder = makeFolder();
const VALUES = ARGUMENTS.map((row) => row.value);
const quote = (argument: string | Uint8Array): string =>
  commandLine(['x', argument], { platform: 'linux' }).slice('x '.length);
const usesEscapes = (argument: string | Uint8Array): boolean => quote(argument).startsWith("$'");

/** Whether a shell knows `$'...'` (POSIX.1-2024). */
const knowsEscapes = (shell: string): boolean => runSync([shell, '-c', "printf %s $'\\101'"]).stdout === 'A';

async function readBack(shell: string, values: readonly (string | Uint8Array)[]): Promise<Buffer[]> {
  const line = commandLine(child('args', ...values), { platform: 'linux' });
  const asArgument = await run([shell, '-c', `exec ${line}`], { check: true });
  const script = join(folder, 'script');
  writeFileSync(script, `${line}\n`);
  const asScript = await run([shell, script], { check: true });
  expect(asScript.stdout).toBe(asArgument.stdout);
  return readArgs(asArgument.stdout);
}

describe.each(['sh', 'dash', 'bash'])('%s reads back', (shell) => {
  test('every argument of the matrix that can be seen', async () => {
    const values = VALUES.filter((value) => !usesEscapes(value));
    expect(values.length).toBeGreaterThan(60);
    expect(await readBack(shell, values)).toEqual(values.map(toBytes));
  });

  test.skipIf(!knowsEscapes(shell))(
    "every argument of the matrix (skipped where the shell does not know $'...')",
    async () => {
      expect(await readBack(shell, VALUES)).toEqual(VALUES.map(toBytes));
    },
  );
});

test('one of these shells knows every form, so that each argument was read back', () => {
  expect(knowsEscapes('bash')).toBe(true);
});

describe('the line', () => {
  test.each<[string | Uint8Array, string]>([
    ['plain', 'plain'],
    ['', "''"],
    ['a b', "'a b'"],
    ["it's", "'it'\\''s'"],
    ['$HOME', "'$HOME'"],
    ['~', "'~'"],
    ['a=b', 'a=b'],
    ['=b', "'=b'"],
    ['-rf', '-rf'],
    ['*', "'*'"],
    ['é中😀', "'é中😀'"],
    ['line\nfeed', "$'line\\012feed'"],
    ["\u001b[31mit's\\", "$'\\033[31mit\\'s\\\\'"],
    [Buffer.from('text'), 'text'],
    [Buffer.from([0x61, 0xff, 0x27]), "$'a\\377\\''"],
  ])('shows %j as %s', (argument, shown) => {
    expect(quote(argument)).toBe(shown);
  });

  test.each([
    ['a right-to-left override', '\u202e'],
    ['a zero-width space', '\u200b'],
    ['a zero-width joiner', '\u200d'],
    ['a byte order mark', '\ufeff'],
    ['a no-break space', '\u00a0'],
    ['an ideographic space', '\u3000'],
    ['a soft hyphen', '\u00ad'],
    ['a C1 control', '\u009b'],
    ['a line separator', '\u2028'],
    ['a Hangul filler', '\u3164'],
    ['a variation selector', '\ufe0f'],
    ['a tag character', '\u{e0041}'],
    ['a private character', '\ue000'],
    ['a noncharacter', '\uffff'],
    ['a delete', '\u007f'],
  ])('shows %s by number, and what is around it as it is', (_name, character) => {
    const octal = [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
    expect(quote(`é${character}b`)).toBe(`$'é${octal}b'`);
  });

  test('is one line, whatever the arguments', () => {
    expect(commandLine(['x', ...VALUES], { platform: 'linux' })).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
  });

  test('tells every two arguments of the matrix apart', () => {
    const shown = new Set(VALUES.map(quote));
    expect(shown.size).toBe(new Set(VALUES.map((value) => toBytes(value).toString('hex'))).size);
  });

  test.each(['A=b', 'if', 'while', 'function', 'select', 'done'])(
    'shows the program %s as a program',
    async (program) => {
      expect(commandLine([program, program], { platform: 'linux' })).toBe(`'${program}' ${program}`);
      const result = await run(['bash', '-c', commandLine([program, 'x'], { platform: 'linux' })]);
      expect([result.code, result.stderr]).toEqual([127, expect.stringContaining(`${program}: command not found`)]);
    },
  );
});

describe('for Windows', () => {
  test('there are rows', () => expect(WINDOWS_LINES.length).toBeGreaterThan(15));

  test.each(WINDOWS_LINES)('$argv is $line', ({ argv, line }) => {
    expect(commandLine(argv, { platform: 'win32' })).toBe(line);
  });

  test('a program with a quote and bytes have no form', () => {
    const refuse = (argv: [string, ...(string | Uint8Array)[]], fields: object): void =>
      expect(() => commandLine(argv, { platform: 'win32' })).toThrow(expect.objectContaining(fields));
    refuse(['a"b'], { field: 'argv[0]', code: 'ERR_INVALID_ARG_VALUE' });
    refuse(['a', 'b', Buffer.from('c')], { field: 'argv[2]', index: 2, code: 'ERR_INVALID_ARG_VALUE' });
  });
});

describe('what cannot be run is refused', () => {
  test.each<[unknown, unknown, string, string]>([
    [[], undefined, 'argv', 'ERR_INVALID_ARG_VALUE'],
    [['a', 'b\0'], undefined, 'argv[1]', 'ERR_INVALID_ARG_VALUE'],
    ['ls -l', undefined, 'argv', 'ERR_INVALID_ARG_TYPE'],
    [['a'], { platfrom: 'win32' }, 'platfrom', 'ERR_UNKNOWN_OPTION'],
    [['a'], { platform: 1 }, 'platform', 'ERR_INVALID_ARG_TYPE'],
    [['a'], null, 'options', 'ERR_INVALID_ARG_TYPE'],
  ])('%j with %j: %s', (argv, options, field, code) => {
    const call = (): string => commandLine(argv as [string], options as object);
    expect(call).toThrow(expect.objectContaining({ name: 'TypeError', field, code }));
  });
});
