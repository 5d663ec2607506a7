// What stays Node's: each reason of hand-over.ts, the same outcome on both engines. And README.md names them all.

import node from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stream } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { HandOverReason } from '../../lib/child_process.ts';
import { makeFolder } from '../helpers/folder.ts';
import { runHost } from '../helpers/host.ts';
import { NODE, OURS, attempt, observe, trace } from './engines.ts';
import type { Module } from './engines.ts';

const folder = makeFolder();
const README = readFileSync(new URL('../../lib/child_process/README.md', import.meta.url), 'utf8');
const ENTRY = new URL('../../dist/child_process.js', import.meta.url).href;

writeFileSync(join(folder, 'answer'), 'process.on("message", (m) => { process.send(m + 1); process.disconnect(); });');
const scriptWithoutHead = join(folder, 'headless');
writeFileSync(scriptWithoutHead, 'echo "$0 $1"\n', { mode: 0o755 });

/** A child that answers 2 to 1 over its channel. */
async function talk(child: node.ChildProcess): Promise<unknown> {
  const answer = new Promise((resolve) => child.once('message', resolve));
  child.send(1);
  return [await answer, (await trace(child)).events.at(-1)];
}

/** The handle of a socket that was never connected. */
function makePipeHandle(): object {
  const { Pipe } = (process as unknown as { binding(name: string): { Pipe: new (type: number) => object } }).binding(
    'pipe_wrap',
  );
  return new Pipe(0);
}

interface Case {
  readonly reason: HandOverReason;
  readonly run: (cp: Module) => unknown;
  readonly expected?: unknown;
}

const CASES: Record<string, Case> = {
  'an IPC channel': {
    reason: 'ipc',
    run: (cp) => talk(cp.spawn(process.execPath, [join(folder, 'answer')], { stdio: ['pipe', 'pipe', 'pipe', 'ipc'] })),
    expected: [2, ['close', 0, null]],
  },
  'a fourth stream': {
    reason: 'extra-stdio',
    run: async (cp) => {
      const one = cp.spawn('sh', ['-c', 'echo extra >&3'], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
      const third = (one.stdio as NodeJS.ReadableStream[])[3];
      const text = new Promise((resolve) => third?.once('data', (bytes) => resolve(String(bytes))));
      return [await text, await trace(one)];
    },
  },
  'a fourth stream, blocking': {
    reason: 'extra-stdio',
    run: (cp) => cp.spawnSync('sh', ['-c', 'echo extra >&3'], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] }).output,
  },
  'a stream that is not open is thrown': {
    reason: 'stdio-kind',
    run: (cp) => {
      const socket = { _handle: makePipeHandle() } as unknown as Stream;
      return attempt(() => cp.spawn('true', [], { stdio: [socket, 'ignore', 'ignore'] }));
    },
  },
  'a user': {
    reason: 'user',
    run: (cp) => trace(cp.spawn('id', ['-u'], { uid: process.getuid?.() ?? 0 })),
  },
  'a group, blocking': {
    reason: 'user',
    run: (cp) => cp.execFileSync('id', ['-g'], { gid: process.getgid?.() ?? 0, encoding: 'utf8' }),
  },
  'a program that is not there': {
    reason: 'not-started',
    run: async (cp) => {
      const one = cp.spawn('/no/such/program', ['x']);
      return [one.pid, await trace(one), one.exitCode];
    },
  },
  'a folder that is not there': {
    reason: 'not-started',
    run: (cp) => trace(cp.spawn('true', [], { cwd: '/no/such/folder' })),
  },
  'a file that may not be run': { reason: 'not-started', run: (cp) => trace(cp.spawn('/etc/passwd')) },
  'a program that is not there, blocking': {
    reason: 'not-started',
    run: (cp) => attempt(() => cp.execFileSync('/no/such/program')),
  },
  'a script without #!, which execvp gives to sh': {
    reason: 'not-started',
    run: (cp) => trace(cp.spawn(scriptWithoutHead, ['arg'])),
  },
  'an environment without PATH, where execvp has a default': {
    reason: 'not-started',
    run: (cp) => trace(cp.spawn('true', [], { env: {} })),
  },
  'an argument that is too long is thrown': {
    reason: 'not-started',
    run: (cp) => attempt(() => cp.spawn('true', ['x'.repeat(3_000_000)])),
  },
  'a descriptor that is not open is thrown': {
    reason: 'not-started',
    run: (cp) => attempt(() => cp.spawn('true', [], { stdio: [987, 'ignore', 'ignore'] })),
  },
};

