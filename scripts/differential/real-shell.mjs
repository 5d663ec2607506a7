// Runs a program in a real shell, in a folder of its own, where every program is a stub that notes how it was called.

import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const STUBS = ['ls', 'rm', 'q', 'w', 'no', 'git', 'pwn', 'a', 'b1', 'in', 'x', 'f', 'g'];
/** Real ones, because what they do with their words is part of the question. */
const REAL = [
  'sh',
  'bash',
  'dash',
  'zsh',
  'env',
  'nice',
  'timeout',
  'nohup',
  'find',
  'xargs',
  'busybox',
  'stdbuf',
  'setsid',
];
const TIMEOUT = 5000;
/** Content of the file that is there before. */
const IN = 'in\n';

const findReal = (name) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

/** @returns `run(program)` and `close()`. */
export function openShell(shell, stub) {
  const root = mkdtempSync(join(tmpdir(), 'argv-spawn-differential-'));
  const bin = join(root, 'bin');
  mkdirSync(bin);
  for (const name of STUBS) symlinkSync(stub, join(bin, name));
  for (const name of REAL) {
    const path = findReal(name);
    if (path) symlinkSync(path, join(bin, name));
  }
  const path = findReal(shell);
  if (!path) throw new Error(`${shell} is not installed`);
  // x, y and the others are what a hostile environment would hold.
  const env = {
    PATH: bin,
    LANG: 'C.UTF-8',
    x: 'a[$(pwn env)]',
    y: '*',
    z: '-v',
    op: '-eq',
    n: '3',
    e: '',
    r: 'pwn value',
  };
  let count = 0;

  async function run(program) {
    const folder = join(root, `run-${count++}`);
    mkdirSync(join(folder, 'd'), { recursive: true });
    writeFileSync(join(folder, 'in'), IN);
    const log = join(root, 'log');
    writeFileSync(log, '');
    const descriptor = openSync(log, 'a');
    // Descriptor 8 is held by every descendant: the end of its pipe is the end of all of them.
    const stdio = ['ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'ignore', 'pipe', descriptor];
    const child = spawn(path, [...(shell === 'zsh' ? ['-f'] : []), '-c', program], {
      cwd: folder,
      env: { ...env, HOME: folder },
      stdio,
      detached: true,
    });
    closeSync(descriptor);
    const ended = await new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch {
          // gone in the meantime
        }
        child.stdio[8].destroy();
        resolve(false);
      }, TIMEOUT);
      child.on('error', reject);
      child.stdio[8].resume();
      child.stdio[8].on('close', () => {
        clearTimeout(timer);
        resolve(true);
      });
    });
    const calls = readFileSync(log, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(',').map((hex) => Buffer.from(hex, 'hex').toString()));
    const same = existsSync(join(folder, 'in')) && readFileSync(join(folder, 'in'), 'utf8') === IN;
    const files = readdirSync(folder, { recursive: true }).filter((name) => name !== 'd' && !(name === 'in' && same));
    rmSync(folder, { recursive: true, force: true });
    return { ended, calls, files };
  }
  return { run, close: () => rmSync(root, { recursive: true, force: true }) };
}
