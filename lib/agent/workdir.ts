// The folder of a call: absolute and looked at before permission is decided, so that a wrong one fails in both modes
// alike.

import { realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { Argv } from '../command/types.ts';
import { makeFailure, toSpawnError } from '../errors/spawn-message.ts';

export interface Workdir {
  /** As the request had it; null when it had none. */
  readonly asked: string | null;
  /** Where the program runs. null: the back end's own default. */
  readonly used: string | null;
  /** `asked` does not exist, and `used` is its nearest parent that does. */
  readonly recovered: boolean;
}

/** Why a path is not a folder: the OS name, or null when it is one. */
function findFault(path: string): { readonly code: string; readonly errno: number } | null {
  try {
    if (statSync(path).isDirectory()) return null;
    return { code: 'ENOTDIR', errno: 20 };
  } catch (error) {
    const { code = 'EIO', errno = -5 } = error as NodeJS.ErrnoException;
    return { code, errno: Math.abs(errno) };
  }
}

function findParent(path: string): string {
  let folder = dirname(path);
  while (findFault(folder) !== null && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/**
 * @param base - absolute folder that relative ones start from.
 * @param recover - use the nearest existing parent of a folder that is gone.
 * @throws SpawnError (stage `cwd`), as starting a program there would.
 */
export function findLocalWorkdir(asked: string | null, base: string, recover: boolean, argv: Argv): Workdir {
  const path = asked === null ? base : isAbsolute(asked) ? asked : resolve(base, asked);
  const fault = findFault(path);
  if (fault === null) return Object.freeze({ asked, used: path, recovered: false });
  if (recover && (fault.code === 'ENOENT' || fault.code === 'ENOTDIR')) {
    return Object.freeze({ asked, used: findParent(path), recovered: true });
  }
  const failure = makeFailure({ stage: 'cwd', ...fault, subject: 'cwd', path, detail: path });
  throw toSpawnError(failure, { argv, program: argv[0], cwd: path });
}

/** The path with its existing part free of symbolic links. */
export function toRealPath(path: string): string {
  const rest: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return resolve(realpathSync(at), ...rest);
    } catch {
      if (dirname(at) === at) return path; // nothing of it exists
      rest.unshift(at.slice(dirname(at).length).replace(/^[/\\]+/, ''));
    }
  }
}