describe('handed over, with the same outcome', () => {
  test.each(Object.entries(CASES))('%s', async (_name, { reason, run, expected }) => {
    const theirs = await observe(() => run(NODE));
    const ours = await observe(() => run(OURS));
    expect(ours.starts).toEqual([reason]);
    expect(theirs.value).not.toBe(undefined);
    if (expected !== undefined) expect(theirs.value).toEqual(expected);
    expect(ours.value).toEqual(theirs.value);
  });
});

test('fork is Node’s own function, and works', async () => {
  expect(OURS.fork).toBe(node.fork);
  const { value, starts } = await observe(() => talk(OURS.fork(join(folder, 'answer'), { silent: true })));
  expect(value).toEqual([2, ['close', 0, null]]);
  expect(starts).toEqual([]);
});

/** In a host of its own, since it changes what belongs to the whole process. Prints reason and outcome. */
async function inHost(script: string, nodeArgs: readonly string[] = []): Promise<unknown> {
  const whole = `
    import { subscribe } from 'node:diagnostics_channel';
    import * as cp from ${JSON.stringify(ENTRY)};
    const reasons = [];
    subscribe('argv-spawn:child_process', ({ reason }) => reasons.push(reason));
    const outcome = await (async () => { ${script} })();
    console.log(JSON.stringify([reasons, outcome]));`;
  const end = await runHost(whole, { nodeArgs });
  expect([
    end.code,
    end.stderr.replace(/^.*(ExperimentalWarning|SecurityWarning|--trace-warnings|Permission is).*\n/gm, ''),
  ]).toEqual([0, '']);
  return JSON.parse(end.stdout);
}

test('a raw call of the prototype, a removed folder', async () => {
  const raw = await inHost(
    `const { ChildProcess } = cp;
     await import(${JSON.stringify(new URL('../../dist/register.js', import.meta.url).href)});
     const one = new ChildProcess();
     one.spawn({ file: 'true', stdio: 'ignore' });
     return new Promise((resolve) => one.on('exit', resolve));`,
  );
  expect(raw).toEqual([['raw-call'], 0]);
  const removed = await inHost(
    `const { mkdtempSync, rmdirSync } = await import('node:fs');
     const gone = mkdtempSync('/tmp/argv-spawn-gone-');
     process.chdir(gone);
     rmdirSync(gone);
     return cp.spawnSync('./true').error.code;`,
  );
  expect(removed).toEqual([['removed-folder'], 'ENOENT']);
});

test('a process that may not start children: Node refuses, and we do not get round it', async () => {
  const flags = ['--experimental-permission', '--allow-addons', '--allow-fs-read=*'];
  const answer = await inHost(`try { cp.spawn('true'); } catch (error) { return error.code; }`, flags);
  expect(answer).toEqual([['permission'], 'ERR_ACCESS_DENIED']);
});

test('the table in README.md has every reason', () => {
  const source = readFileSync(new URL('../../lib/child_process/hand-over.ts', import.meta.url), 'utf8');
  const declared = [...(/HandOverReason =([^;]*);/.exec(source)?.[1]?.matchAll(/'([\w-]+)'/g) ?? [])].map(
    ([, one]) => one,
  );
  expect(declared.length).toBeGreaterThan(5);
  const rows = [...README.matchAll(/^\| `([\w-]+)` /gm)].map(([, one]) => one);
  expect(rows.sort()).toEqual(declared.sort());
});
