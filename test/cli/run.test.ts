// `argv-spawn run`: exact arguments, streams passed through, exit codes that tell whose failure it is.

import { describe, expect, test } from 'vitest';
import { CHILD, readArgs } from '../helpers/child.ts';
import { makeFolder, writeProgram } from '../helpers/folder.ts';
import { findByCommand } from '../helpers/processes.ts';
import { until } from '../helpers/until.ts';
import { ARGUMENTS } from '../helpers/vectors.ts';
import { cli, cliFromShell, startCli } from './executable.ts';

const folder = makeFolder();

test('every argument of the matrix that is text arrives unchanged', async () => {
  const words = ARGUMENTS.map(({ value }) => value).filter((value) => typeof value === 'string');
  const { code, stdout } = await cli(['run', '--', CHILD, 'args', ...words]);
  expect(code).toBe(0);
  expect(readArgs(stdout.toString()).map(String)).toEqual(words);
});

test('arguments that are not UTF-8 arrive byte for byte', async () => {
  const { code, stdout } = await cliFromShell(`run -- ${CHILD} args $'\\xff\\xfe' $'\\xef\\xbf\\xbd' plain`);
  expect(code).toBe(0);
  expect(readArgs(stdout.toString())).toEqual([
    Buffer.from('fffe', 'hex'),
    Buffer.from('\uFFFD'),
    Buffer.from('plain'),
  ]);
});

describe('the exit code', () => {
  const script = writeProgram(folder, 'no-hash-bang', 'echo no\n');
  test.each([
    ['is the code of the program', ['run', '--', CHILD, 'exit', '7'], 7],
    ['is 128+n after a signal', ['run', '--', CHILD, 'kill-self', '9'], 137],
    ['is 124 after a timeout', ['run', '--timeout', '100', '--', CHILD, 'close-stdin'], 124],
    ['is 127 when the program is not found', ['run', '--', 'no-such-program'], 127],
    ['is 126 when the program cannot be started', ['run', '--', script], 126],
    ['is 126 when the folder does not exist', ['run', '--cwd', '/no/such', '--', CHILD, 'exit', '0'], 126],
    ['is 125 without --', ['run', CHILD, 'exit', '0'], 125],
    ['is 125 without a program', ['run', '--'], 125],
    ['is 125 for an unknown option', ['run', '--nope', '--', CHILD, 'exit', '0'], 125],
    ['is 125 for a wrong word', ['run', '--lingering', 'nope', '--', CHILD, 'exit', '0'], 125],
    ['is 125 for a number that is none', ['run', '--timeout', 'soon', '--', CHILD, 'exit', '0'], 125],
    ['is 125 for an option that needs --json', ['run', '--keep', 'head', '--', CHILD, 'exit', '0'], 125],
    ['is 125 for an unknown command', ['rum'], 125],
    ['is 125 without a command', [], 125],
  ])('%s', async (_, args, expected) => {
    const { code, stderr } = await cli(args);
    expect(code).toBe(expected);
    // Our own failures are explained; the program's are its own business.
    if (expected >= 125 && expected <= 127) expect(stderr).toMatch(/^(argv-spawn: |Usage: )/);
    else expect(stderr).toBe('');
  });
});

test('a piped stdin reaches the program, and its end too', async () => {
  const { code, stdout } = await cli(['run', '--', CHILD, 'count-stdin'], 'x'.repeat(1_000_000));
  expect([code, stdout.toString()]).toEqual([0, '1000000\n']);
});

test('--stdin ignore keeps a piped stdin away from the program', async () => {
  const { stdout } = await cli(['run', '--stdin', 'ignore', '--', CHILD, 'count-stdin'], 'text');
  expect(stdout.toString()).toBe('0\n');
});

test('stdout and stderr of the program are those of the executable', async () => {
  const { stdout, stderr } = await cli(['run', '--', 'sh', '-c', 'echo out; echo err >&2']);
  expect([stdout.toString(), stderr]).toEqual(['out\n', 'err\n']);
});

test('--env, --unset and --clear-env make the environment', async () => {
  const { stdout } = await cli(['run', '--clear-env', '--env', 'A=1=2', '--env', 'B=', '--', '/usr/bin/env']);
  expect(stdout.toString()).toBe('A=1=2\nB=\n');
  const host = await cli(['run', '--unset', 'PATH', '--env', 'A=b', '--', '/usr/bin/env']);
  const names = host.stdout
    .toString()
    .split('\n')
    .map((line) => line.split('=')[0]);
  expect(names).toContain('A');
  expect(names).not.toContain('PATH');
});

describe('--json', () => {
  test('prints the whole result as one object', async () => {
    const { code, stdout } = await cli(['run', '--json', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3']);
    expect(code).toBe(3);
    expect(JSON.parse(stdout.toString())).toMatchObject({
      argv: ['sh', '-c', 'echo out; echo err >&2; exit 3'],
      ok: false,
      reason: 'exit',
      code: 3,
      stdout: 'out\n',
      stderr: 'err\n',
      encoding: 'text',
    });
  });

  test('--encoding buffer gives base64, --max-buffer and --keep cut', async () => {
    const cut = ['--max-buffer', '4', '--keep', 'tail', '--encoding', 'buffer'];
    const { stdout } = await cli(['run', '--json', ...cut, '--', CHILD, 'flood', '100']);
    const result = JSON.parse(stdout.toString()) as { encoding: string; stdout: string; capture: unknown };
    expect(result.encoding).toBe('base64');
    expect(Buffer.from(result.stdout, 'base64').toString()).toBe('6789');
    expect(result.capture).toMatchObject({ stdout: { bytes: 100, kept: 4, omitted: 96, truncated: true } });
  });

  test('a program that could not be started is an object too', async () => {
    const { code, stdout } = await cli(['run', '--json', '--', './nowhere']);
    expect(code).toBe(127);
    expect(JSON.parse(stdout.toString())).toMatchObject({
      error: { name: 'SpawnError', code: 'ENOENT', stage: 'resolve' },
    });
  });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends the tree before the executable ends', async (signal, expected) => {
  const marker = `cli-${signal}-${process.pid}`;
  const grown = `trap "" TERM INT HUP; (sleep 1000; : ${marker}) & wait; wait; wait`;
  const started = startCli(['run', '--force-kill-after', '100', '--', 'sh', '-c', grown]);
  await until('the tree is grown', () => findByCommand(marker).length >= 3);
  process.kill(started.pid, signal);
  expect((await started.ended).code).toBe(expected);
  expect(findByCommand(marker)).toEqual([]);
});
