// Runs a command on Node's engine and on ours, and says which engine started what.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const url = (path) => pathToFileURL(fileURLToPath(new URL(path, import.meta.url))).href;
/** Flags that put our engine under a program and count. */
export const PRELOAD = ['--import', url('../../dist/register.js'), '--import', url('./count-starts.mjs')];

/** Runs to its end. `passed` is exit code 0 in time. */
export function execute(program, args, { cwd, env = process.env, timeout }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    let late = false;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-8_000_000)));
    const endGroup = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    };
    const timer = setTimeout(() => {
      late = true;
      endGroup();
    }, timeout);
    child.on('error', reject);
    child.on('exit', endGroup); // what the program has left behind must not hold the pipes
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ passed: code === 0 && !late, code, signal, late, output });
    });
  });
}

/**
 * `options.env` reaches the run with the file for the counts added.
 *
 * @returns what `execute` does, and `starts`: by reason, `ours` for our engine.
 */
export async function executeCounting(program, args, options) {
  const folder = mkdtempSync(join(tmpdir(), 'argv-spawn-starts-'));
  try {
    const file = join(folder, 'starts');
    writeFileSync(file, '');
    const env = { ...(options.env ?? process.env), ARGV_SPAWN_STARTS: file };
    const result = await execute(program, args, { ...options, env });
    const starts = {};
    for (const reason of readFileSync(file, 'utf8').split('\n').slice(0, -1))
      starts[reason] = (starts[reason] ?? 0) + 1;
    return { ...result, starts };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Calls `work` for every item, `width` at a time. */
export async function inParallel(items, width, work) {
  const waiting = [...items];
  const one = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, one));
}
