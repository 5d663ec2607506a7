// Hosts in which the kernel refuses calls, or takes its time: F-82, machines without pidfd, seccomp filters.

import { describe, expect, test } from 'vitest';
import { CHILD } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { runHost } from '../helpers/host.ts';
import { HELPERS } from '../helpers/host-script.ts';
import { uniqueSpan } from '../helpers/span.ts';
import { delaying, refusing } from '../helpers/strace.ts';

const folder = makeFolder();

/** What must hold whatever the kernel offers: one line of JSON. SPAN is in the environment, CHILD is the fixture. */
const BASICS = `${HELPERS}
  const span = process.env.SPAN;
  const answers = {};
  answers.echo = (await run(['echo', 'a b'])).stdout;
  answers.code = (await run(['sh', '-c', 'exit 7'])).code;
  answers.signal = (await run(['sh', '-c', 'kill -9 $$'])).signal;
  answers.stdin = (await run(['cat'], { stdin: 'x'.repeat(300000) })).stdout.length;
  answers.descriptors = (await run([${JSON.stringify(CHILD)}, 'fds'])).stdout;
  answers.missing = await run(['/no/such/program']).catch((error) => error.code + ' ' + error.stage);
  answers.sync = runSync(['sh', '-c', 'echo sync; exit 3']).code;
  const late = await run(['sh', '-c', "trap '' TERM; sleep " + span + " & sleep " + span], { timeout: 100, forceKillAfter: 100 });
  answers.timeout = [late.reason, findByCommand('sleep\\0' + span).length];
  const controller = new AbortController();
  const aborted = run(['sleep', span], { signal: controller.signal });
  await until('it runs', () => findByCommand('sleep\\0' + span).length === 1);
  controller.abort();
  answers.abort = [await aborted.catch((error) => error.name), findByCommand('sleep\\0' + span).length];
  const holder = await run(['sh', '-c', 'sleep ' + span + ' & echo done']);
  answers.holder = [holder.stdout, holder.leftovers.map((one) => one.fate), findByCommand('sleep\\0' + span).length];
  const child = spawn(['sleep', span]);
  await child.spawned;
  answers.kill = [child.kill('SIGKILL'), (await child.exited).signal, child.kill('SIGKILL')];
  answers.many = (await Promise.all(Array.from({ length: 30 }, (_, i) => run(['sh', '-c', 'exit ' + i]))))
    .every(({ code, statusKnown }, i) => code === i && statusKnown);
  // A keeper ends just after it has told the end of its tree.
  await until('all have been reaped', () => countChildren(process.pid) === 0);
  answers.zombies = countResources().zombies;
  console.log(JSON.stringify(answers));`;

const EXPECTED = {
  echo: 'a b\n',
  code: 7,
  signal: 'SIGKILL',
  stdin: 300_000,
  descriptors: '0\n1\n2\n',
  missing: 'ENOENT resolve',
  sync: 3,
  timeout: ['timeout', 0],
  abort: ['AbortError', 0],
  holder: ['done\n', ['ended'], 0],
  kill: [true, 'SIGKILL', false],
  many: true,
  zombies: 0,
};

describe('the basics hold', () => {
  const show = async (prefix: readonly string[]): Promise<unknown> => {
    const end = await runHost(BASICS, { prefix, env: { ...process.env, SPAN: uniqueSpan() } });
    expect(end.stderr).toBe('');
    return JSON.parse(end.stdout);
  };

  test('where nothing is refused', async () => {
    expect(await show([])).toEqual(EXPECTED);
  });

  test.each([
    ['pidfd_open', 'ENOSYS'],
    ['pidfd_open', 'EPERM'],
    ['pidfd_open', 'EMFILE'],
    ['pidfd_send_signal', 'ENOSYS'],
    ['pidfd_send_signal', 'EPERM'],
    ['close_range', 'ENOSYS'],
    ['close_range', 'EPERM'],
    ['clone3', 'ENOSYS'],
    ['pidfd_open,pidfd_send_signal,close_range,clone3,faccessat2', 'ENOSYS'],
  ])('where %s fails with %s', async (calls, error) => {
    const tampered = refusing(folder, calls, error);
    expect(await show(tampered.prefix)).toEqual(EXPECTED);
    expect(tampered.count()).toBeGreaterThan(0);
  });
});

test('F-82: where socket calls are refused everything works, since none is made', async () => {
  const calls = 'socket,socketpair,connect,shutdown,sendmsg,recvmsg,sendto,recvfrom';
  const ours = refusing(folder, calls, 'EPERM');
  const end = await runHost(BASICS, { prefix: ours.prefix, env: { ...process.env, SPAN: uniqueSpan() } });
  expect(JSON.parse(end.stdout)).toEqual(EXPECTED);
  expect(ours.count()).toBe(0);
});

