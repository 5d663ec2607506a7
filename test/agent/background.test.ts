// Background runs, for argv and shell alike.

import { describe, expect, test } from 'vitest';
import type { Background, BackgroundStatus } from '../../lib/agent.ts';
import { CHILD } from '../helpers/child.ts';
import { PACKAGE, runHost } from '../helpers/host.ts';
import { findByCommand, isAlive } from '../helpers/processes.ts';
import { until } from '../helpers/until.ts';
import { failureOf, inMode, makeExecutor, MODES } from './support.ts';

async function ended(background: Background, id: string): Promise<BackgroundStatus> {
  await until('the run has ended', () => background.status(id).state === 'ended');
  return background.status(id);
}

describe.each(MODES)('%s mode', (mode) => {
  test('start, status, read and end', async () => {
    const { background } = makeExecutor();
    const { id, pid, state, plan } = await background.start(inMode(mode, ['echo', 'hello']));
    expect([state, plan.mode]).toEqual(['running', mode]);
    expect(pid).toBeGreaterThan(0);
    const status = await ended(background, id);
    expect(status).toMatchObject({ status: { ok: true, reason: 'exit', code: 0 }, stdoutBytes: 6, error: null });
    expect(background.read(id)).toMatchObject({ state: 'ended', stdout: { text: 'hello\n', next: 6, missed: 0 } });
    expect(background.read(id).stdout.text).toBe('');
    expect(background.read(id, { stdout: 1 }).stdout.text).toBe('ello\n');
  });

  test('input is written while it runs, output read as it comes', async () => {
    const { background } = makeExecutor();
    const { id } = await background.start(inMode(mode, ['cat']), { openStdin: true });
    let text = '';
    for (const line of ['one\n', 'h\u00e9 \u{1f600}\n']) {
      await background.write(id, line);
      text += line;
      let seen = '';
      await until('the line is back', () => (seen = background.read(id, { stdout: 0 }).stdout.text) === text);
      expect(seen).toBe(text);
    }
    await background.write(id, 'last', { end: true });
    expect((await ended(background, id)).status).toMatchObject({ code: 0 });
    expect(background.read(id, { stdout: 0 }).stdout.text).toBe(`${text}last`);
    await expect(background.write(id, 'more')).rejects.toMatchObject({ name: 'RequestError' });
  });

  test('without open stdin it reads end of file, and write is refused', async () => {
    const { background } = makeExecutor();
    const { id } = await background.start(inMode(mode, ['cat']));
    await expect(background.write(id, 'x')).rejects.toMatchObject({ name: 'RequestError', issues: [{ path: 'id' }] });
    expect((await ended(background, id)).status).toMatchObject({ code: 0, stdin: { bytesWritten: 0 } });
  });

  test('stop ends it and says how', async () => {
    const { background } = makeExecutor();
    const { id, pid } = await background.start(inMode(mode, ['sleep', '600']));
    expect(isAlive(pid)).toBe(true);
    const status = await background.stop(id);
    expect(status).toMatchObject({ state: 'ended', status: { ok: false, reason: 'stop' } });
    expect(isAlive(pid)).toBe(false);
    expect(await background.stop(id)).toMatchObject({ state: 'ended' });
  });

  test('a timeout and an abort end it', async () => {
    const { background } = makeExecutor();
    const timed = await background.start(inMode(mode, ['sleep', '600'], { timeout: 50 }));
    expect((await ended(background, timed.id)).status).toMatchObject({ reason: 'timeout', timedOut: true });
    const signal = AbortSignal.timeout(50);
    const aborted = await background.start(inMode(mode, ['sleep', '600']), { signal });
    expect(await ended(background, aborted.id)).toMatchObject({
      status: { aborted: true },
      error: { name: 'AbortError' },
    });
  });

  test('permission, capabilities and folders hold as for run', async () => {
    const denied = makeExecutor({ policy: { rules: [] } });
    await expect(denied.background.start(inMode(mode, ['true']))).rejects.toMatchObject({ name: 'PermissionError' });
    const { background } = makeExecutor();
    await expect(background.start(inMode(mode, ['true'], { workdir: '/no/such' }))).rejects.toMatchObject({
      code: 'ENOENT',
    });
    expect(background.list()).toEqual([]);
  });

  test('what it writes is drained, and the last of it is kept', async () => {
    const { background } = makeExecutor();
    const { id } = await background.start(inMode(mode, [CHILD, 'flood', '5000000']));
    expect((await ended(background, id)).stdoutBytes).toBe(5_000_000);
    const { stdout } = background.read(id);
    expect(stdout.text.length).toBe(1_048_576);
    expect(stdout).toMatchObject({ next: 5_000_000, missed: 5_000_000 - 1_048_576 });
  });

  test('the audit trail and the after hook see its end', async () => {
    const seen: unknown[] = [];
    const executor = makeExecutor({
      audit: { record: (entry) => void seen.push(entry) },
      hooks: { after: (outcome) => void seen.push(outcome) },
    });
    const { id } = await executor.background.start(inMode(mode, ['echo', 'x']));
    await ended(executor.background, id);
    await until('all is told', () => seen.length === 3);
    expect(seen).toMatchObject([
      { event: 'decision', id, permitted: true },
      { event: 'end', id, code: 0, stdoutBytes: 2 },
      { plan: { mode }, status: { code: 0 } },
    ]);
  });
});

