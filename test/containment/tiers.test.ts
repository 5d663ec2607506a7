// What a call gets where no keeper can be had, and where one is lost: the result says it, and `require` refuses it.

import { spawn as spawnForeign } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { run, spawn } from '../../lib/index.ts';
import { CHILD, child, findFixture } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { PACKAGE, runHost } from '../helpers/host.ts';
import { HELPERS } from '../helpers/host-script.ts';
import { makeMark } from '../helpers/mark.ts';
import { copyPackage, KEEPER_PATH } from '../helpers/package-copy.ts';
import { findByCommand, isAlive, readParent } from '../helpers/processes.ts';
import { uniqueSpan } from '../helpers/span.ts';
import { refuseFromNowOn, refusing } from '../helpers/strace.ts';
import { until } from '../helpers/until.ts';

const folder = makeFolder();
const GROUP = { tree: 'group', parentDeath: 'exit-hook' };
const TREE = { tree: 'tree', parentDeath: 'keeper' };

/** Runs with each setting; what `require: 'tree'` refuses must not have started. */
const ASK = `
  const span = process.env.SPAN;
  const show = (promise) => promise.then(({ containment, stdout }) => [containment, stdout],
    (error) => [error.code, error.stage, error.message]);
  console.log(JSON.stringify({
    platform: [platform.tree, platform.parentDeath, platform.keeperProblem],
    plain: await show(run(['echo', 'hi'])),
    grouped: await show(run(['echo', 'hi'], { containment: 'group', require: 'group' })),
    required: await show(run(['sleep', span], { require: 'tree' })),
    late: await show(run(['sh', '-c', 'sleep ' + span + ' & wait'], { timeout: 100, forceKillAfter: 0 })),
  }));`;

interface Answer {
  readonly platform: readonly unknown[];
  readonly plain: readonly unknown[];
  readonly grouped: readonly unknown[];
  readonly required: readonly unknown[];
  readonly late: readonly unknown[];
}

describe('where the keeper', () => {
  test.each([
    { name: 'is missing', keeper: null, mode: 0o755, problem: 'ENOENT', says: 'no keeper (ENOENT)' },
    {
      name: 'may not be executed',
      keeper: KEEPER_PATH,
      mode: 0o644,
      problem: 'not an executable file',
      says: 'no keeper (not an executable file)',
    },
    { name: 'is no program', keeper: join(folder, 'dist'), mode: 0o755, problem: null, says: 'ENOEXEC' },
    {
      name: 'is of another version',
      keeper: findFixture('other-keeper'),
      mode: 0o755,
      problem: null,
      says: 'it belongs to another version',
    },
  ])('$name, a call gets a group and says so', async ({ name, keeper, mode, problem, says }) => {
    const copy = join(folder, name.replaceAll(' ', '-'));
    const packageUrl = copyPackage(copy, name === 'is no program' ? join(copy, 'package.json') : keeper, mode);
    const end = await runHost(ASK, { packageUrl, env: { ...process.env, SPAN: uniqueSpan() } });
    expect(end.stderr).toBe('');
    const answer = JSON.parse(end.stdout) as Answer;
    expect(answer.platform[2]).toBe(problem);
    expect(answer.platform[0]).toBe(problem === null ? 'tree' : 'group');
    expect([answer.plain, answer.grouped, answer.late]).toEqual([
      [GROUP, 'hi\n'],
      [GROUP, 'hi\n'],
      [GROUP, ''],
    ]);
    expect(answer.required.slice(0, 2)).toEqual(['ERR_CONTAINMENT', 'containment']);
    expect(answer.required[2]).toContain(says);
  });
});

const NEVER_CALLED = ['socketpair']; // not by this package

describe('where the kernel refuses', () => {
  test.each([
    { call: 'prctl', error: 'EPERM', got: GROUP },
    { call: 'prctl', error: 'ENOSYS', got: GROUP },
    { call: 'signalfd4', error: 'ENOSYS', got: GROUP },
    { call: 'pidfd_open', error: 'EPERM', got: TREE },
    { call: 'pidfd_open', error: 'ENOSYS', got: TREE },
    { call: 'close_range', error: 'EPERM', got: TREE },
    { call: 'close_range', error: 'ENOSYS', got: TREE },
    { call: 'clone3', error: 'ENOSYS', got: TREE },
    { call: 'vfork', error: 'EPERM', got: TREE },
    { call: 'vfork', error: 'ENOSYS', got: TREE },
    { call: 'socketpair', error: 'EPERM', got: TREE },
  ])('$call with $error, a call gets and reports $got.tree', async ({ call, error, got }) => {
    const tampered = refusing(folder, call, error);
    // strace waits for everybody it traces, those that got away included.
    const script = `${HELPERS}
      const late = await run(['${CHILD}', 'daemons', '6', process.env.MARK], { timeout: 1000, forceKillAfter: 100 });
      const daemon = await run(['sh', '-c', 'setsid sleep 2 & exit 5']);
      const required = await run(['true'], { require: 'tree' }).then(() => 'ran', (e) => e.code);
      const left = findByCommand(process.env.MARK);
      for (const pid of left) process.kill(pid, 'SIGKILL');
      console.log(JSON.stringify(
        [late.containment, late.reason, daemon.code, daemon.leftovers.map((one) => one.fate), required, left.length > 0]));`;
    const end = await runHost(script, { prefix: tampered.prefix, env: { ...process.env, MARK: makeMark() } });
    expect(end.stderr).toBe('');
    if (!NEVER_CALLED.includes(call)) expect(tampered.count()).toBeGreaterThan(0);
    const held = got === TREE;
    const fates = [held ? 'ended' : 'survived'];
    // A group cannot reach daemons, and does not claim to.
    expect(JSON.parse(end.stdout)).toEqual([got, 'timeout', 5, fates, held ? 'ran' : 'ERR_CONTAINMENT', !held]);
  });
});

