// The tarball: what is in it, that its types hold in every resolution, and that installing it runs nothing.

import { chmodSync, cpSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { findLibc } from '../../lib/native/addon-file.ts';
import { run } from '../../lib/index.ts';
import type { RunOptions } from '../../lib/index.ts';
import { makeFolder } from '../helpers/folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LIMIT: RunOptions = { timeout: 110_000 };
const PREBUILT = join('prebuilds', `${process.platform}-${process.arch}`);

/** A copy of the package's sources with what is compiled here as its prebuilt binaries, packed. */
const scratch = makeFolder();
let tarball = '';
let unpacked = '';

async function must(argv: readonly [string, ...string[]], options: RunOptions = {}): Promise<string> {
  const result = await run(argv, { ...LIMIT, ...options });
  if (!result.ok)
    throw new Error(`${argv.join(' ')}: ${String(result.code)}\n${String(result.stdout)}${String(result.stderr)}`);
  return String(result.stdout);
}

async function pack(folder: string): Promise<string> {
  const stdout = await must(['npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
    cwd: folder,
  });
  return join(folder, stdout.trim());
}

beforeAll(async () => {
  const source = join(scratch, 'source');
  const files = ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'lib', 'dist', 'native', 'binding.gyp'];
  for (const name of files) cpSync(join(ROOT, name), join(source, name), { recursive: true });
  const built = join(source, PREBUILT);
  mkdirSync(built, { recursive: true });
  const libc = findLibc(process.execPath) ?? 'glibc';
  cpSync(join(ROOT, 'build/Release/argv_spawn.node'), join(built, `argv-spawn.${libc}.node`));
  cpSync(join(ROOT, 'build/Release/argv-spawn-keeper'), join(built, 'argv-spawn-keeper'));
  tarball = await pack(source);
  unpacked = join(scratch, 'unpacked');
  mkdirSync(unpacked);
  await must(['tar', 'xzf', tarball, '-C', unpacked, '--strip-components=1']);
}, 120_000);

test('npm pack, publint and arethetypeswrong find nothing wrong', async () => {
  expect(await must([process.execPath, join(ROOT, 'scripts/check-package.mjs')])).toMatch(/, 0 problems\n$/);
});

test('the check of the contents finds what does not belong, is too big, or cannot be executed', async () => {
  const script = `
    import { checkContents, checkManifest } from ${JSON.stringify(pathToFileURL(join(ROOT, 'scripts/prebuild/pack.mjs')))};
    const file = (path, size = 1, mode = 0o644) => ({ path, size, mode });
    console.log(JSON.stringify([
      checkContents({ files: [file('dist/index.js'), file('test/x.ts'), file('.npmrc')] }),
      checkContents({ files: [file('prebuilds/linux-x64/argv-spawn.glibc.node', 1 << 20)] }),
      checkContents({ files: [file('prebuilds/linux-x64/argv-spawn-keeper')] }, ['prebuilds/win32-x64/argv-spawn.node']),
      checkManifest({ scripts: { install: 'x', test: 'x' } }, ['native/binding.gyp']),
    ]));`;
  expect(JSON.parse(await must([process.execPath, '--input-type=module', '-e', script]))).toEqual([
    ['test/x.ts is not meant to be published', '.npmrc is not meant to be published'],
    ['prebuilds/linux-x64/argv-spawn.glibc.node has 1048576 bytes, 409600 at most'],
    [
      'prebuilds/linux-x64/argv-spawn-keeper is not executable: mode 644',
      'prebuilds/win32-x64/argv-spawn.node is missing: npm run prebuild',
    ],
    ['it has a script install', 'gypfile is not false', 'it ships a binding.gyp'],
  ]);
});

