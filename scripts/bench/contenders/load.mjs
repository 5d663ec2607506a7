// What load.mjs of the scenarios asks for: how each contender is imported, and what it takes on the disk.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedSize, peerModule, sizeOf } from '../peers.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export const builtIn = {
  entry: 'node:child_process',
  size: () => ({ installed: 0 }),
};

export const ofPeer = (name) => ({
  entry: peerModule(name),
  size: () => ({ installed: installedSize(name) }),
});

const PUBLISHED = join(ROOT, 'prebuilds', `${process.platform}-${process.arch}`);

/** Addon and keeper as they are published (`npm run prebuild`), or those compiled here, without symbols. */
function sizeOfBinaries() {
  const published = ['argv-spawn.glibc.node', 'argv-spawn-keeper'].map((name) => join(PUBLISHED, name));
  if (published.every(existsSync)) return published.reduce((sum, path) => sum + sizeOf(path), 0);
  const folder = mkdtempSync(join(tmpdir(), 'argv-spawn-bench-'));
  try {
    return ['argv_spawn.node', 'argv-spawn-keeper']
      .map((name) => join(ROOT, 'build/Release', name))
      .filter((path) => existsSync(path))
      .reduce((sum, path) => {
        const stripped = join(folder, 'stripped');
        execFileSync('strip', ['--strip-all', '-o', stripped, path]);
        return sum + sizeOf(stripped);
      }, 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function sizeOfOurs() {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const binaries = sizeOfBinaries();
  const own = packed.files
    .filter(({ path }) => !path.startsWith('prebuilds/'))
    .reduce((sum, { size }) => sum + size, 0);
  const packages = ['node-gyp-build', 'unbash', 'zod'].map((name) => sizeOf(join(ROOT, 'node_modules', name)));
  return { binaries, installed: packages.reduce((sum, size) => sum + size, own + binaries) };
}

/** `use` reads the addon, which the import alone leaves for later. */
export const ours = {
  entry: join(ROOT, 'dist/index.js'),
  use: 'if (!all.platform.engine) throw new Error("no engine");',
  size: sizeOfOurs,
};
