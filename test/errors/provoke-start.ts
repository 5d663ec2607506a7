// For each row of lib/errors/start-failures.ts a way to it, by real files, limits and kernels.

import { spawn as spawnForeign } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { run } from '../../lib/index.ts';
import type { Argv, RunOptions } from '../../lib/index.ts';
import { makeFolder, writeProgram } from '../helpers/folder.ts';
import { runHost } from '../helpers/host.ts';
import type { HostOptions } from '../helpers/host.ts';
import { HELPERS } from '../helpers/host-script.ts';
import { letGo, makeNamedPipe } from '../helpers/named-pipe.ts';
import { copyPackage } from '../helpers/package-copy.ts';

export interface Failed {
  readonly code: string;
  readonly stage: string;
}
type Provoke = () => Promise<unknown>;

const folder = makeFolder();
chmodSync(folder, 0o755);
const file = writeProgram(folder, 'file', 'text', 0o644);
const loop = join(folder, 'loop');
symlinkSync('loop', loop);
const long = `/${'x'.repeat(300)}`;

/** In this process. */
const here =
  (argv: Argv, options: RunOptions = {}): Provoke =>
  () =>
    run(argv, options).catch((error: unknown) => error);
const withOutput = (path: string): Provoke => here(['true'], { stdout: { file: path } });

/** In a host of its own: `call` is the arguments of `run`, or a promise. */
const inHost =
  (call: string, options: HostOptions, before = ''): Provoke =>
  async () => {
    const script = `${before}
      const error = await ${call.startsWith('[') ? `run(${call})` : call}.catch((e) => e);
      console.log(JSON.stringify({ code: error.code, stage: error.stage, message: error.message }));
      process.exit();`;
    const end = await runHost(script, options);
    if (end.stdout === '') throw new Error(`the host said nothing: ${end.stderr}`);
    return JSON.parse(end.stdout) as Failed;
  };

const AS_NOBODY = ['setpriv', '--reuid=65531', '--regid=65531', '--clear-groups'];
const withMount = (options: string): readonly string[] => [
  'unshare',
  '--mount',
  ...['sh', '-c', `mount -t tmpfs -o ${options} none /mnt && exec "$@"`, 'sh'],
];

/** A host in which strace tampers with system calls from now on: after Node's own threads, and one run, are there. */
const tampered = (inject: readonly string[], call = `['true']`, warm = true): Provoke =>
  inHost(
    call,
    {},
    `${HELPERS}
    import { spawn as startForeign } from 'node:child_process';
    import { readFileSync } from 'node:fs';
    ${warm ? `await run(['true']);` : ''}
    const tracedBy = () => /^TracerPid:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))[1] !== '0';
    startForeign('strace', ['-f', '-qq', '-o', '/dev/null', ...${JSON.stringify(inject)}, '-p', String(process.pid)], { stdio: 'ignore' });
    await until('strace has attached itself', tracedBy);`,
  );
const refused = (calls: string, error: string): readonly string[] => [
  '-e',
  `trace=${calls}`,
  '-e',
  `inject=${calls}:error=${error}`,
];

async function stuckStart(): Promise<unknown> {
  const pipe = makeNamedPipe(join(folder, 'stuck'));
  try {
    return await here(['true'], { stdin: { file: pipe }, timeout: 100 })();
  } finally {
    letGo(pipe);
  }
}

async function busyProgram(): Promise<unknown> {
  const path = writeProgram(folder, 'busy', '');
  copyFileSync('/bin/true', path);
  const held = openSync(path, 'r+');
  try {
    return await here([path])();
  } finally {
    closeSync(held);
  }
}

