// resolveProgram: the lookup that starting uses, alone.

import { parseArgv } from '../command/argv.ts';
import { findBase, parsePath, toAbsolute } from '../command/cwd.ts';
import { findPath, parseEnv } from '../command/env.ts';
import { readOptions } from '../command/options.ts';
import type { Env } from '../command/types.ts';
import { toSpawnError } from '../errors/spawn-message.ts';
import { makeId, startResolve } from '../native/binding.ts';

export interface ResolvedProgram {
  /** As it was asked for. */
  readonly name: string;
  /** Absolute path of a file that may be executed. Symbolic links are not followed in it. */
  readonly path: string;
}

const NAMES: ReadonlySet<string> = new Set(['env', 'cwd']);

/**
 * Which file would run for `name`.
 *
 * A name with a slash is relative to `cwd`. A bare name is looked up in the PATH of `env` (absent: the host's
 * environment); empty and relative entries of PATH are skipped, and so are directories and files without execute
 * permission. The current directory is never searched.
 *
 * Rejects with TypeError for a wrong argument, and SpawnError (`stage: 'resolve'`, `tried`) when nothing is found.
 */
export async function resolveProgram(
  name: string,
  options?: { readonly env?: Env; readonly cwd?: string | URL },
): Promise<ResolvedProgram> {
  const argv = parseArgv([name]);
  const given = readOptions(options, NAMES);
  const cwd = given['cwd'] === undefined ? null : toAbsolute(parsePath(given['cwd'], 'cwd'), argv);
  const env = parseEnv(given['env'], undefined);
  return new Promise((resolve, reject) => {
    const query = { id: makeId(), program: name, base: findBase(name, cwd, argv), path: findPath(env) };
    startResolve(query, (event) => {
      if (event.kind === 'resolved') resolve(Object.freeze({ name, path: event.path }));
      else if (event.kind === 'unresolved') reject(toSpawnError(event, { argv, program: name, cwd }));
    });
  });
}
