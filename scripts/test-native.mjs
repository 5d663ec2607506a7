// Builds the native code without Node into one program with the C++ tests, and runs it.
//
// usage: node scripts/test-native.mjs [--sanitize=address,undefined | --sanitize=thread]
//
// Objects are kept per mode under build/, so that only what changed is compiled again.

import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listSources } from './list-sources.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMPILER = process.env.CXX ?? 'c++';
const sanitize = process.argv.find((word) => word.startsWith('--sanitize='))?.slice('--sanitize='.length);
const mode = sanitize ? sanitize.replace(',', '-') : 'plain';
const folder = join(ROOT, 'build', `native-${mode}`);

const FLAGS = [
  ...['-std=c++17', '-Wall', '-Wextra', '-Werror', '-fno-exceptions', '-pthread', '-g', '-O1', '-MMD'],
  ...['-Inative', '-Itest/native'],
  ...(sanitize ? [`-fsanitize=${sanitize}`, '-fno-sanitize-recover=all', '-fno-omit-frame-pointer'] : []),
];

function listTests() {
  return readdirSync(join(ROOT, 'test/native'))
    .filter((name) => name.endsWith('.cc'))
    .map((name) => `test/native/${name}`);
}

/** Whether `object` is missing or older than anything its dependency file names. */
function isStale(object) {
  const dependencies = object.replace(/\.o$/, '.d');
  if (!existsSync(object) || !existsSync(dependencies)) return true;
  const built = statSync(object).mtimeMs;
  const names = readFileSync(dependencies, 'utf8').replaceAll('\\\n', ' ').split(/\s+/).slice(1).filter(Boolean);
  return names.some((name) => !existsSync(join(ROOT, name)) || statSync(join(ROOT, name)).mtimeMs > built);
}

function compile(source, object) {
  return new Promise((resolve) => {
    const child = spawn(COMPILER, [...FLAGS, '-c', source, '-o', object], { cwd: ROOT, stdio: 'inherit' });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });
}

mkdirSync(folder, { recursive: true });
const system = process.platform === 'darwin' ? 'darwin' : 'linux';
const sources = [...listSources('core'), ...listSources('text'), ...listSources('unix', system), ...listTests()];
const objects = sources.map((source) => join(folder, source.replaceAll('/', '_').replace(/\.cc$/, '.o')));
const queue = sources.map((source, i) => [source, objects[i]]).filter(([, object]) => isStale(object));
let compiled = true;
async function work() {
  for (let job = queue.shift(); job; job = queue.shift()) compiled = (await compile(...job)) && compiled;
}
await Promise.all([work(), work()]);
if (!compiled) process.exit(1);

const program = join(folder, 'native-tests');
const linked = spawnSync(COMPILER, [...FLAGS, '-o', program, ...objects, '-ldl'], { cwd: ROOT, stdio: 'inherit' });
if (linked.status !== 0) process.exit(1);
// Beside the program, as it is beside the addon.
copyFileSync(join(ROOT, 'build', 'Release', 'argv-spawn-keeper'), join(folder, 'argv-spawn-keeper'));
const result = spawnSync(program, [], {
  cwd: ROOT,
  stdio: 'inherit',
  env: {
    ...process.env,
    ARGV_SPAWN_FIXTURES: join(ROOT, 'build', 'fixtures'),
    ASAN_OPTIONS: 'detect_leaks=0',
    TSAN_OPTIONS: 'halt_on_error=1',
  },
});
if (result.error || result.signal) console.error(`native tests: ${result.error?.message ?? result.signal}`);
process.exit(result.status ?? 1);
