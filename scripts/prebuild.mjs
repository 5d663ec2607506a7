// Builds the binaries that are published, for every platform, on Linux x64.
//
// usage: npm run prebuild -- [--verify] [--to FOLDER] [TARGET...]     e.g. linux-x64-glibc; all without a name
//
// Output: prebuilds/<platform>-<arch>/argv-spawn[.<libc>].node, named as prebuildify names them, and beside it the
// executable that this platform's addon starts. The compiler is zig from the registry, so the result does not depend on
// this machine's own compiler or C library. Each file is checked (scripts/prebuild/inspect.mjs). With --verify
// everything is built a second time, in another folder and from nothing, and must have the same bytes.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cxxLibrary, ZIG_LIBRARY } from './prebuild/cxx-library.mjs';
import { writeHostSymbols } from './prebuild/host-symbols.mjs';
import { inspect } from './prebuild/inspect.mjs';
import { TARGETS } from './prebuild/targets.mjs';
import { fetchZig } from './prebuild/zig.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const JOBS = 2;
const WORK = 'argv-spawn-prebuild-';

function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args.join(' ')} ended with ${code}`)),
    );
  });
}

async function inParallel(tasks) {
  const queue = [...tasks];
  const work = async () => {
    for (let task = queue.shift(); task; task = queue.shift()) await task();
  };
  await Promise.all(Array.from({ length: JOBS }, work));
}

/** A folder to compile in: the same relative paths everywhere, whatever the checkout is called. */
function layOut(zig) {
  const folder = mkdtempSync(join(tmpdir(), WORK));
  mkdirSync(join(folder, 'include'), { recursive: true });
  symlinkSync(join(ROOT, 'native'), join(folder, 'native'));
  symlinkSync(join(ROOT, 'scripts'), join(folder, 'scripts'));
  symlinkSync(join(zig, 'lib'), join(folder, ZIG_LIBRARY));
  const packageFolder = (name) => dirname(require.resolve(`${name}/package.json`));
  symlinkSync(packageFolder('node-addon-api'), join(folder, 'include', 'node-addon-api'));
  symlinkSync(join(packageFolder('node-api-headers'), 'include'), join(folder, 'include', 'node-api'));
  return folder;
}

/** The kernel's own headers for programs without a C library, which get no include folders from zig. */
function kernelHeaders(zig, triple) {
  const include = join(zig, 'lib', 'libc', 'include');
  const processor = triple.startsWith('x86_64') ? 'x86' : 'aarch64';
  return [`${processor}-linux-any`, 'any-linux-any'].flatMap((name) => ['-isystem', join(include, name)]);
}

async function buildOne(thing, { zig, folder, cache, target, to }) {
  const env = { ...process.env, ZIG_LOCAL_CACHE_DIR: cache, SOURCE_DATE_EPOCH: '0' };
  // zig adds options of its own, some of which do not apply to every step.
  const call = (command, args) =>
    run(join(zig, 'zig'), [command, '-target', thing.triple, ...args, '-Wno-unused-command-line-argument'], {
      cwd: folder,
      env,
    });
  const objects = join('objects', target, thing.kind);
  mkdirSync(join(folder, objects), { recursive: true });
  const include = ['native', 'include/node-addon-api', 'include/node-api'].flatMap((path) => ['-I', path]);
  const system = thing.kind === 'elf-static' ? kernelHeaders(zig, thing.triple) : [];
  const library = thing.kind === 'elf-static' ? [] : cxxLibrary(thing);
  const compiled = [];
  const compile = (command, flags, source) => {
    const object = join(objects, `${source.replaceAll('/', '_')}.o`);
    compiled.push(object);
    return () => call(command, [...flags, '-g0', '-c', source, '-o', object]);
  };
  const steps = [
    ...thing.sources.map((source) => compile('c++', [...thing.flags, ...system, ...include], source)),
    ...library.map(({ source, flags }) => compile('c++', flags, source)),
  ];
  if (thing.kind === 'pe-addon') {
    const path = join(objects, 'host_symbols.c');
    writeHostSymbols(join(folder, path), thing.triple.split('-')[0]);
    steps.push(compile('cc', ['-Os'], path));
  }
  await inParallel(steps);
  const output = join(to, thing.output);
  mkdirSync(dirname(output), { recursive: true });
  // Not `c++`, which would add the library as a whole.
  await call('cc', [...compiled, ...thing.link, '-o', output]);
  // What the linker leaves beside it on Windows (import library, debug information) is nobody's.
  for (const name of readdirSync(dirname(output))) {
    if (/\.(pdb|lib)$/.test(name)) rmSync(join(dirname(output), name));
  }
  chmodSync(output, /\.node$/.test(output) ? 0o644 : 0o755);
}

/** `cache`: zig recognises what it has compiled already by the bytes of all that went into it. Absent: from nothing. */
async function buildTarget(target, { zig, to, cache }) {
  const folder = layOut(zig);
  try {
    for (const thing of TARGETS[target]) {
      await buildOne(thing, { zig, folder, cache: cache ?? join(folder, 'cache'), target, to });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const digest = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** @returns the differences; none is right. */
async function verify(target, { zig, to }) {
  const again = mkdtempSync(join(tmpdir(), WORK));
  try {
    await buildTarget(target, { zig, to: again });
    return TARGETS[target]
      .filter(({ output }) => digest(join(to, output)) !== digest(join(again, output)))
      .map(({ output }) => `${output} has other bytes when it is built again`);
  } finally {
    rmSync(again, { recursive: true, force: true });
  }
}

/**
 * @param names - of targets.
 * @param options - `to`: folder that stands for prebuilds/; `again`: build twice and compare.
 * @returns one line for each problem.
 */
export async function prebuild(names, { to, again = false }) {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('the cross compiler is for Linux x64');
  const zig = fetchZig();
  const problems = [];
  for (const target of names) {
    const started = Date.now();
    await buildTarget(target, { zig, to, cache: join(ROOT, 'build', 'prebuild-cache') });
    const found = TARGETS[target].flatMap((thing) => inspect(join(to, thing.output), thing, zig));
    if (again) found.push(...(await verify(target, { zig, to })));
    const sizes = TARGETS[target].map(({ output }) => `${output} ${statSync(join(to, output)).size}`);
    const seconds = Math.round((Date.now() - started) / 1000);
    const state = found.length > 0 ? 'FAILED' : again ? 'ok, twice the same' : 'ok';
    console.log(`${target.padEnd(18)} ${state}, ${seconds} s: ${sizes.join(', ')} bytes`);
    problems.push(...found);
  }
  return problems;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    options: { verify: { type: 'boolean' }, to: { type: 'string' } },
    allowPositionals: true,
  });
  const unknown = positionals.filter((name) => !(name in TARGETS));
  if (unknown.length > 0) {
    console.error(`prebuild: no target ${unknown.join(', ')}; there are ${Object.keys(TARGETS).join(', ')}`);
    process.exit(2);
  }
  const names = positionals.length > 0 ? positionals : Object.keys(TARGETS);
  const to = values.to ?? join(ROOT, 'prebuilds');
  if (positionals.length === 0) rmSync(to, { recursive: true, force: true });
  const problems = await prebuild(names, { to, again: values.verify === true });
  for (const problem of problems) console.error(`prebuild: ${problem}`);
  process.exit(problems.length === 0 ? 0 : 1);
}
