// `argv-spawn exec` and the parts of `argv-spawn mcp` that are not the protocol.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CHILD, readArgs } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { findByCommand } from '../helpers/processes.ts';
import { until } from '../helpers/until.ts';
import { cli, startCli } from './executable.ts';
import type { CliEnd } from './executable.ts';

const folder = makeFolder();
const write = (name: string, value: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
};
const call = (program: string, ...args: string[]): object => ({ mode: 'process', program, args });
const exec = (request: unknown, ...options: string[]): Promise<CliEnd> =>
  cli(['exec', ...options], typeof request === 'string' ? request : JSON.stringify(request));
const outcome = (end: CliEnd): Record<string, unknown> => JSON.parse(end.stdout.toString()) as Record<string, unknown>;

test('runs a request from stdin, and from a file, and prints one JSON object', async () => {
  const request = call(CHILD, 'args', 'a b', '$HOME', '');
  for (const end of [
    await exec(request, '--allow-all'),
    await cli(['exec', '--allow-all', write('r.json', request)]),
  ]) {
    expect([end.code, end.stderr]).toEqual([0, '']);
    expect(readArgs(String(outcome(end)['stdout'])).map(String)).toEqual(['a b', '$HOME', '']);
  }
});

test.each([
  [call(CHILD, 'exit', '9'), 9],
  [call(CHILD, 'kill-self', '15'), 143],
  [{ command: 'sleep 60', timeout: 100 }, 124],
  [call('no-such-program-here'), 127],
  [{ ...call('true'), workdir: '/no/such/folder' }, 126],
  [{ mode: 'process', program: 'x', args: '[]' }, 125],
  [{ command: '' }, 125],
])('the exit code of %j is %i', async (request, code) => {
  const end = await exec(request, '--allow-all');
  expect([end.code, end.stderr]).toEqual([code, '']);
  expect(outcome(end)).toBeTypeOf('object');
});

test('without a policy every request is refused', async () => {
  const end = await exec(call('touch', join(folder, 'never')));
  expect(end.code).toBe(126);
  expect(outcome(end)).toMatchObject({ error: { code: 'ERR_PERMISSION', decision: { effect: 'ask' } } });
  expect(() => readFileSync(join(folder, 'never'))).toThrow();
});

