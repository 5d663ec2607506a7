// The allowlist for argument vectors. Every way out that is not an explicit approval is a refusal.

import { realpathSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import type { Argv } from '../command/types.ts';
import { makeTypeError, makeUnknownOptionError, makeValueError } from '../errors/option-errors.ts';
import { isSpawnError } from '../errors/errors.ts';
import { resolveProgram } from '../process/resolve-program.ts';
import { quoteVisibly } from '../util/describe.ts';
import { AllowlistError } from './errors.ts';
import type { Folders } from './folders.ts';
import { gitGuard } from './git-guard.ts';
import { OPTION_GUARDS } from './option-guards.ts';
import { compilePatterns } from './patterns.ts';
import type { AllowEntry, Approval, ArgsGuard, ArgsRule, GuardContext } from './policy-types.ts';
import { identify, identifySync, isSameFile } from './program-file.ts';
import type { FileIdentity } from './program-file.ts';
import { isMulticall, isRunner, toProgramName } from './programs.ts';

interface ProgramEntry {
  readonly kind: 'program';
  readonly name: string;
  /** null: looked up on the policy's PATH, once. */
  readonly path: string | null;
  readonly rule: { readonly guard: ArgsGuard; readonly replaces: boolean } | null;
}

type Entry = ProgramEntry | { readonly kind: 'dir'; readonly dir: string };

interface Found {
  readonly path: string;
  readonly realPath: string;
  identity: FileIdentity;
}

const hasSeparator = (name: string): boolean => /[\\/]/.test(name);
const isPlainPath = (path: string): boolean => isAbsolute(path) && normalize(path) === path;

const runnerDetail = (name: string): string =>
  `${name} runs its arguments or code in them: give it a rule ({program, args}) that says which arguments are meant`;

/** The path behind links, for the name it really has; the path itself when it is not there yet. */
function findRealName(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // an entry may be made before its program is; the lookup before each start is what decides
  }
}

function compileRule(rule: ArgsRule | undefined, field: string): ProgramEntry['rule'] {
  if (rule === undefined) return null;
  if (typeof rule === 'function') return { guard: rule, replaces: true };
  if (!Array.isArray(rule)) throw makeTypeError(field, 'an array of argument lists, or a function', rule);
  return { guard: compilePatterns(rule, field), replaces: false };
}

function compileProgram(program: unknown, path: unknown, args: ArgsRule | undefined, field: string): ProgramEntry {
  if (typeof program !== 'string' || program === '') throw makeTypeError(field, 'a program name or path', program);
  if (hasSeparator(program) && !isPlainPath(program)) {
    throw makeValueError(field, `must be a bare name or a plain absolute path, got ${quoteVisibly(program)}`);
  }
  if (path !== undefined && (typeof path !== 'string' || !isPlainPath(path) || hasSeparator(program))) {
    throw makeTypeError(`${field}.path`, 'a plain absolute path, beside a bare program name', path);
  }
  const file = path ?? (hasSeparator(program) ? program : null);
  const rule = compileRule(args, `${field}.args`);
  const names = [program, ...(file === null ? [] : [file, findRealName(file)])];
  if (rule === null && names.some((name) => isRunner(name)) && !isAppletEntry(program, names)) {
    throw new AllowlistError('runner', runnerDetail(program));
  }
  return { kind: 'program', name: basename(program), path: file, rule };
}

/** `ls` that is a link to busybox: called by the name ls it can only be ls. */
const isAppletEntry = (program: string, names: readonly string[]): boolean =>
  !isRunner(program) && names.every((name) => !isRunner(name) || isMulticall(name));

function compileEntry(entry: AllowEntry, field: string): Entry {
  if (typeof entry === 'string') return compileProgram(entry, undefined, undefined, field);
  if (typeof entry !== 'object' || (entry as unknown) === null) {
    throw makeTypeError(field, 'a name, an absolute path, {dir} or {program, path, args}', entry);
  }
  const known = 'dir' in entry ? ['dir'] : ['program', 'path', 'args'];
  for (const name of Object.keys(entry)) {
    if (!known.includes(name)) throw makeUnknownOptionError(`${field}.${name}`, `known are ${known.join(', ')}`);
  }
  if ('dir' in entry) {
    if (typeof entry.dir !== 'string' || !isPlainPath(entry.dir)) {
      throw makeTypeError(`${field}.dir`, 'a plain absolute path', entry.dir);
    }
    return { kind: 'dir', dir: entry.dir };
  }
  return compileProgram(entry.program, entry.path, entry.args, field);
}

/** Only where the system has such bits; elsewhere `mode` is made up. */
const HAS_MODES = typeof process.getuid === 'function';
const OTHERS_WRITE = 0o002n;
const STICKY = 0o1000n;

async function refuseWritable(realPath: string, identity: FileIdentity): Promise<void> {
  if (!HAS_MODES) return;
  if ((identity.mode & OTHERS_WRITE) !== 0n) throw new AllowlistError('writable', `any user may change ${realPath}`);
  const folder = await stat(dirname(realPath), { bigint: true });
  if ((folder.mode & OTHERS_WRITE) !== 0n && (folder.mode & STICKY) === 0n) {
    throw new AllowlistError('writable', `any user may replace files in ${dirname(realPath)}`);
  }
}

export class Policy {
  readonly #entries: readonly Entry[];
  readonly #path: string;
  readonly #folders: Folders;
  readonly #found = new Map<Entry | string, Found>();

