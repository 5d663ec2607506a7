// What discovery reads of a machine, as an interface: a test gives another machine. Nothing here starts a shell.

import { accessSync, constants, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { runSync } from '../process/run-sync.ts';

export interface ShellHost {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Text of a file; null when it cannot be read. */
  readFile(path: string): string | null;
  isFile(path: string): boolean;
  isExecutable(path: string): boolean;
  /** The path without symbolic links; null when there is no such file. */
  realpath(path: string): string | null;
  /** Names in a folder; empty when it cannot be read. */
  readdir(path: string): readonly string[];
  /** The shell of the account's entry in the user database; null when there is none. */
  accountShell(): string | null;
  /** What `wsl.exe -l -q` prints (UTF-16LE); null when it is not there or does not answer. */
  wslList(program: string): Uint8Array | null;
}

const WSL_TIMEOUT = 1000;

function attempt<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise; // not there or not readable: both mean that this place offers no shell
  }
}

/** This machine. `env` is read when discovery runs. */
export const REAL_HOST: ShellHost = {
  platform: process.platform,
  get env() {
    return process.env;
  },
  readFile: (path) => attempt(() => readFileSync(path, 'utf8'), null),
  isFile: (path) => attempt(() => statSync(path).isFile(), false),
  isExecutable: (path) =>
    attempt(() => {
      accessSync(path, constants.X_OK);
      return true;
    }, false),
  realpath: (path) => attempt(() => realpathSync.native(path), null),
  readdir: (path) => attempt(() => readdirSync(path), []),
  accountShell: () => attempt(() => userInfo().shell, null),
  wslList: (program) =>
    attempt(() => {
      const result = runSync([program, '-l', '-q'], { encoding: 'buffer', timeout: WSL_TIMEOUT });
      return result.ok ? result.stdout : null;
    }, null),
};
