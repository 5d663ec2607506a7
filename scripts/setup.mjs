// Brings a checkout to the point where it runs: packages, addon, compiled TypeScript; with --fixtures also the programs
// the tests start. Does only what is missing or older than its sources, so it costs nothing when all is there.
//
// usage: node scripts/setup.mjs [--fixtures]

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listSources } from './list-sources.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const inRoot = (...parts) => join(ROOT, ...parts);

function fail(message) {
  console.error(`\nargv-spawn setup: ${message}`);
  process.exit(1);
}

function run(what, command, args) {
  console.log(`setup: ${what}`);
  const shell = process.platform === 'win32' && command === 'npm';
  const result = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], shell });
  if (result.error) fail(`${command} could not be started: ${result.error.message}`);
  if (result.status !== 0) fail(`${what} failed (${command} ${args.join(' ')})`);
}

const answers = (command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

/** Before anything is compiled: one line that names what to install, instead of a page of node-gyp. */
function checkTools() {
  if (process.platform === 'win32') return; // node-gyp finds Visual Studio by itself
  const compiler = process.env.CXX?.split(' ')[0] ?? (process.platform === 'darwin' ? 'clang++' : 'g++');
  const missing = [];
  if (!answers(compiler) && !answers('c++')) missing.push('a C++ compiler');
  if (!answers('make')) missing.push('make');
  if (!answers(process.env.PYTHON ?? process.env.npm_config_python ?? 'python3')) missing.push('Python 3');
  if (missing.length === 0) return;
  fail(
    `${missing.join(' and ')} not found. Install: ` +
      'Debian/Ubuntu: apt-get install g++ make python3; Fedora: dnf install gcc-c++ make python3; ' +
      'Alpine: apk add g++ make python3 linux-headers; macOS: xcode-select --install',
  );
}

function newestIn(path) {
  if (!existsSync(path)) return 0;
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}

const age = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** A stamp is written after success only, so that a build that broke off is done again. */
function ensure(stamp, sources, make) {
  const file = inRoot('build', `.${stamp}`);
  if (age(file) > Math.max(...sources.map((source) => newestIn(inRoot(source))))) return;
  make();
  mkdirSync(inRoot('build'), { recursive: true });
  writeFileSync(file, '');
}

const bin = (name) => inRoot('node_modules', name);

function ensurePackages() {
  const installed = age(inRoot('node_modules', '.package-lock.json'));
  if (installed > 0 && installed >= age(inRoot('package-lock.json')) - 1000) return;
  run('installing packages', 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
}

function ensureAddon() {
  ensure('addon', ['native', 'binding.gyp', 'scripts/list-sources.mjs'], () => {
    checkTools();
    // Through npm, so that node-gyp gets npm's settings (nodedir and proxies among them).
    run('building the addon', 'npm', ['run', '--silent', 'build:native']);
  });
}

function ensureDist() {
  ensure('dist', ['lib', 'scripts/bundle.mjs'], () => {
    rmSync(inRoot('dist'), { recursive: true, force: true });
    const tsc = [bin('typescript/bin/tsc'), '-p', 'lib/tsconfig.json', '--emitDeclarationOnly'];
    run('checking TypeScript', process.execPath, tsc);
    run('writing dist', process.execPath, [inRoot('scripts/bundle.mjs')]);
  });
}

/** A keeper that finds processes as it must on kernels without lists of children; see native/keeper/processes.cc. */
function buildScanningKeeper() {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) return;
  run('compiling the scanning keeper', process.env.CXX ?? 'c++', [
    ...['-std=c++17', '-Os', '-ffreestanding', '-fno-exceptions', '-fno-rtti', '-fno-stack-protector', '-fno-pie'],
    ...['-DARGV_KEEPER_SCAN_ONLY', '-Inative', '-nostdlib', '-static', '-no-pie'],
    ...['-o', inRoot('build', 'fixtures', 'scanning-keeper'), ...listSources('keeper')],
  ]);
}

/** With Visual Studio's compiler, which must be in PATH (a developer prompt). */
function compileWindowsFixtures() {
  const folder = inRoot('test', 'fixtures', 'windows');
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.c'))) {
    const out = inRoot('build', 'fixtures', name.slice(0, -2));
    const flags = ['/nologo', '/O1', '/W3', '/utf-8', '/std:c11', '/D_CRT_SECURE_NO_WARNINGS'];
    run(`compiling ${name}`, 'cl', [
      ...flags,
      join(folder, name),
      `/Fo${out}.obj`,
      `/Fe${out}.exe`,
      'user32.lib',
      'shell32.lib',
    ]);
  }
}

function ensureFixtures() {
  ensure('fixtures', ['test/fixtures', 'native/keeper'], () => {
    checkTools();
    mkdirSync(inRoot('build', 'fixtures'), { recursive: true });
    if (process.platform === 'win32') {
      compileWindowsFixtures();
      return;
    }
    for (const name of readdirSync(inRoot('test', 'fixtures')).filter((file) => file.endsWith('.c'))) {
      const out = inRoot('build', 'fixtures', name.slice(0, -2));
      const shared = name.startsWith('lib') ? ['-shared', '-fPIC', '-pthread'] : [];
      const target = shared.length > 0 ? `${out}.so` : out;
      run(`compiling ${name}`, process.env.CC ?? 'cc', [
        ...['-std=gnu11', '-O1', '-Wall', '-Wextra', '-Werror', ...shared],
        ...['-o', target, inRoot('test', 'fixtures', name)],
      ]);
    }
    buildScanningKeeper();
  });
}

ensurePackages();
ensureAddon();
ensureDist();
if (process.argv.includes('--fixtures')) ensureFixtures();
