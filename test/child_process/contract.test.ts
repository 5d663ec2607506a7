// Node's contract: each case gives the same on Node's engine and on ours, and the starts are ours.

import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { closeSync, mkdirSync, openSync, readFile, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe as group, expect, test } from 'vitest';
import { child } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { readGroup } from '../helpers/processes.ts';
import { until } from '../helpers/until.ts';
import { NODE, OURS, attempt, describe, observe, trace } from './engines.ts';
import type { Module } from './engines.ts';

const folder = makeFolder();
const [FIXTURE, ...ARGS] = child('args', 'a', '', 'ü b') as string[];
const SLEEP = ['-c', 'sleep 60 & wait'];

interface Case {
  readonly run: (cp: Module) => unknown;
  /** Absent: whatever Node gives. */
  readonly expected?: unknown;
  /** How many starts are ours; 1 when absent. */
  readonly starts?: number;
}

const CASES: Record<string, Case> = {
  'spawn comes first and close last, with code and output': {
    run: (cp) => trace(cp.spawn('sh', ['-c', 'echo out; echo err >&2; exit 3'])),
    expected: { events: [['spawn'], ['exit', 3, null], ['close', 3, null]], stdout: 'out\n', stderr: 'err\n' },
  },
  'pid, spawnfile, spawnargs and streams are there at once': {
    run: async (cp) => {
      const one = cp.spawn('sh', ['-c', 'echo $$'], { argv0: 'other' });
      const { pid, spawnfile, spawnargs, killed, connected, exitCode, signalCode } = one;
      const same = [one.stdin, one.stdout, one.stderr].every((stream, index) => stream === one.stdio[index]);
      const { stdout } = await trace(one);
      const known = String(pid) === stdout?.trim();
      return { known, spawnfile, spawnargs, killed, connected, exitCode, signalCode, same, after: one.exitCode };
    },
    expected: {
      known: true,
      spawnfile: 'sh',
      spawnargs: ['other', '-c', 'echo $$'],
      killed: false,
      connected: false,
      exitCode: null,
      signalCode: null,
      same: true,
      after: 0,
    },
  },
  'arguments arrive exactly, numbers as text': {
    run: (cp) => trace(cp.spawn(FIXTURE ?? '', [...ARGS, 7 as unknown as string, '\ud800'])),
  },
  argv0: { run: (cp) => trace(cp.spawn('sh', ['-c', 'echo $0'], { argv0: 'named' })) },
  'env is complete, undefined is left out': {
    run: (cp) => trace(cp.spawn('/usr/bin/env', [], { env: { A: '1', B: undefined, C: 'ü' } })),
    expected: { events: [['spawn'], ['exit', 0, null], ['close', 0, null]], stdout: 'A=1\nC=ü\n', stderr: '' },
  },
  'cwd, also empty and relative; a relative program starts from it': {
    run: async (cp) => {
      writeFileSync(join(folder, 'here.sh'), '#!/bin/sh\npwd -P\n', { mode: 0o755 });
      const given = await trace(cp.spawn('./here.sh', [], { cwd: folder }));
      const empty = await trace(cp.spawn('pwd', ['-P'], { cwd: '' }));
      const relative = await trace(cp.spawn('pwd', ['-P'], { cwd: '..' }));
      return [given, empty, relative];
    },
    starts: 3,
  },
  'a bare name, with relative and empty entries in PATH, from the folder of the child': {
    run: (cp) => {
      mkdirSync(join(folder, 'bin'), { recursive: true });
      mkdirSync(join(folder, 'bin', 'ls'), { recursive: true }); // a folder is passed over
      writeFileSync(join(folder, 'bin', 'tool'), '#!/bin/sh\necho "${0##*/}"\n', { mode: 0o755 });
      writeFileSync(join(folder, 'bin', 'cat'), 'not executable', { mode: 0o644 });
      const relative = { cwd: folder, env: { PATH: 'none:bin:/usr/bin:/bin' } };
      const empty = { cwd: join(folder, 'bin'), env: { PATH: '/usr/bin:/bin:' } };
      const found = [cp.spawnSync('tool', [], relative), cp.spawnSync('tool', [], empty)];
      const passed = [cp.spawnSync('ls', ['-d', '.'], relative), cp.spawnSync('cat', [], relative)];
      return [...found, ...passed].map(({ status, stdout, error }) => [status, String(stdout), error]);
    },
    starts: 4,
  },
  'a program killed by a signal': {
    run: async (cp) => {
      const one = cp.spawn('sh', ['-c', 'kill -KILL $$']);
      return [await trace(one), one.exitCode, one.signalCode];
    },
  },
  'kill: probe, name, number, after the end': {
    run: async (cp) => {
      const one = cp.spawn('sleep', ['60']);
      const before = [one.kill(0), one.killed, attempt(() => one.kill('SIGNOPE' as NodeJS.Signals))];
      const sent = [one.kill('SIGINT'), one.killed];
      const ended = await trace(one);
      return [before, sent, ended, one.kill(), one.signalCode];
    },
  },
  'abort, before and after the start': {
    run: async (cp) => {
      const early = await trace(cp.spawn('sleep', ['60'], { signal: AbortSignal.abort(new Error('no')) }));
      const controller = new AbortController();
      const one = cp.spawn('sleep', ['60'], { signal: controller.signal, killSignal: 'SIGKILL' });
      one.on('spawn', () => controller.abort());
      return [early.events.length, await trace(one)];
    },
    starts: 2,
  },
  'timeout sends one signal and is no error': {
    run: (cp) => trace(cp.spawn('sleep', ['60'], { timeout: 50, killSignal: 'SIGHUP' })),
    expected: { events: [['spawn'], ['exit', null, 'SIGHUP'], ['close', null, 'SIGHUP']], stdout: '', stderr: '' },
  },
  'a timer that is due comes before the exit, however long JavaScript was busy': {
    run: (cp) =>
      new Promise((resolve) => {
        readFile(import.meta.filename, () => {
          const order: string[] = [];
          const one = cp.spawn('true', { stdio: 'ignore' });
          one.on('exit', () => resolve([...order, 'exit']));
          setTimeout(() => order.push('timer'), 1);
          const end = performance.now() + 200;
          while (performance.now() < end);
        });
      }),
    expected: ['timer', 'exit'],
  },
  'exit does not wait for a descendant that holds stdout, close does': {
    run: async (cp) => {
      const marker = join(folder, 'held');
      writeFileSync(marker, '');
      const one = cp.spawn('sh', ['-c', `(while [ -e ${marker} ]; do sleep 0.02; done; echo late) & echo early`]);
      one.once('exit', () => writeFileSync(marker, 'x'));
      const done = trace(one);
      await new Promise((resolve) => one.once('exit', resolve));
      const { rmSync } = await import('node:fs');
      rmSync(marker);
      return done;
    },
    expected: { events: [['spawn'], ['exit', 0, null], ['close', 0, null]], stdout: 'early\nlate\n', stderr: '' },
  },
  'stdin: text, backpressure, end': {
    run: async (cp) => {
      const one = cp.spawn('wc', ['-c']);
      one.stdin.write(Buffer.alloc(3_000_000, 'x'));
      one.stdin.end('end');
      return trace(one);
    },
    expected: { events: [['spawn'], ['exit', 0, null], ['close', 0, null]], stdout: '3000003\n', stderr: '' },
  },
  'stdin of a program that does not read': {
    run: async (cp) => {
      const one = cp.spawn('true');
      const errors: unknown[] = [];
      one.stdin.on('error', (error: NodeJS.ErrnoException) => errors.push(error.code));
      await trace(one);
      one.stdin.write('x');
      return [one.stdin.destroyed];
    },
  },
  'stdio: ignore, descriptor, file stream, a stream of another child': {
    run: async (cp) => {
      const path = join(folder, 'out.txt');
      const descriptor = openSync(path, 'w');
      const ignored = await trace(cp.spawn('sh', ['-c', 'cat; echo x'], { stdio: ['ignore', descriptor, 'ignore'] }));
      closeSync(descriptor);
      const first = cp.spawn('sh', ['-c', 'echo one; echo two']);
      const second = cp.spawn('sort', ['-r'], { stdio: [first.stdout, 'pipe', 'inherit'] });
      const sorted = await trace(second);
      return [ignored, readFileSync(path, 'utf8'), sorted];
    },
    starts: 3,
  },
  'stdio: words and short arrays': {
    run: async (cp) => {
      const word = cp.spawn('true', { stdio: 'ignore' });
      const short = cp.spawn('true', { stdio: ['ignore'] });
      const long = cp.spawn('true', { stdio: ['pipe', 'overlapped', null, 'ignore'] });
      const shapes = [word, short, long].map((one) => one.stdio.map((stream) => stream === null));
      await Promise.all([trace(word), trace(short), trace(long)]);
      return shapes;
    },
    starts: 3,
  },
  'an undetached child stays in our group, a detached one leads its own': {
    run: async (cp) => {
      const near = cp.spawn('sh', SLEEP);
      const far = cp.spawn('sh', SLEEP, { detached: true });
      const groups = [near, far].map((one) => readGroup(one.pid ?? 0));
      const answer = [groups[0] === readGroup(process.pid), groups[1] === far.pid];
      process.kill(-(far.pid ?? 0), 'SIGKILL');
      near.kill('SIGKILL');
      await Promise.all([near, far].map((one) => new Promise((resolve) => one.once('exit', resolve))));
      for (const one of [near, far]) one.stdout.destroy();
      return answer;
    },
    expected: [true, true],
    starts: 2,
  },
  shell: { run: (cp) => trace(cp.spawn('echo "$0" | tr a-z A-Z', { shell: true })) },
  'options are left as they are': {
    run: async (cp) => {
      const options = Object.freeze({
        stdio: Object.freeze(['pipe', 'pipe', 'pipe']) as never,
        env: { ...process.env },
      });
      await trace(cp.spawn('true', options));
      return options;
    },
  },
  'exec and execFile call back, and reject through promisify': {
    run: async (cp) => {
      const run = promisify(cp.exec);
      const promise = run('echo hello; echo bye >&2');
      const isChild = promise.child instanceof NODE.ChildProcess;
      const failed = await run('echo x; exit 7').catch(describe);
      const missing = await promisify(cp.execFile)('sh', ['-c', 'kill $$']).catch(describe);
      return [isChild, await promise, failed, missing];
    },
    starts: 3,
  },
  'maxBuffer, timeout and encoding of execFile': {
    run: async (cp) => {
      const run = promisify(cp.execFile);
      const full = await run('sh', ['-c', 'yes | head -c 5000'], { maxBuffer: 100 }).catch(describe);
      const late = await run('sleep', ['60'], { timeout: 50 }).catch(describe);
      const bytes = await run('echo', ['x'], { encoding: 'buffer' });
      return [full, late, bytes];
    },
    starts: 3,
  },
  'the async context reaches the events': {
    run: async (cp) => {
      const storage = new AsyncLocalStorage<string>();
      const one = storage.run('inside', () => cp.spawn('echo', ['x']));
      return new Promise((resolve) => {
        const seen: unknown[] = [];
        storage.run('inside', () => {
          one.stdout.on('data', () => seen.push(storage.getStore()));
          one.on('exit', () => seen.push(storage.getStore()));
          one.on('close', () => resolve(seen));
        });
      });
    },
    expected: ['inside', 'inside'],
  },
  'the child_process diagnostics channel': {
    run: async (cp) => {
      const seen: unknown[] = [];
      const listen = (message: unknown): number => seen.push(message);
      subscribe('child_process', listen);
      const one = cp.spawn('true');
      unsubscribe('child_process', listen);
      await trace(one);
      return seen.map((message) => (message as { process: unknown }).process === one);
    },
    expected: [true],
  },
  'spawnSync: input, output, status, extra environment': {
    run: (cp) => {
      const { pid, ...rest } = cp.spawnSync('sh', ['-c', 'cat; echo $A >&2; exit 4'], {
        input: 'ü\n',
        env: { ...process.env, A: 'b' },
        encoding: 'utf8',
      });
      return [typeof pid, rest];
    },
  },
  'spawnSync: no input is the end of the input; a signal; bytes': {
    run: (cp) => {
      const { pid, ...rest } = cp.spawnSync('sh', ['-c', 'cat; kill -9 $$']);
      return [pid > 0, rest];
    },
  },
  'spawnSync: timeout': {
    run: (cp) => {
      const { error, status, signal } = cp.spawnSync('sleep', ['60'], { timeout: 50, killSignal: 'SIGINT' });
      return [describe(error), status, signal];
    },
  },
  'spawnSync: output past maxBuffer ends it, also of a program that goes on': {
    run: (cp) => {
      const small = cp.spawnSync('echo', ['hello'], { maxBuffer: 1, encoding: 'utf8' });
      const endless = cp.spawnSync('yes', [], { maxBuffer: 1000 });
      return [describe(small.error), small.stdout, describe(endless.error), endless.status, endless.signal];
    },
    starts: 2,
  },
  'spawnSync: stdio to a descriptor and to nowhere': {
    run: (cp) => {
      const path = join(folder, 'sync.txt');
      const descriptor = openSync(path, 'w');
      const { output } = cp.spawnSync('sh', ['-c', 'echo x; echo y >&2'], { stdio: ['ignore', descriptor, 'ignore'] });
      closeSync(descriptor);
      return [output, readFileSync(path, 'utf8')];
    },
  },
  'spawnSync waits for a descendant that holds stdout': {
    run: (cp) => cp.spawnSync('sh', ['-c', '(sleep 0.2; echo late) & echo early'], { encoding: 'utf8' }).stdout,
    expected: 'early\nlate\n',
  },
  'execSync and execFileSync give the output or throw': {
    run: (cp) => {
      const failed = attempt(() => cp.execFileSync('sh', ['-c', 'echo x; echo y >&2; exit 9'], { stdio: 'pipe' }));
      const { pid, ...rest } = failed as { pid: number };
      return [cp.execSync('echo x', { encoding: 'utf8' }), typeof pid, rest];
    },
    starts: 2,
  },
};

