// The server as a client sees it: a process of its own, spoken to by the official SDK.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHILD, readArgs } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { findByCommand } from '../helpers/processes.ts';
import { until } from '../helpers/until.ts';
import { ARGUMENTS } from '../helpers/vectors.ts';
import { connect, MAIN } from './client.ts';
import type { Connection } from './client.ts';

const folder = makeFolder();
const TEXTS = ARGUMENTS.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
const run = (program: string, args: readonly string[] = [], extra: object = {}): Record<string, unknown> => ({
  mode: 'process',
  program,
  args,
  ...extra,
});

let server: Connection;
beforeAll(async () => {
  server = await connect(['--allow-all', '--max-buffer', '100000']);
});
afterAll(() => server.close());

test('lists its tools with flat schemas that say what they are not', async () => {
  const { tools } = await server.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'exec',
      'exec_background',
      'exec_status',
      'exec_read',
      'exec_write',
      'exec_stop',
      'exec_list',
      'shells',
      'scan',
    ]),
  );
  const exec = tools.find(({ name }) => name === 'exec');
  expect(exec?.description).toContain('Neither mode is a sandbox');
  expect(JSON.stringify(exec?.inputSchema)).not.toMatch(/"(oneOf|anyOf|allOf)"/);
});

describe('arguments', () => {
  test('every row of the matrix arrives unchanged, one by one', async () => {
    for (const text of TEXTS) {
      const result = await server.call('exec', run(CHILD, ['args', text]));
      expect(readArgs(String(result['stdout'])).map(String)).toEqual([text]);
    }
  });

  test('and all of them side by side', async () => {
    const wide = await connect(['--allow-all']);
    const result = await wide.call('exec', run(CHILD, ['args', ...TEXTS]));
    expect(readArgs(String(result['stdout'])).map(String)).toEqual(TEXTS);
    await wide.close();
  });
});

test('both modes, exit codes and stdin', async () => {
  expect(await server.call('exec', { command: 'echo $((6 * 7)); exit 3' })).toMatchObject({
    isError: false,
    ok: false,
    code: 3,
    stdout: '42\n',
  });
  expect(await server.call('exec', run('cat', [], { stdin: 'l1\nl2' }))).toMatchObject({ ok: true, stdout: 'l1\nl2' });
});

test('wrong requests and unknown tools are errors that name the problem', async () => {
  const wrong = await server.call('exec', { mode: 'process', program: 'x', args: '[]', command: 'y' });
  expect(wrong).toMatchObject({ isError: true, error: { name: 'RequestError' } });
  expect((wrong['error'] as { issues: { path: string }[] }).issues.map(({ path }) => path).sort()).toEqual([
    'args',
    'command',
  ]);
  expect(await server.call('exec_status', { id: 5, more: 1 })).toMatchObject({
    isError: true,
    error: { issues: [{ path: 'id' }, { path: 'more' }] },
  });
  expect(await server.call('nope', {})).toMatchObject({ isError: true, error: { message: 'there is no tool "nope"' } });
  expect(await server.call('exec', run('no-such-program-here'))).toMatchObject({
    isError: true,
    error: { name: 'SpawnError', code: 'ENOENT', stage: 'resolve' },
  });
});

test('a cancelled call ends its tree', async () => {
  const marker = '6001.5';
  const controller = new AbortController();
  const call = server.call('exec', { command: `sleep ${marker} & sleep ${marker}` }, { signal: controller.signal });
  await until('it sleeps', () => findByCommand(`sleep\0${marker}`).length === 2);
  controller.abort();
  await expect(call).rejects.toThrow();
  await until('it is gone', () => findByCommand(`sleep\0${marker}`).length === 0);
  expect(await server.call('exec', run('echo', ['still here']))).toMatchObject({ stdout: 'still here\n' });
});

test('a timeout gives the output so far', async () => {
  const result = await server.call('exec', { command: 'echo part; sleep 600', timeout: 500 });
  expect(result).toMatchObject({ isError: false, ok: false, reason: 'timeout', timedOut: true, stdout: 'part\n' });
});