test('F-82 (contrast): node:child_process turns a refused shutdown into a failure of a program that succeeded', async () => {
  const theirs = refusing(folder, 'shutdown', 'EPERM');
  const script = `
    import { spawnSync } from 'node:child_process';
    const theirs = spawnSync('head', ['-c', '1'], { input: 'x' });
    const ours = runSync(['head', '-c', '1'], { stdin: 'x' });
    console.log(JSON.stringify([theirs.status, theirs.error?.code, ours.ok, ours.stdout]));`;
  const end = await runHost(script, { prefix: theirs.prefix });
  expect(JSON.parse(end.stdout)).toEqual([0, 'EPERM', true, 'x']);
  expect(theirs.count()).toBeGreaterThan(0);
});

describe('a start that the kernel refuses is a SpawnError, leaks nothing, and the next one works', () => {
  /** strace attaches itself to the host after `first`, so that Node's own threads are there already. */
  const script = (calls: string, error: string, first: string): string => `${HELPERS}
    import { spawn as startForeign } from 'node:child_process';
    import { readFileSync } from 'node:fs';
    const tracedBy = () => /^TracerPid:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))[1] !== '0';
    ${first}
    const words = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=${calls}', '-e', 'inject=${calls}:error=${error}'];
    const tracer = startForeign('strace', [...words, '-p', String(process.pid)], { stdio: 'ignore' });
    await until('strace has attached itself', tracedBy);
    await until('the keeper of what ran before is reaped', () => countResources().zombies === 0);
    const before = countResources();
    const failed = [];
    for (let i = 0; i < 20; i++) {
      failed.push(await run(['true'], { stdin: 'x' }).then(() => 'ran', (e) => e.name + ' ' + e.code + ' ' + e.stage));
    }
    const sync = (() => { try { return runSync(['true']).ok; } catch (e) { return e.code; } })();
    await until('all have been reaped', () => countResources().zombies === 0);
    const after = countResources();
    tracer.kill('SIGTERM');
    await until('strace is gone', () => !tracedBy());
    const ok = (await run(['true'])).ok;
    console.log(JSON.stringify([[...new Set(failed)], sync, after.descriptors - before.descriptors, after.zombies, ok]));
    process.exit();`;

  test.each([
    ['clone3,clone,fork,vfork', 'EAGAIN', 'fork'],
    ['clone3,clone,fork,vfork', 'ENOMEM', 'fork'],
    ['pipe2', 'EMFILE', 'setup'],
    // posix_spawn does not say which of its steps failed, and EPERM is what exec says of a program too. Here it says it
    // of everything, so the program is not at fault.
    ['clone3,clone,fork,vfork', 'EPERM', 'fork'],
    ['setsid', 'EPERM', 'fork'],
    ['execve', 'EPERM', 'fork'],
  ])('%s with %s', async (calls, error, stage) => {
    const end = await runHost(script(calls, error, `await run(['true']);`));
    expect(end.stderr).toBe('');
    expect(JSON.parse(end.stdout)).toEqual([[`SpawnError ${error} ${stage}`], error, 0, 0, true]);
  });

  test('also when it is the first one, and the engine has no thread yet', async () => {
    const end = await runHost(script('clone3,clone', 'EAGAIN', ''));
    expect(end.stderr).toBe('');
    expect(JSON.parse(end.stdout)).toEqual([['SpawnError EAGAIN setup'], 'EAGAIN', expect.any(Number), 0, true]);
  });
});

describe('where exec takes 300 ms', () => {
  test('F-81: the loop does not wait for it (node:child_process does)', async () => {
    const slow = delaying(folder, 'execve', 300);
    const end = await runHost(
      `import { spawn as startForeign } from 'node:child_process';
       const time = (start) => { const from = performance.now(); start(); return performance.now() - from; };
       await run(['true']);
       const runs = [];
       const ours = [1, 2, 3, 4].map(() => time(() => runs.push(run(['true']), spawn(['true']).exited)));
       await Promise.all(runs);
       const theirs = time(() => startForeign('true'));
       console.log(JSON.stringify([Math.min(...ours), theirs]));`,
      { prefix: slow.prefix },
    );
    const [ours, theirs] = JSON.parse(end.stdout) as [number, number];
    expect(theirs).toBeGreaterThan(290);
    expect(ours).toBeLessThan(150);
    expect(slow.count()).toBeGreaterThan(8);
  });

  test('a half-started child, which has a copy of every pipe end, is not taken for a holder of the pipe', async () => {
    const slow = delaying(folder, 'execve', 300);
    const end = await runHost(
      `let over = false;
       const keepStarting = async () => { while (!over) await run(['true']); };
       const lanes = [];
       const holder = spawn(['sh', '-c', 'sleep 60 & sleep 0.1; echo done']);
       await holder.spawned;
       for (let i = 0; i < 4; i++) lanes.push(keepStarting());
       const { stdout, leftovers } = await holder.collect();
       over = true;
       await Promise.all(lanes);
       console.log(JSON.stringify([stdout, leftovers.map((one) => one.fate)]));`,
      { prefix: slow.prefix },
    );
    expect(JSON.parse(end.stdout)).toEqual(['done\n', ['ended']]);
  });
});