describe('where no process can be made any more, for', () => {
  const host = async (calls: string, script: string): Promise<unknown[]> => {
    const source = `import { run } from ${JSON.stringify(PACKAGE)};
      const show = (promise) => promise.then(({ code, containment }) => [code, containment.tree], (e) => [e.stage, e.code, e.message]);
      await run(['true']);
      process.stdin.once('data', async () => { console.log(JSON.stringify(${script})); process.exit(); });
      console.log('ready');`;
    const child = spawnForeign(process.execPath, ['--input-type=module', '-e', source], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect(await lines.next()).toMatchObject({ value: 'ready' });
    const tampered = await refuseFromNowOn(child.pid ?? 0, folder, calls, 'EPERM');
    child.stdin.write('go\n');
    const answer: IteratorResult<string, undefined> = await lines.next();
    await tampered.ended;
    expect(tampered.count()).toBeGreaterThan(0);
    return JSON.parse(answer.value ?? '[]') as unknown[];
  };
  const REFUSED =
    'Cannot run "true": the system lets this process start no other (does a system call filter hold it?) [EPERM]';

  test('clone3, a tree is made by vfork; a group says that it cannot be', async () => {
    const script = `[await show(run(['true'])), await show(run(['true'], { containment: 'group' }))]`;
    expect(await host('clone3', script)).toEqual([
      [0, 'tree'],
      ['fork', 'EPERM', REFUSED],
    ]);
  });

  test('all of them, the error is not put on the program', async () => {
    const answers = await host(
      'vfork,clone3,clone',
      `[await show(run(['true'])), await show(run(['true'], { require: 'tree' }))]`,
    );
    expect(answers).toMatchObject([
      ['fork', 'EPERM', REFUSED],
      ['containment', 'ERR_CONTAINMENT', expect.stringContaining('EPERM')],
    ]);
  });
});

test('on a kernel without lists of children the tree is ended all the same', async () => {
  const packageUrl = copyPackage(join(folder, 'scanning'), findFixture('scanning-keeper'));
  const mark = makeMark();
  const end = await runHost(
    `const result = await run(['${CHILD}', 'daemons', '20', '${mark}'], { timeout: 1000, forceKillAfter: 100 });
     console.log(JSON.stringify([result.containment, result.leftovers.every(({ fate }) => fate === 'ended')]));`,
    { packageUrl },
  );
  expect(JSON.parse(end.stdout)).toEqual([TREE, true]);
  expect(findByCommand(mark)).toEqual([]);
});

test('an ordinary user gets the same', async () => {
  const mark = makeMark();
  const end = await runHost(
    `const result = await run(['${CHILD}', 'daemons', '10', '${mark}'], { timeout: 1000, forceKillAfter: 100 });
     console.log(JSON.stringify([result.containment, process.getuid(), result.leftovers.every(({ fate }) => fate === 'ended')]));`,
    { prefix: ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] },
  );
  expect(JSON.parse(end.stdout)).toEqual([TREE, 65_534, true]);
  expect(findByCommand(mark)).toEqual([]);
});

describe('a keeper that is', () => {
  test('killed in the middle leaves a group: the call still settles, and says so', async () => {
    const span = uniqueSpan();
    const running = spawn(['sh', '-c', `sleep ${span} & wait`], { timeout: 1000, forceKillAfter: 100 });
    const { pid } = await running.spawned;
    await until('the tree has grown', () => findByCommand(`sleep\0${span}`).length === 1);
    process.kill(readParent(pid) ?? 0, 'SIGKILL');
    const result = await running.collect();
    expect(result).toMatchObject({ reason: 'timeout', containment: GROUP });
    expect(findByCommand(`sleep\0${span}`)).toEqual([]);
  });

  test('killed while its program ends by itself costs the status at most', async () => {
    const running = spawn(['sh', '-c', 'sleep 0.5; echo done; exit 3']);
    const { pid } = await running.spawned;
    process.kill(readParent(pid) ?? 0, 'SIGKILL');
    const result = await running.collect();
    expect(result).toMatchObject({ stdout: 'done\n', signal: null, containment: GROUP });
    expect(result.code).toBe(result.statusKnown ? 3 : null);
  });

  test('stopped goes on when the call is to be ended', async () => {
    const mark = makeMark();
    const running = spawn(child('daemons', '6', mark), { timeout: 1000, forceKillAfter: 100 });
    running.stdout?.resume();
    const { pid } = await running.spawned;
    const keeper = readParent(pid) ?? 0;
    process.kill(keeper, 'SIGSTOP');
    const status = await running.exited;
    expect(status).toMatchObject({ reason: 'timeout', forced: true, containment: TREE });
    expect(findByCommand(mark)).toEqual([]);
    await until('the keeper is gone', () => !isAlive(keeper));
  });
});

test("'none' and 'group' are what they say", async () => {
  const none = await run(['true'], { containment: 'none' });
  const group = await run(['true'], { containment: 'group' });
  expect([none.containment.tree, group.containment]).toEqual(['none', GROUP]);
});
