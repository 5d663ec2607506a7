// The folders that steps may work in.

import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { AllowlistError } from './errors.ts';

/**
 * The real path, also of something that does not exist yet: its nearest ancestor that does decides. Never normalized
 * before: `link/..` is the parent of what the link leads to.
 */
function toRealPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const [parent, name] = [dirname(path), basename(path)];
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!missing || parent === path || name === '..' || lstatSync(path, { throwIfNoEntry: false })) throw error;
    return join(toRealPath(parent), name);
  }
}

export class Folders {
  readonly #roots: readonly string[];

  constructor(folders: readonly string[]) {
    this.#roots = folders.map((folder) => realpathSync.native(folder));
  }

  /** Whether `path` (relative to `cwd`) is one of the folders or in one, after symbolic links. False when it cannot be told. */
  holds(path: string, cwd: string): boolean {
    let real: string;
    try {
      real = toRealPath(isAbsolute(path) ? path : `${cwd}/${path}`);
    } catch {
      return false; // unreadable, a loop of links, a link to nothing: not known to be inside
    }
    return this.#roots.some((root) => {
      const rest = relative(root, real);
      return rest === '' || (!isAbsolute(rest) && rest.split(/[\\/]/)[0] !== '..');
    });
  }

  /** @throws AllowlistError `folder`. */
  check(cwd: string): void {
    if (!this.holds(cwd, cwd)) throw new AllowlistError('folder', `${cwd} is not in the workflow's folders`);
  }
}
