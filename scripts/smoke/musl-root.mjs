// A root in which musl is the only C library: no program linked with glibc starts there, and no addon for glibc loads.
// Debian has musl, but neither a JavaScript runtime nor a C++ library for it. The runtime is Bun's build for musl from
// the registry. What that needs of libstdc++ is linked from Debian's "shared library subset kit" against musl. It is for
// Bun alone: the addon has its own C++ library inside it.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { listSymbols, readelf } from '../prebuild/inspect.mjs';
import { fetchPackage } from '../registry.mjs';

const INSTALL = 'apt-get install musl musl-tools libstdc++-12-pic binutils bubblewrap';
const LOADER = '/lib/ld-musl-x86_64.so.1';
const APPLETS = ['sh', 'cat', 'echo', 'printf', 'sleep'];

// What the archive's objects take from glibc and musl does not have. Bun is built without exceptions, so that nobody
// catches one: that no tables are found for it ends the program, as it must (gcc's unwind-dw2-fde-dip.c).
const FOR_GLIBC_OBJECTS = `
char __libc_single_threaded = 0;
int _dl_find_object(void* address, void* result) { (void)address; (void)result; return -1; }
`;

function call(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (result.error?.code === 'ENOENT') throw new Error(`${command} not found: ${INSTALL}`);
  if (result.status !== 0)
    throw new Error(`${command} ended with ${result.status ?? result.error?.message}: ${result.stderr}`);
  return result.stdout;
}

/** Names that a program takes from its libraries, variables that are copied into it included. */
function listNeeded(program) {
  const imports = listSymbols(program).filter((symbol) => symbol.undefined && !symbol.weak);
  const copied = readelf(program, '--relocs').matchAll(/R_X86_64_COPY\s+\S+\s+([^\s@]+)/g);
  return new Set([...imports.map(({ name }) => name), ...[...copied].map(([, name]) => name)]);
}

function linkRuntimeLibrary(folder, program) {
  const archive = call('g++', ['-print-file-name=libstdc++_pic.a']).trim();
  if (!isAbsolute(archive))
    throw new Error(`libstdc++_pic.a not found: ${INSTALL} (the -pic package of g++'s version)`);
  const inMusl = new Set(listSymbols(LOADER).map(({ name }) => name));
  const names = [...listNeeded(program)].filter((name) => !inMusl.has(name));
  const output = join(folder, 'libstdc++.so.6');
  const source = join(folder, 'glibc_names.c');
  const exports = join(folder, 'exports.map');
  writeFileSync(source, FOR_GLIBC_OBJECTS);
  writeFileSync(exports, `{ global: ${names.map((name) => `${name};`).join(' ')} local: *; };\n`);
  call('musl-gcc', [
    ...['-shared', '-fPIC', '-O1', '-o', output, source, ...names.map((name) => `-Wl,-u,${name}`), archive],
    ...['-Wl,-soname,libstdc++.so.6', `-Wl,--version-script=${exports}`, '-Wl,--gc-sections'],
  ]);
  const missing = [...listNeeded(output)].filter((name) => !inMusl.has(name));
  if (missing.length > 0) throw new Error(`the C++ library for musl needs ${missing.join(', ')}`);
  return output;
}

/** Programs that need no C library: Debian's static busybox, unpacked and not installed, for it excludes the other one. */
function fetchBusybox(downloads) {
  const folder = join(downloads, 'busybox-static');
  const program = join(folder, 'bin', 'busybox');
  if (existsSync(program)) return program;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  call('apt-get', ['download', '-q', '-o', 'APT::Sandbox::User=', 'busybox-static'], { cwd: folder });
  const [name] = readdirSync(folder).filter((file) => file.endsWith('.deb'));
  call('dpkg-deb', ['-x', name, '.'], { cwd: folder });
  return program;
}

/**
 * @param options - `alpine`: the root says it is Alpine, which is what node-gyp-build takes for musl.
 * @returns the words before a script's name, which is one of the project's.
 */
export function enterMuslRoot({ root, project, alpine }) {
  if (!existsSync(LOADER)) throw new Error(`${LOADER} not found: ${INSTALL}`);
  const bun = join(
    fetchPackage(
      '@oven/bun-linux-x64-musl',
      '1.4.5',
      'sha512-10QoW/YfTgnURaGEaHpJCiXjLI2e5iTtfVDaA5JKcyUzaa1cq6cVUY9/Uq5XkYzvtRjHLRe9Oj/lTDIQcxy8HQ==',
    ),
    'bin',
    'bun',
  );
  const folder = join(project, 'musl');
  mkdirSync(folder, { recursive: true });
  const release = join(folder, 'alpine-release');
  writeFileSync(release, '3.21.0\n');
  const files = [
    [realpathSync(LOADER), LOADER],
    [linkRuntimeLibrary(folder, bun), '/usr/lib/libstdc++.so.6'],
    [fetchBusybox(join(root, 'build', 'downloads')), '/bin/busybox'],
    [bun, '/usr/bin/bun'],
    [project, '/project'],
    ...(alpine ? [[release, '/etc/alpine-release']] : []),
  ];
  return [
    ...['bwrap', '--die-with-parent', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...files.flatMap(([from, to]) => ['--ro-bind', from, to]),
    ...APPLETS.flatMap((name) => ['--symlink', 'busybox', `/bin/${name}`]),
    ...['--clearenv', '--setenv', 'PATH', '/usr/bin:/bin', '--chdir', '/project', '/usr/bin/bun'],
  ];
}