test('an output of 50 MB is bounded and counted', async () => {
  const result = await server.call('exec', run(CHILD, ['flood', '50000000']));
  expect(result).toMatchObject({ ok: true, omittedBytes: { stdout: 49_900_000, stderr: 0 } });
  expect(String(result['stdout']).length).toBe(100_000);
});

test('without --max-buffer an answer is short as well', async () => {
  const plain = await connect(['--allow-all']);
  try {
    const result = await plain.call('exec', run(CHILD, ['flood', '1000000']));
    expect(result).toMatchObject({ ok: true, omittedBytes: { stdout: 1_000_000 - 256 * 1024, stderr: 0 } });
  } finally {
    await plain.close();
  }
});

test('200 calls, 16 at once, each with its own answer', { timeout: 120_000 }, async () => {
  let next = 0;
  let right = 0;
  const work = async (): Promise<void> => {
    for (let n = next++; n < 200; n = next++) {
      // Every third one reads stdin, of which there is none.
      const request = n % 3 === 0 ? { command: `cat; echo ${n}` } : run('echo', [String(n)]);
      if ((await server.call('exec', request))['stdout'] === `${n}\n`) right++;
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  expect(right).toBe(200);
});

test('a long call tells its progress', async () => {
  const progress: number[] = [];
  await server.call('exec', { command: 'sleep 2.5' }, { onprogress: (one) => void progress.push(one.progress) });
  expect(progress.length).toBeGreaterThanOrEqual(2);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
});

test("children that read never eat the server's own input", async () => {
  const child = spawn(process.execPath, [MAIN, 'mcp', '--allow-all'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: { id?: number; result?: unknown }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line) as (typeof lines)[number]));
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
  const call = (id: number): object => ({
    method: 'tools/call',
    id,
    params: { name: 'exec', arguments: { command: 'head -c 1000; cat; echo end' } },
  });
  const messages = [
    { method: 'initialize', id: 0, params: hello },
    { method: 'notifications/initialized' },
    ...Array.from({ length: 50 }, (_, i) => call(i + 1)),
  ];
  // One write: whatever a child took would be missing from the calls after it.
  child.stdin.write(messages.map((one) => `${JSON.stringify({ jsonrpc: '2.0', ...one })}\n`).join(''));
  await until('all are answered', () => lines.length === 51, 50_000);
  expect(lines.map(({ id }) => id).sort((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: 51 }, (_, i) => i));
  for (const { id, result } of lines) {
    if (id !== 0) expect(result).toMatchObject({ structuredContent: { ok: true, stdout: 'end\n' } });
  }
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.end();
  expect(await gone).toBe(0);
});

test('background runs: start, write, read, list, stop', async () => {
  const started = await server.call('exec_background', { ...run('cat'), openStdin: true });
  const id = String(started['id']);
  expect(started).toMatchObject({ isError: false, state: 'running', mode: 'process' });
  await server.call('exec_write', { id, text: 'hello\n' });
  let text = '';
  await until('it is back', async () => {
    const { stdout } = (await server.call('exec_read', { id })) as unknown as { stdout: { text: string } };
    return (text += stdout.text) === 'hello\n';
  });
  expect(await server.call('exec_list', {})).toMatchObject({
    runs: expect.arrayContaining([expect.objectContaining({ id })]),
  });
  expect(await server.call('exec_stop', { id })).toMatchObject({ state: 'ended', reason: 'stop' });
  expect(await server.call('exec_status', { id })).toMatchObject({ state: 'ended', ok: false });
  expect(await server.call('exec_write', { id, text: 'x' })).toMatchObject({ isError: true });
});

test('shells and scan: the catalog that exec uses, and what a command would run', async () => {
  const { shells, default_shell_id, isError } = await server.call('shells', {});
  const ids = (shells as { id: string; path: string }[]).map(({ id }) => id);
  expect(isError).toBe(false);
  expect(ids).toContain('bash');
  expect(ids).toContain(default_shell_id);
  expect(await server.call('scan', { command: 'sort a > b; rm "$x"', shell: 'bash' })).toMatchObject({
    isError: false,
    execution_semantics: { mode: 'shell', shell_id: 'bash', resolved: true },
    shell_redirects: [{ operator: '>', destination: 'b', writes_file: true }],
    execution_stages: [
      { argv: ['sort', 'a'], dynamic: [false, false] },
      { argv: ['rm', '"$x"'], dynamic: [false, true] },
    ],
    shell_io_complete: true,
  });
  expect(await server.call('scan', { argv: ['env', 'rm', 'x'] })).toMatchObject({
    execution_stages: [{ argv: ['rm', 'x'], source_argv: ['env', 'rm', 'x'] }],
  });
  expect(await server.call('scan', { command: 'x' })).toMatchObject({
    execution_semantics: { shell_id: default_shell_id },
  });
  expect(await server.call('scan', { command: 'x', shel: 'bash' })).toMatchObject({
    isError: true,
    error: { issues: [{ path: 'shel' }] },
  });
});

test('when the client goes away, everything that runs ends', async () => {
  const marker = '6002.5';
  const other = await connect(['--allow-all']);
  await other.call('exec_background', { command: `sleep ${marker}` });
  const hanging = other.call('exec', { command: `sleep ${marker}` });
  await until('both sleep', () => findByCommand(`sleep\0${marker}`).length === 2);
  await Promise.all([other.close(), expect(hanging).rejects.toThrow()]);
  await until('both are gone', () => findByCommand(`sleep\0${marker}`).length === 0);
});

describe('permission', () => {
  const policy = join(folder, 'policy.json');
  writeFileSync(
    policy,
    JSON.stringify({
      rules: [
        { effect: 'allow', text: 'echo fine' },
        { effect: 'deny', text: 'rm *' },
      ],
    }),
  );

  test.each([
    ['allow', true, 1],
    ['deny', false, 1],
    ['cancel', false, 1],
    [undefined, false, 0],
  ] as const)('a question answered with %s', async (answer, permitted, questions) => {
    const asking = await connect(['--policy', policy], answer);
    expect(await asking.call('exec', run('echo', ['fine']))).toMatchObject({ isError: false, stdout: 'fine\n' });
    expect(asking.asked).toEqual([]);
    const result = await asking.call('exec', run('echo', ['a\u200b b'], { stdin: 'secret words' }));
    expect(asking.asked.length).toBe(questions);
    if (questions > 0) expect(asking.asked[0]).toContain('echo "a\\u{200b} b"');
    if (questions > 0) expect(asking.asked[0]).toContain('stdin: 12 bytes');
    if (permitted) expect(result).toMatchObject({ isError: false, permission: { effect: 'ask', answer: 'allow' } });
    else expect(result).toMatchObject({ isError: true, error: { code: 'ERR_PERMISSION' } });
    expect(await asking.call('exec', run('rm', ['x']))).toMatchObject({
      isError: true,
      error: { code: 'ERR_PERMISSION', decision: { effect: 'deny' } },
    });
    expect(asking.asked.length).toBe(questions);
    await asking.close();
  });

  test('without a policy every call is asked about', async () => {
    const plain = await connect([]);
    expect(await plain.call('exec', { command: 'true' })).toMatchObject({ isError: true });
    await plain.close();
  });
});

test('literal stdin is in no message of the server', async () => {
  const secret = 'correct-horse-battery-staple';
  const asking = await connect([], 'allow');
  await asking.call('exec', run(CHILD, ['count-stdin'], { stdin: secret }));
  await asking.call('exec', run('no-such-program-here', [], { stdin: secret }));
  await asking.call('exec', { command: 'cat', stdin: secret });
  await asking.call('exec', run(CHILD, ['count-stdin'], { stdin: secret, timeout: -1 }));
  const { id } = await asking.call('exec_background', run(CHILD, ['count-stdin'], { stdin: secret }));
  await asking.call('exec_stop', { id });
  await asking.call('exec_list', {});
  await asking.close();
  expect(asking.heard.length).toBeGreaterThan(7);
  expect(asking.heard.join('\n') + asking.asked.join('\n')).not.toContain(secret);
});
