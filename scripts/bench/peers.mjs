// Brings the compared packages and the helper programs into build/bench, which git ignores. Each package has a folder of
// its own, so that its size is the size of what it alone brings. Does only what is missing.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const SCRATCH = fileURLToPath(new URL('../../build/bench', import.meta.url));
const SOURCES = fileURLToPath(new URL('.', import.meta.url));
const ARCH = { x64: 'x64', arm64: 'arm64' }[process.arch];

/** execa 9 is the last one for Node 20. */
export const PACKAGES = {
  execa: 'execa@9.6.1',
  'nano-spawn': 'nano-spawn@2.1.0',
  tinyexec: 'tinyexec@1.4.0',
  zx: 'zx@8.8.5',
  'cross-spawn': 'cross-spawn@7.0.6',
  bun: 'bun@1.4.5',
  deno: 'deno@2.9.6',
  node24: `node-linux-${ARCH}@24.22.3`,
  node26: `node-linux-${ARCH}@26.12.1`,
};

const folderOf = (name) => join(SCRATCH, 'peers', name);
const nameOf = (specification) => specification.replace(/@[^@]+$/, '');

/** The executables of the runtimes. */
export const RUNTIMES = {
  node: process.execPath,
  node24: join(folderOf('node24'), 'node_modules/.bin/node'),
  node26: join(folderOf('node26'), 'node_modules/.bin/node'),
  bun: join(folderOf('bun'), 'node_modules/.bin/bun'),
  deno: join(folderOf('deno'), `node_modules/@deno/linux-${ARCH}-glibc/deno`),
};

/** A module that imports the package and nothing else; its default export is the package's namespace. */
export const peerModule = (name) => join(folderOf(name), 'load.mjs');

export async function importPeer(name) {
  return (await import(peerModule(name))).default;
}

function installPackage(name) {
  const specification = PACKAGES[name];
  const folder = folderOf(name);
  const stamp = join(folder, '.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === specification) return;
  console.error(`bench: installing ${specification}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error', specification];
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  writeFileSync(join(folder, 'load.mjs'), `import * as all from '${nameOf(specification)}';\n\nexport default all;\n`);
  writeFileSync(stamp, specification);
}

/** A program in build/bench/bin, compiled again when its source is newer. */
export const programPath = (name) => join(SCRATCH, 'bin', name);

function compile(name, source, command, args) {
  const out = programPath(name);
  const from = join(SOURCES, source);
  if (existsSync(out) && statSync(out).mtimeMs > statSync(from).mtimeMs) return;
  mkdirSync(join(SCRATCH, 'bin'), { recursive: true });
  execFileSync(command, [...args, '-o', out, from], { stdio: ['ignore', 'ignore', 'inherit'] });
}

const C_FLAGS = ['-std=gnu11', '-O2', '-Wall', '-Wextra', '-Werror', '-pthread'];
const cc = process.env.CC ?? 'cc';

/** The programs that the contenders start: never the bottleneck, so that what is measured is the contender. */
export const HELPERS = readdirSync(join(SOURCES, 'programs')).map((file) => file.replace(/\.c$/, ''));
export const helpers = () => Object.fromEntries(HELPERS.map((name) => [name, programPath(name)]));

export function compileHelpers() {
  for (const name of HELPERS) compile(name, `programs/${name}.c`, cc, C_FLAGS);
}

const PREPARE = {
  c: () => compile('limit-c', 'limit/limit.c', cc, C_FLAGS),
  rust: () => compile('limit-rust', 'limit/limit.rs', 'rustc', ['--edition=2021', '-O']),
  python: () => execFileSync('python3', ['--version'], { stdio: 'ignore' }),
};

/** Makes ready what a contender needs. @returns null, or why it cannot be had. */
export function prepare(need) {
  try {
    if (PREPARE[need]) PREPARE[need]();
    else if (PACKAGES[need]) {
      if (need.startsWith('node') && (process.platform !== 'linux' || !ARCH)) return 'no such package for this machine';
      installPackage(need);
    }
    if (RUNTIMES[need]) execFileSync(RUNTIMES[need], ['--version'], { stdio: 'ignore' });
    return null;
  } catch (error) {
    if (error.code === 'ENOENT') return `${error.path ?? need} is not installed`;
    return `could not be installed: ${
      String(error.stderr ?? error.message)
        .trim()
        .split('\n')[0]
    }`;
  }
}

/** Bytes of all files below a folder. */
export function sizeOf(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

export const installedSize = (name) => sizeOf(join(folderOf(name), 'node_modules'));