group('the same on both engines', () => {
  test.each(Object.entries(CASES))('%s', async (_name, { run, expected, starts = 1 }) => {
    const theirs = await observe(() => run(NODE));
    const ours = await observe(() => run(OURS));
    expect(theirs.starts).toEqual([]);
    expect(ours.starts).toEqual(Array(starts).fill('ours'));
    expect(theirs.value).not.toBe(undefined);
    if (expected !== undefined) expect(theirs.value).toEqual(expected);
    expect(ours.value).toEqual(theirs.value);
  });
});

const WRONG: Record<string, (cp: Module) => unknown> = {
  'no file': (cp) => cp.spawn(undefined as unknown as string),
  'empty file': (cp) => cp.spawn(''),
  'NUL in an argument': (cp) => cp.spawn('true', ['a\0b']),
  'arguments of a wrong type': (cp) => cp.spawn('true', 5 as unknown as string[]),
  'cwd of a wrong type': (cp) => cp.spawn('true', [], { cwd: 5 as unknown as string }),
  'stdio of a wrong kind': (cp) => cp.spawn('true', [], { stdio: 'no' as 'pipe' }),
  'a wrong timeout': (cp) => cp.spawn('true', [], { timeout: -1 }),
  'a wrong signal': (cp) => cp.spawn('true', [], { killSignal: 'SIGNOPE' as NodeJS.Signals, timeout: 1 }),
  'wrong maxBuffer': (cp) => cp.execFile('true', [], { maxBuffer: -1 }),
  'spawnSync of a wrong input': (cp) => cp.spawnSync('true', [], { input: 5 as unknown as string }),
};