  /** @throws AllowlistError `runner`, and TypeError for an entry that is wrong. */
  constructor(allow: readonly AllowEntry[], path: string, folders: Folders) {
    if (!Array.isArray(allow)) throw makeTypeError('allow', 'an array of entries', allow);
    this.#entries = allow.map((entry: AllowEntry, i) => compileEntry(entry, `allow[${i}]`));
    this.#path = path;
    this.#folders = folders;
  }

  /**
   * The file that `argv` runs when an entry approves it.
   *
   * @throws AllowlistError with the nearest reason when none does.
   */
  async approve(argv: Argv, cwd: string): Promise<Approval> {
    const [program] = argv;
    if (hasSeparator(program) && !isPlainPath(program)) {
      throw new AllowlistError('relative-path', `${quoteVisibly(program)} is not a bare name or a plain absolute path`);
    }
    let nearest: AllowlistError | undefined;
    for (const entry of this.#entries) {
      try {
        const found = await this.#find(entry, program);
        if (!found) continue;
        this.#checkArguments(entry, argv, found, cwd);
        return { ...found };
      } catch (error) {
        if (!(error instanceof AllowlistError)) throw error;
        if (!nearest || nearest.reason === 'not-found') nearest = error;
      }
    }
    throw nearest ?? new AllowlistError('not-listed', `no entry of the allowlist names ${quoteVisibly(program)}`);
  }

  /**
   * The same for a command that a shell starts, which knows nothing of the entries: the file it finds on the policy's
   * PATH has to be the approved one.
   */
  async approveInShell(argv: Argv, cwd: string): Promise<Approval> {
    const approval = await this.approve(argv, cwd);
    if (hasSeparator(argv[0])) return approval;
    const found = await this.#lookUp(argv[0]);
    if ((await realpath(found)) === approval.realPath) return approval;
    throw new AllowlistError('changed', `the shell would run ${found}, approved is ${approval.path}`);
  }

  /** The file of the shell that reads text; the host chose it. @throws AllowlistError. */
  async approveShell(path: string): Promise<Approval> {
    return { ...(await this.#locate(path, () => Promise.resolve(path))) };
  }

  /** @returns null when the entry is about other programs. */
  async #find(entry: Entry, program: string): Promise<Found | null> {
    if (entry.kind === 'dir') return this.#findInFolder(entry.dir, program);
    if (basename(program) !== entry.name) return null;
    const found = await this.#locate(entry, async () => entry.path ?? this.#lookUp(entry.name));
    if (!hasSeparator(program) || program === found.path) return found;
    // Another path to the same file, under the same name.
    const real = await realpath(program).catch(() => null);
    return real === found.realPath ? found : null;
  }

  async #findInFolder(dir: string, program: string): Promise<Found | null> {
    const path = hasSeparator(program) ? program : join(dir, program);
    if (dirname(path) !== dir) return null;
    if (!(await stat(path).catch(() => null))?.isFile()) return null;
    const found = await this.#locate(path, () => Promise.resolve(path));
    const folder = await realpath(dir);
    if (dirname(found.realPath) !== folder) {
      throw new AllowlistError('outside-folder', `${path} leads to ${found.realPath}`);
    }
    return found;
  }

  async #lookUp(name: string): Promise<string> {
    try {
      return (await resolveProgram(name, { env: { PATH: this.#path } })).path;
    } catch (error) {
      if (!isSpawnError(error)) throw error;
      throw new AllowlistError('not-found', `${quoteVisibly(name)} is not on the policy's PATH`);
    }
  }

  /** The first lookup of an entry decides its path and what that leads to; later ones must lead to the same file path. */
  async #locate(key: Entry | string, choose: () => Promise<string>): Promise<Found> {
    const before = this.#found.get(key);
    const path = before?.path ?? (await choose());
    let identity: FileIdentity;
    try {
      // Known to answer, a file is looked at here like right before its start: many times faster than on a thread.
      identity = before ? identifySync(path) : await identify(path);
    } catch (error) {
      throw new AllowlistError('not-found', `${path}: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
    }
    if (before && isSameFile(before.identity, identity) && before.identity.mode === identity.mode) return before;
    const realPath = await realpath(path);
    if (before && before.realPath !== realPath) {
      throw new AllowlistError('changed', `${path} led to ${before.realPath} and now leads to ${realPath}`);
    }
    await refuseWritable(realPath, identity);
    const found: Found = { path, realPath, identity };
    this.#found.set(key, found);
    return found;
  }

  #checkArguments(entry: Entry, argv: Argv, found: Found, cwd: string): void {
    const [program, ...given] = argv;
    const rule = entry.kind === 'program' ? entry.rule : null;
    const names = [program, found.path, found.realPath];
    if (rule === null && names.some((name) => isRunner(name)) && !isAppletEntry(program, names)) {
      throw new AllowlistError('runner', runnerDetail(`${program} (${found.realPath})`));
    }
    const guards = rule ? [rule.guard] : [];
    if (!rule?.replaces) {
      for (const name of new Set(names.map(toProgramName))) {
        const guard = name === 'git' ? gitGuard : OPTION_GUARDS.get(name);
        if (guard) guards.push(guard);
      }
    }
    if (guards.length === 0) return;
    const args = given.filter((argument) => typeof argument === 'string');
    if (args.length !== given.length) throw new AllowlistError('arguments', 'bytes cannot be checked by a rule');
    const context: GuardContext = { cwd, isInFolders: (path) => this.#folders.holds(path, cwd) };
    for (const guard of guards) {
      const verdict: unknown = guard(args, context);
      if (verdict === true) continue;
      throw new AllowlistError('arguments', typeof verdict === 'string' ? verdict : `the rule for ${program} refused`);
    }
  }
}
