// Files of registry packages that npm would not install here (another processor, another system), or that only some
// scripts need. They are unpacked below build/downloads, which git ignores, once their digest has been compared.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DOWNLOADS = fileURLToPath(new URL('../build/downloads', import.meta.url));

function must(what, command, args) {
  const result = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (result.status !== 0) {
    throw new Error(`${what} failed: ${result.error?.message ?? `${command} ended with ${result.status}`}`);
  }
}

/**
 * @param name - of the package.
 * @param version - exact.
 * @param integrity - as the registry states it: `sha512-` and base64.
 * @returns the folder with the package's files.
 */
export function fetchPackage(name, version, integrity) {
  const folder = join(DOWNLOADS, `${name.replace('/', '+')}-${version}`);
  if (existsSync(folder)) return folder;
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    must(`fetching ${name}@${version}`, 'npm', [
      'pack',
      `${name}@${version}`,
      '--silent',
      '--pack-destination',
      making,
    ]);
    const [archive] = readdirSync(making);
    const path = join(making, archive);
    const found = `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`;
    if (found !== integrity) throw new Error(`${name}@${version} has integrity ${found}, expected ${integrity}`);
    must(`unpacking ${name}@${version}`, 'tar', ['xzf', path, '-C', making, '--strip-components=1']);
    rmSync(path);
    renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}