test.each(Object.entries(WRONG))('refused alike: %s', async (_name, call) => {
  const theirs = attempt(() => call(NODE));
  const ours = await observe(() => attempt(() => call(OURS)));
  expect(theirs).toMatchObject({ code: expect.stringMatching(/^ERR_/) as string });
  expect(ours).toEqual({ value: theirs, starts: [] });
});

test('ChildProcess is Node’s class, and the functions are told apart from Node’s', async () => {
  expect(OURS.ChildProcess).toBe(NODE.ChildProcess);
  expect(OURS.spawn).not.toBe(NODE.spawn);
  const one = OURS.spawn('true');
  expect(one).toBeInstanceOf(NODE.ChildProcess);
  await trace(one);
});

test('Node’s own functions are Node’s again after every call of ours', async () => {
  attempt(() => OURS.spawn(''));
  await trace(OURS.spawn('true'));
  OURS.spawnSync('true');
  const { starts } = await observe(async () => {
    await trace(NODE.spawn('true'));
    NODE.spawnSync('true');
  });
  expect(starts).toEqual([]);
});

test('nothing is left of two hundred children: no descriptor, no zombie, no listener', async () => {
  const { countResources } = await import('../helpers/processes.ts');
  const round = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++)
      await trace(
        OURS.spawn('cat').on('spawn', function (this: { stdin: { end(): void } }) {
          this.stdin.end();
        }),
      );
  };
  await round(5);
  const before = countResources();
  await round(200);
  await until('descriptors and zombies are as before', () => {
    const now = countResources();
    return now.descriptors <= before.descriptors && now.zombies <= before.zombies;
  });
});