test('literal stdin goes first when stdin stays open', async () => {
  const { background } = makeExecutor();
  const request = { mode: 'process', program: 'cat', args: [], stdin: 'first ' };
  const { id } = await background.start(request, { openStdin: true });
  await background.write(id, 'second', { end: true });
  await ended(background, id);
  expect(background.read(id).stdout.text).toBe('first second');
});

test('an unknown id and a program that does not exist are errors', async () => {
  const { background } = makeExecutor();
  expect(() => background.status('nope')).toThrow(/"nope" is not a background run/);
  const missing = { mode: 'process', program: 'no-such-program-here', args: [] };
  expect(await failureOf(background.start(missing))).toMatchObject({ name: 'SpawnError', code: 'ENOENT' });
});

test('characters are never cut between two reads', async () => {
  const { background } = makeExecutor();
  const script = `process.stdout.write(Buffer.from([0x61, 0xf0, 0x9f])); process.stdin.once('data', () => {
    process.stdout.write(Buffer.from([0x98, 0x80])); process.stdin.destroy(); });`;
  const request = { mode: 'process', program: process.execPath, args: ['-e', script] };
  const { id } = await background.start(request, { openStdin: true });
  await until('three bytes are there', () => background.status(id).stdoutBytes === 3);
  expect(background.read(id).stdout.text).toBe('a');
  await background.write(id, 'go', { end: true });
  await ended(background, id);
  expect(background.read(id).stdout.text).toBe('\u{1f600}');
});

test('many runs: the finished ones are forgotten, the running ones never', async () => {
  const executor = makeExecutor();
  const { background } = executor;
  const { id } = await background.start({ command: 'sleep 600' });
  for (let n = 0; n < 70; n++) await ended(background, (await background.start({ command: 'true' })).id);
  expect(background.list().length).toBeLessThanOrEqual(64);
  expect(background.status(id).state).toBe('running');
  await executor.close();
  expect(background.status(id).state).toBe('ended');
});

describe('nothing survives the host unless asked', () => {
  const agent = PACKAGE.replace('index.js', 'agent.js');
  const host = (marker: string, options: string, end: string): string =>
    `import { createExecutor } from ${JSON.stringify(agent)};
     const { background } = createExecutor({ policy: { rules: [], otherwise: 'allow' } });
     await background.start({ mode: 'process', program: 'sleep', args: ['${marker}'] });
     const { id } = await background.start({ command: 'sleep ${marker}1 >/dev/null 2>&1 </dev/null & echo $!' }, ${options});
     while (background.status(id).state === 'running') await new Promise((r) => setTimeout(r, 5));
     console.log(background.read(id).stdout.text);
     ${end}`;

  test.each([
    ['that exits', 'process.exit(0);'],
    ['that throws', "throw new Error('expected');"],
    ['that is killed', "process.kill(process.pid, 'SIGKILL'); await new Promise(() => undefined);"],
  ])('a host %s', async (_, end) => {
    const marker = `77${end.length}`;
    const { stdout } = await runHost(host(marker, '{}', end));
    expect(Number(stdout)).toBeGreaterThan(0);
    await until('all is gone', () => findByCommand(`sleep\0${marker}`).length === 0);
  });

  test("lingering: 'leave' lets a program leave something", async () => {
    const marker = '7799';
    const { stdout } = await runHost(host(marker, "{ lingering: 'leave' }", 'process.exit(0);'));
    const left = Number(stdout);
    await until('the run itself is gone', () => findByCommand(`sleep\0${marker}\0`).length === 0);
    expect(isAlive(left)).toBe(true);
    process.kill(left, 'SIGKILL');
  });
});
