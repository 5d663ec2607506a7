// A copy of the built package whose keeper is missing, or another one: the addon looks for it beside itself.

import { chmodSync, copyFileSync, cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const KEEPER = 'build/Release/argv-spawn-keeper';

export const KEEPER_PATH: string = join(ROOT, KEEPER);

/** @returns the URL of the copy's entry point, for `runHost`. `keeper` is the path of the executable to put there. */
export function copyPackage(folder: string, keeper: string | null, mode = 0o755): string {
  mkdirSync(join(folder, 'build/Release'), { recursive: true });
  chmodSync(folder, 0o755);
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  copyFileSync(join(ROOT, 'build/Release/argv_spawn.node'), join(folder, 'build/Release/argv_spawn.node'));
  if (keeper !== null) {
    copyFileSync(keeper, join(folder, KEEPER));
    chmodSync(join(folder, KEEPER), mode);
  }
  return pathToFileURL(join(folder, 'dist/index.js')).href;
}
