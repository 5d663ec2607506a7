// The tarball as npm makes it, and the checks of it that need no other program.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** @returns npm's description of the tarball, and its path in `folder`. */
export function pack(folder) {
  mkdirSync(folder, { recursive: true });
  const args = ['pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const result = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (result.status !== 0) throw new Error(`npm pack failed: ${result.error?.message ?? result.status}`);
  const answer = JSON.parse(result.stdout);
  // An array before npm 12, an object by name since.
  const [description] = Object.values(answer);
  return { ...description, path: join(folder, description.filename) };
}

/** Unpacks a tarball into `folder`, which becomes the package's own. */
export function unpack(path, folder) {
  mkdirSync(folder, { recursive: true });
  const result = spawnSync('tar', ['xzf', path, '-C', folder, '--strip-components=1'], { stdio: 'inherit' });
  if (result.status !== 0) throw new Error(`tar ${path} ended with ${result.status}`);
}

/**
 * In bytes: an addon has the C++ library inside it, which is what makes it load anywhere. Linkers for macOS drop less.
 */
export const BUDGET = {
  addon: 400 * 1024,
  macosAddon: 512 * 1024,
  keeper: 16 * 1024,
  consoleEvent: 160 * 1024,
  scripts: 1536 * 1024,
};

const SHIPPED = [
  /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
  /^dist\/[\w/.-]+\.(js|d\.ts)$/,
  /^lib\/(\w+\/README|ERRORS|MIGRATION)\.md$/,
  /^lib\/llms\.txt$/,
  /^lib\/shell\/[\w-]+\.schema\.json$/,
  /^prebuilds\/(linux|darwin|win32)-(x64|arm64)\/argv-spawn(\.glibc|\.musl)?\.node$/,
  /^prebuilds\/linux-(x64|arm64)\/argv-spawn-keeper$/,
  /^prebuilds\/win32-(x64|arm64)\/argv-spawn-console-event\.exe$/,
];

function limitOf(path) {
  if (path.endsWith('.node')) return path.includes('/darwin-') ? BUDGET.macosAddon : BUDGET.addon;
  if (path.endsWith('argv-spawn-keeper')) return BUDGET.keeper;
  if (path.endsWith('.exe')) return BUDGET.consoleEvent;
  return Infinity;
}

/** @returns one line for each thing that is wrong with the list of files. `prebuilt`: paths that must be there. */
export function checkContents({ files }, prebuilt = []) {
  const problems = [];
  const paths = files.map(({ path }) => path);
  for (const { path, size, mode } of files) {
    if (!SHIPPED.some((pattern) => pattern.test(path))) problems.push(`${path} is not meant to be published`);
    if (size > limitOf(path)) problems.push(`${path} has ${size} bytes, ${limitOf(path)} at most`);
    if (/(keeper|\.exe)$/.test(path) && (mode & 0o111) !== 0o111)
      problems.push(`${path} is not executable: mode ${mode.toString(8)}`);
  }
  const scripts = files.filter(({ path }) => !path.startsWith('prebuilds/')).reduce((sum, { size }) => sum + size, 0);
  if (scripts > BUDGET.scripts) problems.push(`everything but the binaries has ${scripts} bytes`);
  for (const path of prebuilt) if (!paths.includes(path)) problems.push(`${path} is missing: npm run prebuild`);
  return problems;
}

/** @returns one line for each thing in the manifest that would make an installer run or compile something. */
export function checkManifest(manifest, paths) {
  const hooks = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'];
  const problems = hooks.filter((hook) => manifest.scripts?.[hook]).map((hook) => `it has a script ${hook}`);
  if (manifest.gypfile !== false) problems.push('gypfile is not false');
  // pnpm and yarn look for the file alone.
  if (paths.some((path) => /(^|\/)binding\.gyp$/.test(path))) problems.push('it ships a binding.gyp');
  return problems;
}

export const readManifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
