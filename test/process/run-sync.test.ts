// runSync is run, waiting: one table of situations, the same answer from both.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, runSync } from '../../lib/index.ts';
import type { Argv, RunOptions, RunResult } from '../../lib/index.ts';
import { child } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { runHost } from '../helpers/host.ts';
import { findByCommand } from '../helpers/processes.ts';

const folder = makeFolder();
const SH = (text: string): Argv => ['sh', '-c', text];

const SITUATIONS: readonly [string, Argv, RunOptions?][] = [
  ['a success', ['echo', 'a', 'b c']],
  ['an exit code', SH('echo out; echo err >&2; exit 7')],
  ['a signal', child('kill-self', '6')],
  ['a timeout', SH('echo so far; exec sleep 30'), { timeout: 150 }],
  ['a timeout that is ignored', SH("trap '' TERM; sleep 30; sleep 30"), { timeout: 100, forceKillAfter: 100 }],
  ['an idle timeout', ['sleep', '30'], { idleTimeout: 100 }],
  ['text as stdin', ['cat'], { stdin: 'é\n' }],
  ['bytes as stdin', ['cat'], { stdin: Buffer.from([0, 255, 10]), encoding: 'buffer' }],
  ['a file as stdin', ['cat'], { stdin: { file: '/etc/hostname' } }],
  ['stdin that is not read', ['true'], { stdin: 'x'.repeat(1_000_000) }],
  ['no stdin', ['cat']],
  ['an environment', child('env'), { env: { A: '1', B: '' } }],
  ['additions to the environment', SH('echo "$A $HOME"'), { extendEnv: { A: '1', HOME: undefined } }],
  ['a folder', ['pwd'], { cwd: folder }],
  ['merged output', SH('echo 1; echo 2 >&2; echo 3'), { stderr: 'stdout' }],
  ['ignored output', SH('echo 1; echo 2 >&2'), { stdout: 'ignore', stderr: 'ignore' }],
  ['output to a file', ['echo', '1'], { stdout: { file: join(folder, 'out') } }],
  ['a tee file', ['echo', '1'], { tee: { stdout: join(folder, 'tee') } }],
  ['output past the cap', ['seq', '1', '10000'], { maxBuffer: 100 }],
  ['output past the cap, beginning only', ['seq', '1', '10000'], { maxBuffer: 100, keep: 'head' }],
  ['invalid UTF-8', ['printf', '\\377']],
  ['another encoding', ['printf', '\\351'], { encoding: 'latin1' }],
  ['weak containment', ['true'], { containment: 'none' }],
  ['check', SH('echo why >&2; exit 2'), { check: true }],
  ['check that succeeds', ['true'], { check: true }],
  ['a missing program', ['/no/such/program', 'x']],
  ['a missing name', ['no-such-name-anywhere']],
  ['a missing folder', ['true'], { cwd: '/no/such/folder' }],
  ['an argument that is too long', ['true', 'x'.repeat(200_000)]],
  ['a signal that was aborted before', ['true'], { signal: AbortSignal.abort('early') }],
  ['a wrong option', ['true'], { timeout: -1 }],
  ['an unknown option', ['true'], { timeuot: 1 } as RunOptions],
];

type Answer = { readonly result: unknown } | { readonly error: unknown };

/** What differs from one start to the next is replaced by its type; how much a program left unread in a pipe is chance. */
function normalise(value: unknown): unknown {
  if (value === undefined) return undefined;
  const result = value as RunResult;
  const { pid, startedAt, durationMs, usage, leftovers } = result;
  const { closedEarly, bytesWritten } = result.stdin;
  return {
    ...result,
    leftovers: leftovers.map((one) => ({ ...one, pid: typeof one.pid })),
    ...{ pid: typeof pid, startedAt: typeof startedAt, durationMs: typeof durationMs, usage: typeof usage },
    stdin: { closedEarly, bytesWritten: closedEarly ? typeof bytesWritten : bytesWritten },
  };
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) throw new Error('not an error');
  const { message, cause } = error;
  return {
    ...Object.fromEntries(Object.entries(error)),
    message,
    cause,
    result: normalise((error as { result?: unknown }).result),
  };
}

async function viaRun(argv: Argv, options?: RunOptions): Promise<Answer> {
  try {
    return { result: normalise(await run(argv, options)) };
  } catch (error) {
    return { error: describeError(error) };
  }
}

function viaRunSync(argv: Argv, options?: RunOptions): Answer {
  try {
    return { result: normalise(runSync(argv, options)) };
  } catch (error) {
    return { error: describeError(error) };
  }
}

