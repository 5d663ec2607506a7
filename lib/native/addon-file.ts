// Which file is the addon: what the package has for the C library of this program, which node-gyp-build guesses from the
// system and not from the program; then the one that node-gyp-build names, if it is the package's own.
//
// Whoever can set an environment variable must not choose code that is loaded. node-gyp-build comes last because it
// takes as long to load as this package. The layout and the names are its own, and those of prebuildify:
//   build/Release/argv_spawn.node                        compiled here, wins
//   prebuilds/<platform>-<arch>/argv-spawn[.<libc>].node

import { createRequire } from 'node:module';
import { basename, dirname, join, sep } from 'node:path';
import { getBuiltin } from '../util/builtin.ts';

export type Libc = 'glibc' | 'musl';

/** Enough for the headers of an executable and the name of its loader, which linkers put first. */
const HEAD_BYTES = 4096;
/** Beside the addon, which looks for it there. */
const KEEPER = 'argv-spawn-keeper';

/**
 * The C library that this program was linked with: the name of its loader stands at the beginning of its file (elf(5),
 * PT_INTERP). Of a program that is linked statically, or cannot be read, nothing is known.
 */
export function findLibc(program: string): Libc | null {
  const { closeSync, openSync, readSync } = getBuiltin('node:fs');
  const head = Buffer.alloc(HEAD_BYTES);
  let size: number;
  try {
    const file = openSync(program, 'r');
    try {
      size = readSync(file, head, 0, HEAD_BYTES, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    return null; // Deno without the permission to read it
  }
  const names = head.subarray(0, size);
  return names.includes('/ld-linux') ? 'glibc' : names.includes('/ld-musl') ? 'musl' : null;
}

/** Where musl's loader is on every system that has one in its usual place, by the names of its own for processors. */
const MUSL_LOADERS: Readonly<Record<string, string>> = {
  x64: '/lib/ld-musl-x86_64.so.1',
  arm64: '/lib/ld-musl-aarch64.so.1',
};

/**
 * The program is read only where it may be one of musl's: that takes as long as opening the addon. Elsewhere the loader
 * refuses what is not for it. (With musl it might not: Alpine's gcompat lends it the names of glibc.)
 */
function findOwnLibc(): Libc | null {
  if (process.platform !== 'linux') return null;
  const loader = MUSL_LOADERS[process.arch];
  return loader === undefined || getBuiltin('node:fs').existsSync(loader) ? findLibc(process.execPath) : null;
}

/** What was compiled here. */
export const getBuiltFile = (root: string): string => join(root, 'build', 'Release', 'argv_spawn.node');

/** Files to try, in this order: only one of two C libraries can load its own, the other's is refused by the loader. */
export function listPrebuiltFiles(root: string, platform: string, arch: string, libc: Libc | null): readonly string[] {
  const folder = join(root, 'prebuilds', `${platform}-${arch}`);
  const libcs: readonly Libc[] = libc === null ? ['glibc', 'musl'] : [libc];
  const names = platform === 'linux' ? libcs.map((name) => `argv-spawn.${name}.node`) : ['argv-spawn.node'];
  return names.map((name) => join(folder, name));
}

/**
 * Some ways to copy a package lose execute bits, and without its own the keeper cannot hold a tree. A file of this user
 * is put right; of another's nothing is changed, and the engine says why it does without.
 */
export function repairKeeper(addon: string): void {
  // Compiled here: the way its builder wants it.
  if (process.platform !== 'linux' || basename(dirname(dirname(addon))) !== 'prebuilds') return;
  const { accessSync, chmodSync, constants, statSync } = getBuiltin('node:fs');
  const keeper = join(dirname(addon), KEEPER);
  try {
    accessSync(keeper, constants.X_OK);
    return; // the usual case, and a third of the time that stat takes
  } catch {
    // Looked at below.
  }
  try {
    const { mode, uid } = statSync(keeper);
    if (uid === process.geteuid?.() && (mode & 0o100) === 0) chmodSync(keeper, (mode & 0o777) | 0o111);
  } catch {
    // Missing, or on a file system that cannot be written to: `platform.keeperProblem` has the reason.
  }
}

/** What node-gyp-build would load for this package; null when that is a file of somebody else, or none. */
function askNodeGypBuild(root: string): string | null {
  try {
    const { resolve } = createRequire(import.meta.url)('node-gyp-build') as { resolve: (root: string) => string };
    const path = resolve(root);
    // ARGV_SPAWN_PREBUILD and a folder `prebuilds` beside the runtime's executable lead elsewhere.
    return path.startsWith(root + sep) ? path : null;
  } catch {
    return null; // not beside this file, as in a bundle, or it has found nothing
  }
}

/** Those that are there, in the order in which they are to be tried; each is looked for when the one before has failed. */
export function* findAddonFiles(root: string): Generator<string, void, undefined> {
  const { existsSync } = getBuiltin('node:fs');
  const built = getBuiltFile(root);
  if (existsSync(built)) yield built;
  const prebuilt = listPrebuiltFiles(root, process.platform, process.arch, findOwnLibc());
  for (const path of prebuilt) {
    if (existsSync(path)) yield path;
  }
  const named = askNodeGypBuild(root);
  if (named !== null && named !== built && !prebuilt.includes(named)) yield named;
}