describe('with a policy', () => {
  const policy = write('policy.json', {
    rules: [
      { effect: 'allow', text: 'echo *' },
      { effect: 'deny', text: 'rm *', final: true },
    ],
  });

  test('its rules decide', async () => {
    expect((await exec(call('echo', 'x'), '--policy', policy)).code).toBe(0);
    const end = await exec(call('rm', 'x'), '--policy', policy);
    expect([end.code, outcome(end)]).toMatchObject([126, { error: { decision: { effect: 'deny', rule: 1 } } }]);
  });

  test('a dry run prints plan, canonical form and verdict, and starts nothing', async () => {
    const file = join(folder, 'dry');
    const request = { ...call('touch', file), stdin: 'top secret' };
    const end = await exec(request, '--policy', policy, '--dry-run');
    expect(end.code).toBe(1);
    expect(outcome(end)).toMatchObject({
      plan: {
        argv: ['touch', file],
        mode: 'process',
        stdin: { present: true, bytes: 10 },
        file: expect.stringMatching(/touch|coreutils/),
      },
      canonical: { ok: true, text: `touch ${file}`, unclear: [] },
      preview: { line: `touch ${file}`, stdin: '10 bytes' },
      decision: { effect: 'ask', rule: null },
    });
    expect(end.stdout.toString()).not.toContain('secret');
    expect(() => readFileSync(file)).toThrow();
    expect((await exec(call('echo', 'x'), '--policy', policy, '--dry-run')).code).toBe(0);
  });

  test('the audit file gets a decision and an end', async () => {
    const audit = join(folder, 'audit.jsonl');
    await exec({ ...call('cat'), stdin: 'top secret' }, '--allow-all', '--audit', audit);
    const records = readFileSync(audit, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(records).toMatchObject([
      { event: 'decision', permitted: true },
      { event: 'end', code: 0, stdoutBytes: 10 },
    ]);
    expect(readFileSync(audit, 'utf8')).not.toContain('secret');
  });
});

test.each<[string, string[], unknown, string]>([
  [
    'a policy that is wrong',
    ['--policy', write('bad.json', { rules: [{ effect: 'maybe', text: 'x' }] })],
    {},
    'rules[0].effect',
  ],
  ['a policy that is not JSON', ['--policy', write('bad.txt', '{')], {}, 'bad.txt'],
  ['a policy that is not there', ['--policy', '/no/such/file'], {}, '/no/such/file'],
  ['policy and allow-all', ['--allow-all', '--policy', 'x'], {}, 'exclude each other'],
  ['a request that is not JSON', ['--allow-all'], '{"stdin": "top secret"', 'not valid JSON'],
  ['a request file that is not JSON', ['--allow-all', write('r.txt', '{"stdin": "top secret"')], {}, 'not valid JSON'],
  ['an audit file that cannot be', ['--allow-all', '--audit', '/no/such/folder/a'], {}, '--audit /no/such/folder/a'],
  ['a negative bound', ['--allow-all', '--timeout=-5'], {}, '--timeout must be more than 0'],
  ['an unknown option', ['--nope'], {}, '--nope'],
])('%s is wrong usage', async (_, options, request, message) => {
  const end = await exec(request, ...options);
  expect(end.code).toBe(125);
  expect(end.stderr).toContain(message);
  expect(end.stderr + end.stdout.toString()).not.toContain('secret');
});

test('bounds from the command line hold', async () => {
  expect((await exec({ command: 'sleep 60', timeout: 60_000 }, '--allow-all', '--max-timeout', '100')).code).toBe(124);
  expect((await exec({ ...call('cat'), stdin: '12345' }, '--allow-all', '--max-stdin', '4')).code).toBe(125);
  const end = await exec(call(CHILD, 'flood', '5000'), '--allow-all', '--max-buffer', '100');
  expect(outcome(end)).toMatchObject({ omittedBytes: { stdout: 4900 } });
  expect(outcome(await exec(call('pwd'), '--allow-all', '--workdir', '/usr'))['stdout']).toBe('/usr\n');
});

test('the shell of command lines can be named', async () => {
  const command = 'echo ${ZSH_VERSION:+zsh}';
  const end = await exec({ command }, '--allow-all', '--shell', 'zsh');
  expect(outcome(end)).toMatchObject({ stdout: 'zsh\n' });
  const plan = outcome(await exec({ command }, '--allow-all', '--shell', '/bin/dash', '--dry-run'));
  expect(plan).toMatchObject({ plan: { shell: '/bin/dash' }, scan: { execution_semantics: { shell_id: 'dash' } } });
  const wrong = await exec({ command }, '--allow-all', '--shell', 'nope');
  expect([wrong.code, wrong.stderr]).toEqual([125, expect.stringContaining("there is no shell 'nope'")]);
});

test('a signal ends the tree first', async () => {
  const marker = '6003.5';
  const running = startCli(['exec', '--allow-all'], JSON.stringify({ command: `sleep ${marker} & sleep ${marker}` }));
  await until('it sleeps', () => findByCommand(`sleep\0${marker}`).length === 2);
  process.kill(running.pid, 'SIGTERM');
  expect((await running.ended).code).toBe(143);
  expect(findByCommand(`sleep\0${marker}`)).toEqual([]);
});

test('mcp without the SDK says what to install', async () => {
  // A copy of the package with its own dependencies and without the optional one.
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const copy = join(folder, 'without-sdk');
  mkdirSync(join(copy, 'build'), { recursive: true });
  for (const part of ['package.json', 'dist', 'node_modules/zod', 'node_modules/unbash', 'build/Release']) {
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  const end = await startCli(['mcp', '--allow-all'], '', [process.execPath, join(copy, 'dist/cli/main.js')]).ended;
  expect(end.code).toBe(125);
  expect(end.stderr).toBe(
    'argv-spawn: the MCP server needs the package @modelcontextprotocol/sdk, which is not installed: ' +
      'npm install @modelcontextprotocol/sdk\n',
  );
  expect(end.stdout.toString()).toBe('');
});
