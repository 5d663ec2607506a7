// Another machine for discovery: its files as a list.

import { win32 } from 'node:path';
import type { ShellHost } from '../../lib/shell.ts';

export interface FakeMachine {
  readonly platform: NodeJS.Platform;
  readonly env?: Readonly<Record<string, string>>;
  /** Path to what it is: `x` a program, `-` a file that may not be executed, `-> path` a link. */
  readonly files?: Readonly<Record<string, string>>;
  readonly etcShells?: string;
  readonly account?: string;
  readonly wsl?: Uint8Array;
}

export function makeHost(machine: FakeMachine): ShellHost {
  const files = new Map(Object.entries(machine.files ?? {}));
  const follow = (path: string): string | null => {
    const found = files.get(path);
    if (found === undefined) return null;
    return found.startsWith('-> ') ? follow(found.slice(3)) : path;
  };
  return {
    platform: machine.platform,
    env: machine.env ?? {},
    readFile: (path) => (path === '/etc/shells' ? (machine.etcShells ?? null) : null),
    isFile: (path) => follow(path) !== null,
    isExecutable: (path) => files.get(follow(path) ?? '') === 'x',
    realpath: follow,
    readdir: (folder) => [
      ...new Set(
        [...files.keys()]
          .filter((path) => path.startsWith(`${folder}${win32.sep}`))
          .map((path) => path.slice(folder.length + 1).split(win32.sep)[0] ?? ''),
      ),
    ],
    accountShell: () => machine.account ?? null,
    wslList: () => machine.wsl ?? null,
  };
}