describe('types', () => {
  const CONSUMER = `
import { run, runSync, spawn, SpawnError, isSpawnError, platform } from 'argv-spawn';
import type { Process, RunResult } from 'argv-spawn';
import { scan } from 'argv-spawn/shell';
import { createWorkflow } from 'argv-spawn/workflow';
import { createExecutor } from 'argv-spawn/agent';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

export async function use(): Promise<void> {
  const text = await run(['git', 'status'], { timeout: 1000, cwd: new URL('file:///tmp') });
  holds<Equal<typeof text.stdout, string>>();
  const bytes = runSync(['git', 'status'], { encoding: 'buffer' });
  holds<Equal<typeof bytes.stdout extends Uint8Array ? true : false, true>>();
  const child: Process = spawn(['cat'], { stdin: 'pipe' });
  holds<Equal<typeof platform.keeper, string | null>>();
  const result: RunResult = text;
  // @ts-expect-error: argv has a program at least
  await run([]);
  // @ts-expect-error: there is no shell
  await run(['ls'], { shell: true });
  // @ts-expect-error: results are not written to
  result.code = 1;
  try {
    await child.exited;
  } catch (error) {
    if (isSpawnError(error)) holds<Equal<typeof error, SpawnError>>();
  }
  scan({ mode: 'shell', shell: 'bash', command: 'ls' });
  await createWorkflow({ allow: ['git'] }).close();
  createExecutor({ policy: { rules: [] } });
}
`;

  test.each([
    ['node16', 'node16', 'consumer.mts'],
    ['nodenext', 'nodenext', 'consumer.mts'],
    ['nodenext', 'nodenext', 'consumer.cts'],
    ['esnext', 'bundler', 'consumer.ts'],
  ])('a strict project compiles: module %s, resolution %s, %s', async (module, moduleResolution, file) => {
    const project = makeFolder();
    const modules = join(project, 'node_modules');
    mkdirSync(join(modules, '@types'), { recursive: true });
    symlinkSync(unpacked, join(modules, 'argv-spawn'));
    for (const name of ['zod', 'undici-types', '@types/node'])
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    // The package's own imports are found from where its files really are.
    writeFileSync(join(project, file), CONSUMER);
    const compilerOptions = {
      ...{ module, moduleResolution, target: 'es2022', lib: ['es2023', 'esnext.disposable'], types: ['node'] },
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true },
      ...{ skipLibCheck: false, preserveSymlinks: true },
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const result = await run([process.execPath, tsc, '-p', project], LIMIT);
    expect([result.code, result.stdout]).toEqual([0, '']);
  });
});

describe('npm install', () => {
  /** With node alone in PATH: no compiler, no Python, and no shell that could run a script. */
  async function install(archive: string): Promise<{ project: string; output: string }> {
    const project = makeFolder();
    const npm = join((await must(['npm', 'root', '--location=global'])).trim(), 'npm/bin/npm-cli.js');
    mkdirSync(join(project, 'bin'));
    symlinkSync(process.execPath, join(project, 'bin/node'));
    writeFileSync(join(project, 'package.json'), '{"private": true}');
    const flags = ['--foreground-scripts', '--loglevel=info', '--no-audit', '--no-fund', '--prefer-offline'];
    const argv = [process.execPath, npm, 'install', ...flags, '--script-shell=/no/such/shell', archive] as const;
    const result = await run(argv, { ...LIMIT, cwd: project, extendEnv: { PATH: join(project, 'bin') } });
    const output = `${String(result.stdout)}${String(result.stderr)}`;
    if (!result.ok) throw new Error(output);
    return { project, output };
  }

  test('runs no script and no compiler, keeps the keeper executable, and the package works', async () => {
    const { project, output } = await install(tarball);
    expect(output).not.toMatch(/> argv-spawn@|gyp info|node-gyp rebuild|info run/);
    const home = join(project, 'node_modules/argv-spawn');
    expect(statSync(join(home, PREBUILT, 'argv-spawn-keeper')).mode & 0o111).toBe(0o111);
    const script = `
      import { run } from 'argv-spawn';
      const { stdout, containment } = await run(['echo', 'installed']);
      console.log(JSON.stringify([stdout, containment]));`;
    const stdout = await must([process.execPath, '--input-type=module', '-e', script], { cwd: project });
    expect(JSON.parse(stdout)).toEqual(['installed\n', { tree: 'tree', parentDeath: 'keeper' }]);
  });

  test('this is because of what is not in it: with a binding.gyp and without gypfile npm starts a compiler', async () => {
    const folder = join(makeFolder(), 'package');
    cpSync(unpacked, folder, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
    delete manifest['gypfile'];
    manifest['files'] = [...(manifest['files'] as string[]), 'binding.gyp'];
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    cpSync(join(ROOT, 'binding.gyp'), join(folder, 'binding.gyp'));
    const archive = await pack(folder);
    await expect(install(archive)).rejects.toThrow(/node-gyp rebuild|no\/such\/shell/);
  });

  test('a keeper that lost its execute bit is repaired, or the result says what is missing', async () => {
    const { project } = await install(tarball);
    const keeper = join(project, 'node_modules/argv-spawn', PREBUILT, 'argv-spawn-keeper');
    const script = `
      import { platform, run } from 'argv-spawn';
      const { stdout, containment } = await run(['echo', 'x']);
      console.log(JSON.stringify([stdout, containment.tree, platform.keeperProblem]));`;
    const look = async (...prefix: string[]): Promise<unknown> => {
      const [program, ...rest] = [...prefix, process.execPath, '--input-type=module', '-e', script];
      return JSON.parse(await must([program, ...rest], { cwd: project }));
    };
    // Somebody else's file, as in an image that another user made: only said.
    chmodSync(keeper, 0o644);
    for (const path of [project, dirname(keeper)]) chmodSync(path, 0o755);
    expect(await look('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups')).toEqual([
      'x\n',
      'group',
      'not an executable file',
    ]);
    expect(statSync(keeper).mode & 0o777).toBe(0o644);
    // One's own: repaired.
    expect(await look()).toEqual(['x\n', 'tree', null]);
    expect(statSync(keeper).mode & 0o777).toBe(0o755);
  });
});
