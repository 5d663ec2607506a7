// The external-directory gate: which words of a call name a path outside the allowed folders. It reads exact tokens and
// knows nothing about programs, so it finds paths that stand in the open and no others: a check against accidents.

import { isAbsolute, relative, resolve } from 'node:path';
import { readsAllWords } from './call-reading.ts';
import type { CommandScan, ExecutionStage } from './shell-access.ts';
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
  /** Why the call may name any other path; null when its words are all there is. */
  readonly unreadable: string | null;
}

/** Where these lead is not in the words: the home folder, the folder before. */
const leavesUnsaid = ({ argv: [program = '', ...args] }: ExecutionStage): boolean =>
  /^(cd|chdir|pushd|popd)$/.test(program) && !args.some((arg) => /[^-+0-9]/.test(arg.replace(/^-[A-Za-z]+$/, '')));

function findUnreadable(facts: CommandScan): string | null {
  const { execution_semantics, execution_stages, shell_redirects } = facts;
  const known = execution_semantics.resolved || (execution_semantics.mode === 'argv' && readsAllWords(facts));
  if (!known) return 'the command line cannot be read';
  if (execution_stages.some(({ dynamic }) => dynamic.includes(true)) || shell_redirects.some((one) => one.dynamic)) {
    return 'a word is decided at run time';
  }
  return execution_stages.some(leavesUnsaid) ? 'it goes to a folder that it does not name' : null;
}

/** The words after each program, and what the shell itself opens. */
function listWords({ execution_stages, shell_redirects }: CommandScan): readonly string[] {
  const words = execution_stages.flatMap(({ via, source_argv, argv }) =>
    [...via.map((one) => one.argv), source_argv, argv].flatMap((one) => one.slice(1)),
  );
  return [...new Set([...words, ...shell_redirects.flatMap(({ destination }) => destination ?? [])])];
}

const DEVICES = /^\/dev\/(null|stdin|stdout|stderr|tty|zero|u?random|full|fd\/[0-9]+)$/;

/**
 * @param facts - scan of the call. @param roots - real paths. @param workdir - absolute folder that relative words start
 * from.
 */
export function findOutside(facts: CommandScan, workdir: string, roots: readonly string[]): OutsideReport {
  const outside = listWords(facts).filter((word) => {
    const path = toPath(word);
    return path !== null && !DEVICES.test(path) && !isInside(toRealPath(resolve(workdir, path)), roots);
  });
  const folder = isInside(toRealPath(workdir), roots) ? [] : [workdir];
  return { paths: Object.freeze([...folder, ...outside]), unreadable: findUnreadable(facts) };
}
