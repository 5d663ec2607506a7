// Builds the addon for 64-bit Windows on another system, with the mingw-w64 compiler, and with --fixtures the programs
// that the tests start there. Does only what is older than its sources.
//
// usage: node scripts/cross-build.mjs [--fixtures]
//
// Output: build/windows/prebuilds/win32-x64/argv-spawn.node, where lib/native/addon-file.ts looks for it below build/windows.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listSources } from './list-sources.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);

/** Where everything for Windows is put. */
export const WINDOWS = join(ROOT, 'build', 'windows');
const OBJECTS = join(WINDOWS, 'objects');
const ADDON = join(WINDOWS, 'prebuilds', 'win32-x64', 'argv-spawn.node');
/** Beside the addon, which looks for it there. */
const EVENT_PROGRAM = join(dirname(ADDON), 'argv-spawn-console-event.exe');
const FIXTURES = join(WINDOWS, 'build', 'fixtures');

// The variant of the compiler that has C++ threads.
const PREFIX = 'x86_64-w64-mingw32-';
const CXX = `${PREFIX}g++-posix`;
const CC = `${PREFIX}gcc-posix`;

const CXX_FLAGS = [
  ...['-std=c++17', '-O2', '-Wall', '-Wextra', '-Werror', '-fno-exceptions', '-fvisibility=hidden', '-MMD'],
  ...['-DNAPI_VERSION=8', '-DNODE_ADDON_API_DISABLE_CPP_EXCEPTIONS', '-DUNICODE', '-D_UNICODE'],
  // Windows 10, the oldest with PROC_THREAD_ATTRIBUTE_JOB_LIST.
  ...['-D_WIN32_WINNT=0x0A00', '-DWIN32_LEAN_AND_MEAN', '-DNOMINMAX'],
];

function fail(message) {
  console.error(`cross-build: ${message}`);
  process.exit(1);
}

function run(command, args) {
  const result = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  if (result.error?.code === 'ENOENT') {
    fail(`${command} not found. Install: Debian/Ubuntu: apt-get install g++-mingw-w64-x86-64-posix`);
  }
  if (result.status !== 0) fail(`${command} ${args.at(-1)} failed`);
}

const age = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** Whether `object` is missing or older than anything its dependency file names. */
function isStale(object) {
  const dependencies = object.replace(/\.o$/, '.d');
  if (!existsSync(object) || !existsSync(dependencies)) return true;
  const names = readFileSync(dependencies, 'utf8').replaceAll('\\\n', ' ').split(/\s+/).slice(1).filter(Boolean);
  return names.some((name) => age(resolve(ROOT, name)) === 0 || age(resolve(ROOT, name)) > age(object));
}

/** Symbols of Node-API come from the program that loads the addon, whatever its name: node.exe, for this library. */
function makeImportLibrary(headers) {
  const library = join(OBJECTS, 'libnode.a');
  if (existsSync(library)) return library;
  const symbols = new Set();
  for (const name of ['js_native_api.def', 'node_api.def']) {
    const words = readFileSync(join(headers, 'def', name), 'utf8').split(/\s+/);
    for (const word of words) if (/^(napi|node_api)_\w+$/.test(word)) symbols.add(word);
  }
  const definition = join(OBJECTS, 'node.def');
  writeFileSync(definition, `LIBRARY node.exe\nEXPORTS\n${[...symbols].sort().join('\n')}\n`);
  run(`${PREFIX}dlltool`, ['-d', definition, '-l', library]);
  return library;
}

function compile(source, object, includes) {
  return new Promise((resolve) => {
    const args = [...CXX_FLAGS, ...includes.flatMap((path) => ['-I', path]), '-c', source, '-o', object];
    const child = spawn(CXX, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', (error) => fail(`${CXX}: ${error.message}`));
    child.on('close', (code) => resolve(code === 0));
  });
}

async function compileAll(sources, includes) {
  const objects = sources.map((source) => join(OBJECTS, source.replaceAll('/', '_').replace(/\.cc$/, '.o')));
  const queue = sources.map((source, i) => [source, objects[i]]).filter(([, object]) => isStale(object));
  let right = true;
  const work = async () => {
    for (let job = queue.shift(); job; job = queue.shift()) right = (await compile(...job, includes)) && right;
  };
  await Promise.all([work(), work()]);
  if (!right) fail('compiling failed');
  return objects;
}

export async function buildAddon() {
  mkdirSync(OBJECTS, { recursive: true });
  mkdirSync(dirname(ADDON), { recursive: true });
  const version = spawnSync(CXX, ['--version']);
  if (version.status !== 0) run(CXX, ['--version']);
  const headers = dirname(require.resolve('node-api-headers/package.json'));
  const library = makeImportLibrary(headers);
  const sources = ['core', 'text', 'napi', 'win'].flatMap((folder) => listSources(folder));
  const objects = await compileAll(sources, [
    'native',
    require('node-addon-api').include_dir,
    join(headers, 'include'),
  ]);
  if (age(ADDON) <= Math.max(...objects.map(age))) {
    run(CXX, ['-shared', '-static', '-s', ...objects, library, '-luser32', '-o', ADDON]);
  }
  const eventObjects = await compileAll(listSources('console_event'), []);
  if (age(EVENT_PROGRAM) <= Math.max(...eventObjects.map(age))) {
    run(CXX, ['-municode', '-static', '-s', ...eventObjects, '-o', EVENT_PROGRAM]);
  }
}

/** C programs of test/fixtures/windows. */
export function buildFixtures() {
  mkdirSync(FIXTURES, { recursive: true });
  const folder = join(ROOT, 'test', 'fixtures', 'windows');
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.c'))) {
    const target = join(FIXTURES, name.replace(/\.c$/, '.exe'));
    if (age(target) > age(join(folder, name))) continue;
    run(CC, [
      ...[
        '-std=gnu11',
        '-O1',
        '-Wall',
        '-Wextra',
        '-Werror',
        '-municode',
        '-static',
        '-D_WIN32_WINNT=0x0A00',
        '-o',
        target,
      ],
      ...[join(folder, name), '-luser32', '-lshell32'],
    ]);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildAddon();
  if (process.argv.includes('--fixtures')) buildFixtures();
}
