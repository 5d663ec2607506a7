// The external-directory gate: which words of a call name a path outside the allowed folders. It reads exact tokens and
// knows nothing about programs, so it finds paths that stand in the open and no others: a check against accidents.

import { isAbsolute, relative, resolve } from 'node:path';
import type { Target } from './decide.ts';
import { readShellCommands } from './shell-text.ts';
import { toRealPath } from './workdir.ts';

/** The part of a word that may be a path: after `=` or a letter option. */
function toPath(word: string): string | null {
  const text = word.startsWith('-') ? word.replace(/^-[^=/.]*=?/, '') : word;
  if (text === '..' || text.startsWith('../') || text.startsWith('..\\')) return text;
  return /[/\\]/.test(text) ? text : null;
}

function isInside(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => {
    const way = relative(root, path);
    return way === '' || (!way.startsWith('..') && !isAbsolute(way));
  });
}

export interface OutsideReport {
  /** Words whose path lies outside. */
  readonly paths: readonly string[];
  /** The command line could not be read, so it may name any path. */
  readonly unreadable: boolean;
}

/** @param roots - real paths. @param workdir - absolute folder that relative words start from. */
export function findOutside(target: Target, workdir: string, roots: readonly string[]): OutsideReport {
  const words = listWords(target);
  const outside = (words ?? []).filter((word) => {
    const path = toPath(word);
    return path !== null && !isInside(toRealPath(resolve(workdir, path)), roots);
  });
  const folder = isInside(toRealPath(workdir), roots) ? [] : [workdir];
  return { paths: Object.freeze([...folder, ...outside]), unreadable: words === null };
}

/** The words after each program; null when they cannot be told. */
function listWords(target: Target): readonly string[] | null {
  if (target.mode === 'process') return target.argv.slice(1);
  const commands = readShellCommands(target.command);
  return commands === null ? null : commands.flatMap(({ words }) => words.slice(1));
}
