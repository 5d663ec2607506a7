// Every way in which a start fails, as data: the reference in lib/ERRORS.md is made of it, and a test provokes each row.
//
// The engine makes these records (native/unix, native/win); spawn-message.ts writes their messages.

import type { StartFailure } from './code-types.ts';

type Row = readonly [code: string, systems: StartFailure['systems'], because: string, remedy: string];

const ROWS: Readonly<Record<StartFailure['stage'], readonly Row[]>> = {
  resolve: [
    [
      'ENOENT',
      'all',
      'no folder of the PATH that the program would get has a file of that name, or the path does not exist',
      'read `tried`; give an absolute path, or set PATH in `env` or `extendEnv`',
    ],
    [
      'EACCES',
      'all',
      'what was found is a folder or, on Unix, may not be executed or searched',
      'set the execute bit, or name the file in that folder',
    ],
    ['ENOTDIR', 'unix', 'a part of the path is a file', 'correct the path'],
    ['ELOOP', 'unix', 'links of the path go in a circle', 'correct the links'],
    ['ENAMETOOLONG', 'unix', 'the path, or one part of it, is longer than the system allows', 'shorten the path'],
    [
      'EINVAL',
      'windows',
      'the path depends on the current folder of a drive (`c:tool`), or names an alternate data stream',
      'give the whole path of a file',
    ],
  ],
  cwd: [
    ['ENOENT', 'all', '`cwd` does not exist; `detail` is the first part that is missing', 'make the folder first'],
    ['ENOTDIR', 'all', '`cwd`, or a part of it, is a file', 'give a folder'],
    ['EACCES', 'unix', 'the user may not enter `cwd`', 'give search permission, or another folder'],
    ['ELOOP', 'unix', 'links of `cwd` go in a circle', 'correct the links'],
    [
      'ENAMETOOLONG',
      'all',
      '`cwd` is longer than the system allows; Windows takes 258 characters',
      'use a shorter path to the same folder',
    ],
  ],
  limits: [
    [
      'E2BIG',
      'all',
      'one argument, one variable, or all of them together are larger than the system takes; `subject`, `index`, `size` and `limit` say which and how much',
      'hand large data over on stdin or in a file',
    ],
    ['EINVAL', 'windows', 'argv[0] has a quote, which no Windows command line can hold', 'rename the program'],
  ],
  fork: [
    [
      'EAGAIN',
      'unix',
      'the limit of processes of the user or the container is reached; `detail` has the limits',
      'raise `ulimit -u` or pids.max, or run fewer at once',
    ],
    ['ENOMEM', 'unix', 'the system has no memory for another process', 'free memory, or raise the limit'],
    ['EPERM', 'unix', 'a system call filter forbids new processes', 'run it outside of that sandbox'],
    ['EPIPE', 'unix', 'the keeper ended before it could start the program', 'try again; report it when it stays'],
  ],
  setup: [
    ['ENOENT', 'all', 'the file of a standard stream or `tee`, or its folder, does not exist', 'make it first'],
    ['EACCES', 'all', 'that file may not be opened by this user', 'change its permissions'],
    ['EISDIR', 'unix', 'that file is a folder', 'name a file in it'],
    ['ENOTDIR', 'unix', 'a part of its path is a file', 'correct the path'],
    ['ELOOP', 'unix', 'links of its path go in a circle', 'correct the links'],
    ['ENAMETOOLONG', 'unix', 'its path is longer than the system allows', 'shorten the path'],
    ['EROFS', 'unix', 'it lies on a file system that is mounted read-only', 'write elsewhere'],
    ['ETXTBSY', 'unix', 'output was sent to the file of a program that is running', 'write elsewhere'],
    ['ENXIO', 'unix', 'it is a socket, or a device that is not there', 'name a file'],
    [
      'EMFILE',
      'all',
      'this process has no descriptor or handle left for a pipe; `detail` has the limits',
      'raise `ulimit -n`, or close what is not used',
    ],
    ['EBADF', 'unix', "`'inherit'` was asked for a stream that this process has closed", "use `'ignore'`"],
    [
      'EAGAIN',
      'all',
      'the engine could not start a thread of its own',
      'raise the limit of processes and threads, or free memory',
    ],
    [
      'ETIMEDOUT',
      'all',
      'the start took longer than `timeout`, on a dead network share or a named pipe that nobody writes to, and was given up; if it succeeds after all, the program is ended at once',
      'see to the share or the pipe, or give more time',
    ],
    ['EBUSY', 'windows', 'another program holds the file of a stream without sharing it', 'wait, or write elsewhere'],
  ],
  exec: [
    [
      'ENOEXEC',
      'all',
      'the file is no program for this machine: a script without `#!`, another architecture, an empty file; `detail` says which',
      'name the interpreter as the program, or get the right build',
    ],
    [
      'EACCES',
      'all',
      'the system refuses to run the file: a `noexec` mount, on Windows a program that wants to be elevated; `detail` says which',
      'use another place or program',
    ],
    [
      'ETXTBSY',
      'unix',
      'the file is open for writing, and stayed so through all retries',
      'close it before it is run; write new programs beside and rename them',
    ],
    ['EPERM', 'unix', 'a filter or security policy forbids to run the file', 'ask who set that policy'],
    [
      'ENAMETOOLONG',
      'all',
      'the path is longer than the system allows; Windows takes 259 characters',
      'use a shorter path',
    ],
  ],
  interpreter: [
    ['ENOENT', 'unix', 'the interpreter of its `#!` line does not exist; `path` names it', 'install or correct it'],
    [
      'EPERM',
      'unix',
      'a filter or security policy forbids to run the script or its interpreter',
      'ask who set that policy',
    ],
    [
      'EACCES',
      'unix',
      'the interpreter of its `#!` line may not be executed',
      'set its execute bit, or correct the line',
    ],
  ],
  loader: [
    [
      'ENOENT',
      'unix',
      'the loader that the program names does not exist: it was built for another C library or system',
      'get a build for this system',
    ],
  ],
  batch: [
    [
      'ERR_BATCH_REFUSED',
      'windows',
      'the file is a batch file, which only cmd.exe can run, and cmd.exe changes arguments',
      "name the program it starts (`detail`), or use `windowsShims: 'resolve'`",
    ],
  ],
  containment: [
    [
      'ERR_CONTAINMENT',
      'all',
      '`require` asks for more protection than this call would get; the message says why',
      'fix what `argv-spawn doctor` names, or require less',
    ],
  ],
};

export const START_FAILURES: readonly StartFailure[] = Object.entries(ROWS).flatMap(([stage, rows]) =>
  rows.map(([code, systems, because, remedy]) => ({
    stage: stage as StartFailure['stage'],
    code,
    systems,
    because,
    remedy,
  })),
);
