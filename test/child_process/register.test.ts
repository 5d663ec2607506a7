// `node --import argv-spawn/register`: every way to reach child_process in a process, and in its workers; and what
// happens to children when their host ends.

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../helpers/folder.ts';
import type { HostEnd } from '../helpers/host.ts';
import { isAlive } from '../helpers/processes.ts';
import { until } from '../helpers/until.ts';

const REGISTER = new URL('../../dist/register.js', import.meta.url).href;
const folder = makeFolder();

const COUNT = `
  import { subscribe } from 'node:diagnostics_channel';
  const starts = [];
  subscribe('argv-spawn:child_process', ({ engine, file }) => starts.push(engine + ' ' + file.split('/').at(-1)));`;

let scripts = 0;

/** Runs `script`, an ES module, from a file of its own: its workers and forks get the flags of this Node, too. */
function runFile(script: string, nodeArgs: readonly string[]): Promise<HostEnd> {
  const path = join(folder, `${scripts++}.mjs`);
  writeFileSync(path, script);
  return new Promise((resolve) => {
    const settings = { timeout: 50_000, killSignal: 'SIGKILL' } as const;
    const child = execFile(process.execPath, [...nodeArgs, path], settings, (error, stdout, stderr) =>
      resolve({ code: child.exitCode, signal: error?.signal ?? null, stdout, stderr }),
    );
  });
}

async function registered(script: string): Promise<unknown> {
  const end = await runFile(script, ['--import', REGISTER]);
  expect([end.code, end.stderr]).toEqual([0, '']);
  return JSON.parse(end.stdout);
}

test('modules, CommonJS, promises and functions taken before are all reached', async () => {
  const answer = await registered(`
    ${COUNT}
    import { spawn as named, execFileSync } from 'node:child_process';
    import plain from 'child_process';
    import { createRequire } from 'node:module';
    import { promisify } from 'node:util';
    const required = createRequire(import.meta.url)('child_process');
    const ended = (child) => new Promise((resolve) => child.on('close', resolve));
    await ended(named('true'));
    await ended(plain.spawn('true'));
    await ended(required.execFile('true'));
    await promisify(required.exec)('true');
    execFileSync('true');
    plain.execSync('true');
    console.log(JSON.stringify([starts, required.spawn === named]));`);
  const ours = (file: string): string => `argv-spawn ${file}`;
  expect(answer).toEqual([[...Array(3).fill(ours('true')), ours('sh'), ours('true'), ours('sh')], true]);
});

test('workers inherit it', async () => {
  const worker = join(folder, 'worker.mjs');
  writeFileSync(
    worker,
    `${COUNT}
     import { spawnSync, spawn } from 'node:child_process';
     import { parentPort } from 'node:worker_threads';
     spawnSync('true');
     spawn('true').on('close', () => parentPort.postMessage(starts));`,
  );
  const answer = await registered(`
    import { Worker } from 'node:worker_threads';
    const worker = new Worker(${JSON.stringify(worker)});
    worker.on('message', (starts) => console.log(JSON.stringify(starts)));`);
  expect(answer).toEqual(['argv-spawn true', 'argv-spawn true']);
});

test('a program that forks keeps its channel, and the child is registered, too', async () => {
  const forked = join(folder, 'forked.mjs');
  writeFileSync(
    forked,
    `${COUNT} import { spawnSync } from 'node:child_process'; spawnSync('true'); process.send(starts);`,
  );
  const answer = await registered(`
    ${COUNT}
    import { fork } from 'node:child_process';
    fork(${JSON.stringify(forked)}).on('message', (theirs) => console.log(JSON.stringify([starts, theirs])));`);
  expect(answer).toEqual([['node node'], ['argv-spawn true']]);
});

describe.each(['node', 'argv-spawn'])('children outlive what started them: %s', (engine) => {
  const nodeArgs = engine === 'node' ? [] : ['--import', REGISTER];
  const start = `spawn('sleep', ['60'], { stdio: 'ignore', detached: DETACHED })`;
  const cases: Record<string, string> = {
    'the host ends while an unreferenced child runs': `const child = ${start}; child.unref(); console.log(child.pid);`,
    'process.exit': `console.log(${start}.pid); process.exit();`,
    'the host is killed': `console.log(${start}.pid); setInterval(() => process.kill(process.pid, 'SIGKILL'), 50);`,
    'its worker is terminated': `
      const { Worker } = await import('node:worker_threads');
      const source = "const { spawn } = require('node:child_process');" +
        "require('node:worker_threads').parentPort.postMessage(${start.replaceAll('"', "'")}.pid); setInterval(() => {}, 1000);";
      const worker = new Worker(source, { eval: true });
      worker.on('message', (pid) => { console.log(pid); worker.terminate(); });`,
  };
  const both = Object.entries(cases).flatMap(([name, script]) =>
    [false, true].map(
      (detached) => [`${name}, ${detached ? 'detached' : 'in our session'}`, script, detached] as const,
    ),
  );
  test.each(both)('%s', async (_name, script, detached) => {
    const source = `import { spawn } from 'node:child_process'; ${script.replaceAll('DETACHED', String(detached))}`;
    const { stdout } = await runFile(source, nodeArgs);
    const pid = Number(stdout);
    expect(pid).toBeGreaterThan(0);
    const alive = isAlive(pid);
    if (alive) process.kill(pid, 'SIGKILL');
    expect(alive).toBe(true);
    await until('it is gone', () => !isAlive(pid));
  });
});
