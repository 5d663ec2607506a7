// What an allowlist is written in. Types only.

import type { FileIdentity } from './program-file.ts';

/**
 * One argument: exact text, one of several, or a pattern that must match the whole of it. `{rest}` comes last and holds
 * for every argument that remains, none included.
 */
export type ArgPattern = string | RegExp | readonly string[] | { readonly rest: RegExp };

export interface GuardContext {
  /** The step's absolute working folder. */
  readonly cwd: string;
  /** Whether a path (relative to `cwd`) lies in the workflow's folders, after symbolic links. */
  isInFolders(path: string): boolean;
}

/** `true` approves; text says what is wrong. Anything else, and an exception, refuses. */
export type ArgsGuard = (args: readonly string[], context: GuardContext) => true | string;

/**
 * Patterns for the whole argument list, of which one has to match; they narrow the rule that the program has anyway
 * (git, sort, rg, ...). A function replaces that rule.
 */
export type ArgsRule = readonly (readonly ArgPattern[])[] | ArgsGuard;

/**
 * - a bare name: the program of that name on the policy's PATH;
 * - an absolute path: that file, under that name;
 * - `{dir}`: every program directly in an absolute folder, by bare name or by path;
 * - `{program, path, args}`: a bare name or an absolute path; `path` is the file that a bare name stands for.
 */
export type AllowEntry =
  string | { readonly dir: string } | { readonly program: string; readonly path?: string; readonly args?: ArgsRule };

/** A command that may run, and which file it is. */
export interface Approval {
  /** Path to start: links are kept, as a script sees it in `$0`. */
  readonly path: string;
  readonly realPath: string;
  readonly identity: FileIdentity;
}