test.each(SITUATIONS)('%s: the same answer', async (_name, argv, options) => {
  const expected = await viaRun(argv, options);
  expect(viaRunSync(argv, options)).toEqual(expected);
});

describe('what only a blocking call cannot have', () => {
  test.each([
    ['an iterable as stdin', { stdin: ['a', 'b'] }, 'stdin'],
    ['an async iterable as stdin', { stdin: (async function* () {})() as AsyncIterable<string> }, 'stdin'],
    ['a pipe as stdin', { stdin: 'pipe' }, 'stdin'],
  ])('%s is refused by name', (_name, options, field) => {
    expect(() => runSync(['true'], options)).toThrow(expect.objectContaining({ name: 'TypeError', field }));
  });
});

test('background work of the program is ended and named while the host is blocked', () => {
  const span = `${8000 + (process.pid % 1000)}.75`;
  const result = runSync(SH(`sleep ${span} & echo ready`));
  expect(result.leftovers).toMatchObject([{ name: 'sleep', fate: 'ended' }]);
  expect(findByCommand(span)).toEqual([]);
});

test('calls that run already go on while the host is blocked, and are told afterwards', async () => {
  const end = await runHost(`
    const order = [];
    const started = run(['sh', '-c', 'echo one']).then((r) => order.push(r.stdout.trim()));
    runSync(['sleep', '0.5']);
    order.push('blocked');
    await started;
    const deadline = run(['sleep', '30'], { timeout: 100 });
    const from = Date.now();
    runSync(['sleep', '0.6']);
    const { durationMs, reason } = await deadline;
    console.log(JSON.stringify([order, reason, durationMs < 500]));`);
  expect(JSON.parse(end.stdout)).toEqual([['blocked', 'one'], 'timeout', true]);
});

test('signals that the host gets meanwhile disturb nothing, and are told afterwards', async () => {
  const end = await runHost(`
    let got = 0;
    process.on('SIGUSR2', () => got++);
    const text = 'i=0; while [ $i -lt 50 ]; do kill -USR2 "$0"; echo $i; i=$((i+1)); done; exec cat';
    const { stdout, ok } = runSync(['sh', '-c', text, String(process.pid)], { stdin: 'x'.repeat(1_000_000), timeout: 30_000 });
    console.log(ok, stdout.length);
    while (got === 0) await new Promise((resolve) => setImmediate(resolve));
    console.log(got > 0);`);
  expect([end.stderr, end.stdout]).toEqual(['', 'true 1000140\ntrue\n']);
});

test.each(['tree', 'group'])(
  'a handler for SIGPIPE hears nothing of stdin that is not read (%s)',
  async (containment) => {
    const end = await runHost(`
    process.on('SIGPIPE', () => console.log('SIGPIPE'));
    const { ok, stdin } = runSync(['true'], { stdin: 'x'.repeat(1_000_000), containment: '${containment}' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    console.log(ok, stdin.closedEarly);`);
    expect([end.stderr, end.stdout]).toEqual(['', 'true true\n']);
  },
);

test.each(['tree', 'group'])(
  'what is left running by option is read on, and reaped in the end (%s)',
  async (containment) => {
    const file = join(folder, `whole-${containment}`);
    const end = await runHost(`
    import { existsSync, readFileSync, readdirSync } from 'node:fs';
    const children = () => readdirSync('/proc/self/task')
      .map((id) => readFileSync('/proc/self/task/' + id + '/children', 'utf8')).join('').trim();
    const until = async (what) => { while (!what()) await new Promise((resolve) => setTimeout(resolve, 5)); };
    console.log(runSync(['true'], { containment: '${containment}' }).ok);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const count = () => readdirSync('/proc/self/fd').length;
    const before = count();
    const text = '(sleep 0.3; head -c 1000000 /dev/zero && echo whole > "$0") & echo started';
    const { stdout, leftovers } = runSync(['sh', '-c', text, ${JSON.stringify(file)}], { lingering: 'leave', drainTimeout: 0, containment: '${containment}' });
    console.log(stdout.trim(), leftovers.every((one) => one.fate === 'left'), existsSync(${JSON.stringify(file)}));
    await until(() => existsSync(${JSON.stringify(file)}));
    await until(() => children() === '' && count() === before);
    console.log('gone');`);
    expect([end.stderr, end.stdout]).toEqual(['', 'true\nstarted true false\ngone\n']);
  },
);

test('an idle host ends by itself after a blocking call', async () => {
  const end = await runHost(`runSync(['true']); console.log('over');`);
  expect([end.code, end.stdout, end.stderr]).toEqual([0, 'over\n', '']);
});