async function runningProgram(): Promise<unknown> {
  const path = join(folder, 'running');
  copyFileSync('/bin/sleep', path);
  const child = spawnForeign(path, ['60']);
  await once(child, 'spawn');
  try {
    return await withOutput(path)();
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

async function socketFile(): Promise<unknown> {
  const path = join(folder, 'socket');
  const server = createServer().listen(path);
  await once(server, 'listening');
  try {
    return await withOutput(path)();
  } finally {
    server.close();
  }
}

function otherLibc(): string {
  const path = join(folder, 'other-libc');
  const bytes = readFileSync('/bin/true');
  const at = bytes.indexOf('/lib64/ld-linux-x86-64.so.2');
  bytes.write('/lib/no-such-loader.so.1\0\0\0', at, 'latin1');
  writeFileSync(path, bytes, { mode: 0o755 });
  return path;
}

function closedFolder(): string {
  const path = join(folder, 'closed');
  mkdirSync(path, { mode: 0o700 });
  writeFileSync(join(path, 'out'), '', { mode: 0o600 });
  return path;
}
const closed = closedFolder();
const forbidden = join(folder, 'forbidden');
copyFileSync('/bin/true', forbidden);
const script = writeProgram(folder, 'script', '#!/bin/sh\n');

/** `stage code` to a way there. */
export const PROVOKE: Readonly<Record<string, Provoke>> = {
  'resolve ENOENT': here(['no-such-program-anywhere']),
  'resolve EACCES': here(['file'], { env: { PATH: folder } }),
  'resolve ENOTDIR': here([join(file, 'x')]),
  'resolve ELOOP': here(['loop'], { env: { PATH: folder } }),
  'resolve ENAMETOOLONG': here(['x'.repeat(300)]),
  'cwd ENOENT': here(['true'], { cwd: join(folder, 'no') }),
  'cwd ENOTDIR': here(['true'], { cwd: file }),
  'cwd EACCES': inHost(`['true'], { cwd: ${JSON.stringify(closed)} }`, { prefix: AS_NOBODY }),
  'cwd ELOOP': here(['true'], { cwd: loop }),
  'cwd ENAMETOOLONG': here(['true'], { cwd: long }),
  'limits E2BIG': here(['true', 'x'.repeat(200_000)]),
  'fork EAGAIN': inHost(`Promise.all(Array.from({ length: 200 }, () => run(['sleep', '5'])))`, {
    prefix: [...AS_NOBODY, 'prlimit', '--nproc=40:40'],
  }),
  'fork ENOMEM': tampered(refused('clone3,clone,fork,vfork', 'ENOMEM')),
  'fork EPERM': tampered(refused('clone3,clone,fork,vfork', 'EPERM')),
  'fork EPIPE': tampered(['-e', 'trace=prctl', '-e', 'inject=prctl:signal=KILL']),
  'setup ENOENT': here(['true'], { stdin: { file: '/no/such/input' } }),
  'setup EACCES': inHost(`['true'], { stdout: { file: ${JSON.stringify(join(closed, 'out'))} } }`, {
    prefix: AS_NOBODY,
  }),
  'setup EISDIR': withOutput(folder),
  'setup ENOTDIR': withOutput(join(file, 'x')),
  'setup ELOOP': withOutput(loop),
  'setup ENAMETOOLONG': withOutput(long),
  'setup EROFS': inHost(`['true'], { stdout: { file: '/mnt/out' } }`, { prefix: withMount('ro') }),
  'setup ETXTBSY': runningProgram,
  'setup ENXIO': socketFile,
  'setup EMFILE': inHost(
    `['true'], { stdin: 'x' }`,
    { prefix: ['prlimit', '--nofile=64:64'] },
    `import { openSync } from 'node:fs';
     await run(['true']);
     try { for (;;) openSync('/dev/null'); } catch (error) { if (error.code !== 'EMFILE') throw error; }`,
  ),
  'setup EBADF': inHost(
    `['true'], { stdin: 'inherit' }`,
    {},
    `import { closeSync } from 'node:fs';
     await run(['true']);
     closeSync(0);`,
  ),
  'setup EAGAIN': tampered(refused('clone3,clone', 'EAGAIN'), `['true']`, false),
  'setup ETIMEDOUT': stuckStart,
  'exec ENOEXEC': here([writeProgram(folder, 'text', 'echo hi\n')]),
  'exec EACCES': inHost(
    `['/mnt/tool']`,
    { prefix: withMount('noexec') },
    `import { copyFileSync } from 'node:fs'; copyFileSync('/bin/true', '/mnt/tool');`,
  ),
  'exec ETXTBSY': busyProgram,
  'exec ENAMETOOLONG': here([long]),
  'exec EPERM': tampered(['-P', forbidden, ...refused('execve', 'EPERM')], `[${JSON.stringify(forbidden)}]`),
  'interpreter ENOENT': here([writeProgram(folder, 'no-interpreter', '#!/no/such/interpreter\n')]),
  'interpreter EPERM': tampered(['-P', script, ...refused('execve', 'EPERM')], `[${JSON.stringify(script)}]`),
  'interpreter EACCES': here([writeProgram(folder, 'bad-interpreter', `#!${file}\n`)]),
  'loader ENOENT': here([otherLibc()]),
  'containment ERR_CONTAINMENT': async () =>
    inHost(`['true'], { require: 'tree' }`, { packageUrl: copyPackage(join(folder, 'no-keeper'), null) })(),
};

/** Rows that only Windows has: the file of test/windows (run under Wine) that meets them. */
export const ON_WINDOWS: Readonly<Record<string, string>> = {
  'batch ERR_BATCH_REFUSED': 'search.test.ts',
  'resolve EINVAL': 'search.test.ts',
};

/** Rows that no test meets, each with the reason. */
export const NOT_PROVOKED: Readonly<Record<string, string>> = {
  'limits EINVAL': 'Windows only, and no file name there can have a quote: test/native/windows_text_test.cc checks it',
  'setup EBUSY': 'Windows only: no program of the tests holds a file without sharing it',
};
