// The lookup of execvp(3), for a PATH that ours does not serve: empty and relative entries count, from the child's
// folder. Tools do use them: husky puts `node_modules/.bin` first.

import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** The PATH that the child gets; undefined when it has none. The last of several is what `getenv` of ours gives. */
function findPath(envPairs: readonly unknown[] | undefined): string | undefined {
  if (envPairs === undefined) return process.env['PATH'];
  return envPairs
    .map(String)
    .findLast((pair) => pair.startsWith('PATH='))
    ?.slice('PATH='.length);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // not there, not ours to run: execvp goes on with the next entry
  }
}

/**
 * The absolute path of a bare `file` where PATH has an empty or relative entry. Else `file`, for the engine's own lookup,
 * and also when nothing is found.
 */
export function lookUp(file: string, cwd: string | null, envPairs: readonly unknown[] | undefined): string {
  const path = file.includes('/') ? undefined : findPath(envPairs);
  if (path === undefined || !/(^|:)([^/]|$)/.test(path)) return file;
  const folder = cwd ?? process.cwd();
  const candidates = path.split(':').map((entry) => resolve(folder, entry, file));
  return candidates.find(isExecutable) ?? file;
}
