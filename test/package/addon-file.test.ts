// Which file is loaded as the addon: the layout of node-gyp-build, and no environment variable that leads elsewhere.

import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { findLibc, listPrebuiltFiles } from '../../lib/native/addon-file.ts';
import { run } from '../../lib/index.ts';
import { makeFolder } from '../helpers/folder.ts';
import { runHost } from '../helpers/host.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const TARGETS = [
  ['linux', 'x64', 'glibc'],
  ['linux', 'x64', 'musl'],
  ['linux', 'arm64', 'glibc'],
  ['linux', 'arm64', 'musl'],
  ['darwin', 'x64', null],
  ['darwin', 'arm64', null],
  ['win32', 'x64', null],
  ['win32', 'arm64', null],
] as const;

describe('the layout', () => {
  test.each(TARGETS)('node-gyp-build takes the same file: %s %s %s', async (platform, arch, libc) => {
    const folder = makeFolder();
    for (const [os, processor, library] of TARGETS) {
      const file = listPrebuiltFiles(folder, os, processor, library).at(-1) ?? '';
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, '');
    }
    const script = `console.log(require('node-gyp-build').resolve(${JSON.stringify(folder)}))`;
    const extendEnv = { npm_config_platform: platform, npm_config_arch: arch, LIBC: libc ?? 'none' };
    const { stdout } = await run([process.execPath, '-e', script], { cwd: ROOT, extendEnv });
    expect(stdout.trim()).toBe(listPrebuiltFiles(folder, platform, arch, libc)[0]);
  });

  test('the C library is that of the program, by its loader', () => {
    const folder = makeFolder();
    const report = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
    expect(findLibc(process.execPath)).toBe(report.header.glibcVersionRuntime === undefined ? 'musl' : 'glibc');
    const head = readFileSync(process.execPath).subarray(0, 4096).toString('latin1');
    const musl = head.replace(/\/[^\0]*\/ld-[^\0]*/, (path) => '/lib/ld-musl-x86_64.so.1'.padEnd(path.length, '\0'));
    writeFileSync(join(folder, 'musl'), musl, 'latin1');
    writeFileSync(join(folder, 'static'), head.replace('/ld-', '/xx-'), 'latin1');
    expect(findLibc(join(folder, 'musl'))).toBe('musl');
    expect(findLibc(join(folder, 'static'))).toBe(null);
    expect(findLibc(join(folder, 'missing'))).toBe(null);
    expect(listPrebuiltFiles('/r', 'linux', 'x64', null)).toEqual([
      '/r/prebuilds/linux-x64/argv-spawn.glibc.node',
      '/r/prebuilds/linux-x64/argv-spawn.musl.node',
    ]);
  });
});

/** What is compiled here, as `addon`, and the keeper beside it. */
function copyAddon(addon: string): void {
  const folder = join(addon, '..');
  mkdirSync(folder, { recursive: true });
  cpSync(join(ROOT, 'build/Release/argv_spawn.node'), addon);
  cpSync(join(ROOT, 'build/Release/argv-spawn-keeper'), join(folder, 'argv-spawn-keeper'));
}

/** The package with what is compiled here laid out as a prebuilt one. */
function copyAsPrebuilt(folder: string): { readonly url: string; readonly addon: string } {
  const libc = process.platform === 'linux' ? findLibc(process.execPath) : null;
  const [addon = ''] = listPrebuiltFiles(folder, process.platform, process.arch, libc);
  copyAddon(addon);
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { url: pathToFileURL(join(folder, 'dist/index.js')).href, addon };
}

const LOADED = `
  import { readFileSync } from 'node:fs';
  const { stdout, containment } = await run(['echo', 'x']);
  const loaded = new Set(readFileSync('/proc/self/maps', 'utf8').match(/\\/\\S*(argv-spawn|argv_spawn)\\S*\\.node/g));
  console.log(JSON.stringify([stdout, containment.tree, [...loaded], platform.keeper]));`;

test('the keeper of a prebuilt addon is the one beside it', async () => {
  const { url, addon } = copyAsPrebuilt(makeFolder());
  const { stdout } = await runHost(LOADED, { packageUrl: url });
  expect(JSON.parse(stdout)).toEqual(['x\n', 'tree', [addon], join(addon, '..', 'argv-spawn-keeper')]);
});

test('no environment variable leads to an addon of somebody else', async () => {
  const { url, addon } = copyAsPrebuilt(makeFolder());
  const other = makeFolder();
  copyAsPrebuilt(other);
  // Those that node-gyp-build, prebuildify and npm know.
  const env = {
    ...process.env,
    ARGV_SPAWN_PREBUILD: other,
    PREBUILDS_ONLY: '1',
    LIBC: 'none',
    ARM_VERSION: '9',
    npm_config_arch: 's390x',
    npm_config_platform: 'win32',
    npm_config_prebuilds: other,
    npm_package_config_prebuilds: other,
    NODE_PATH: other,
  };
  const { stdout } = await runHost(LOADED, { packageUrl: url, env });
  expect((JSON.parse(stdout) as unknown[])[2]).toEqual([addon]);
});

test('what was compiled here wins; when it cannot be loaded the prebuilt one is', async () => {
  const folder = makeFolder();
  const { url, addon } = copyAsPrebuilt(folder);
  const own = join(folder, 'build/Release/argv_spawn.node');
  copyAddon(own);
  const loaded = async (): Promise<unknown> =>
    (JSON.parse((await runHost(LOADED, { packageUrl: url })).stdout) as unknown[])[2];
  expect(await loaded()).toEqual([own]);
  writeFileSync(own, 'no library');
  expect(await loaded()).toEqual([addon]);
});

test('when none of them loads, the error says why for each', async () => {
  const { url, addon } = copyAsPrebuilt(makeFolder());
  writeFileSync(addon, 'no library');
  const script = "await run(['echo']).catch((error) => console.log(error.message));";
  const { stdout } = await runHost(script, { packageUrl: url });
  expect(stdout).toContain(`${addon}: `);
  expect(stdout).toMatch(/that loads \(.*\)\. The README says/);
});

test('a file under another name is found by node-gyp-build, if it is in the package', async () => {
  const folder = makeFolder();
  const { url, addon } = copyAsPrebuilt(folder);
  const own = join(folder, 'build/Debug/argv_spawn.node');
  copyAddon(own);
  const other = makeFolder();
  copyAsPrebuilt(other);
  const asked = `${LOADED}
    const { createRequire } = await import('node:module');
    console.log(Object.keys(createRequire('/').cache).some((path) => path.includes('node-gyp-build')));`;
  const load = async (env = process.env): Promise<readonly unknown[]> => {
    const lines = (await runHost(asked, { packageUrl: url, env })).stdout.trim().split('\n');
    const [, , files] = JSON.parse(lines[0] ?? '') as [unknown, unknown, readonly string[]];
    return [...files, lines[1] === 'true'];
  };
  expect(await load()).toEqual([addon, false]);
  writeFileSync(addon, 'no library');
  expect(await load()).toEqual([own, true]);
  const elsewhere = { ...process.env, ARGV_SPAWN_PREBUILD: other };
  const script = "await run(['echo']).catch((error) => console.log(error.message));";
  const { stdout } = await runHost(script, { packageUrl: url, env: elsewhere });
  expect(stdout).toContain('has no native addon');
  expect(stdout).not.toContain(other);
});
