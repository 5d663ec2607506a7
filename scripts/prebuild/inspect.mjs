// What a built file may ask of the system that loads it.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listNodeApi } from './host-symbols.mjs';
import { GLIBC_BASELINE } from './targets.mjs';

const EXPORTS = ['napi_register_module_v1', 'node_api_module_get_api_version_v1'];
const LIBRARIES = {
  glibc: /^(libc\.so\.6|libm\.so\.6|libpthread\.so\.0|libdl\.so\.2|ld-linux-(x86-64|aarch64)\.so\.[12])$/,
  musl: /^libc\.so$/,
};
/** Of Windows 10: the universal C runtime is part of it. */
const DLLS = /^(kernel32|user32|ntdll|advapi32|libnode|node|api-ms-win-crt-[a-z]+-l1-1-0)\.dll$/i;
const DYLIBS = /^\/usr\/lib\/lib(System\.B|c\+\+\.1)\.dylib$/;

export function readelf(path, option) {
  const result = spawnSync('readelf', ['-W', option, path], { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (result.status !== 0) throw new Error(`readelf ${option} ${path}: ${result.error?.message ?? result.stderr}`);
  return result.stdout;
}

/** Rows of the dynamic symbol table. */
export function listSymbols(path) {
  return readelf(path, '--dyn-syms')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => /^\d+:$/.test(words[0]) && words[7])
    .map(([, , , , bind, , index, symbol]) => {
      const [name, version = ''] = symbol.split(/@+/);
      return { name, version, weak: bind === 'WEAK', undefined: index === 'UND' };
    });
}

const isNewer = (version, baseline) => {
  const [a, b] = [version, baseline].map((text) => text.split('.').map(Number));
  return a[0] - b[0] > 0 || (a[0] === b[0] && a[1] > b[1]);
};

/** All names that musl's libc.so has, as zig lists them. */
const muslNames = (zig) =>
  new Set(
    [...readFileSync(join(zig, 'lib', 'libc', 'musl', 'libc.S'), 'utf8').matchAll(/^(\w+):$/gm)].map(
      ([, name]) => name,
    ),
  );

function inspectElfAddon(path, { libc }, zig, report) {
  const nodeApi = new Set(listNodeApi());
  const musl = muslNames(zig);
  const symbols = listSymbols(path);
  for (const { name, version, weak, undefined: isImport } of symbols) {
    if (!isImport) {
      if (!EXPORTS.includes(name)) report(`exports ${name}`);
    } else if (/^uv_/.test(name)) {
      report(`needs libuv: ${name}`);
    } else if (nodeApi.has(name) || weak) {
      continue;
    } else if (libc === 'musl') {
      if (!musl.has(name)) report(`needs ${name}, which musl does not have`);
    } else if (!/^GLIBC_[\d.]+$/.test(version)) {
      report(`needs ${name} (${version || 'no version'}), which glibc ${GLIBC_BASELINE} does not have`);
    } else if (isNewer(version.slice(6), GLIBC_BASELINE)) {
      report(`needs ${name} of ${version}, newer than ${GLIBC_BASELINE}`);
    }
  }
  // Where lib/native/addon-file.ts tries both, musl's loader has to refuse the one for glibc, whose library's name it knows.
  const isRefused = symbols.some(
    ({ name, weak, undefined: isImport }) => isImport && !weak && !nodeApi.has(name) && !musl.has(name),
  );
  if (libc === 'glibc' && !isRefused) report('would load with musl');
  for (const [, name] of readelf(path, '--dynamic').matchAll(/\(NEEDED\).*\[(.*)\]/g)) {
    if (!LIBRARIES[libc].test(name)) report(`needs the library ${name}`);
  }
  if (!/\(FLAGS_1\).*NODELETE/.test(readelf(path, '--dynamic'))) report('may be unloaded while its threads run');
}

function inspectElf(path, thing, zig, report) {
  const headers = readelf(path, '--program-headers');
  const machine = /Machine:\s+(.*)/.exec(readelf(path, '--file-header'))?.[1];
  if (!machine?.startsWith(thing.triple.startsWith('x86_64') ? 'Advanced Micro Devices X86-64' : 'AArch64'))
    report(`is for ${machine}`);
  if (/GNU_STACK.*RWE/.test(headers)) report('asks for a stack that can be executed');
  if (/\.symtab|\.debug_/.test(readelf(path, '--section-headers'))) report('is not stripped');
  if (thing.kind === 'elf-addon') inspectElfAddon(path, thing, zig, report);
  else if (/INTERP|DYNAMIC/.test(headers)) report('is not static');
}

/** Names in the load commands of a Mach-O file (mach-o/loader.h): LC_LOAD_DYLIB and its weak form. */
function listDylibs(path) {
  const bytes = readFileSync(path);
  const names = [];
  let at = 32;
  for (let left = bytes.readUInt32LE(16); left > 0; left--) {
    if ([0xc, 0x80000018].includes(bytes.readUInt32LE(at))) {
      const from = at + bytes.readUInt32LE(at + 8);
      names.push(bytes.toString('latin1', from, bytes.indexOf(0, from)));
    }
    at += bytes.readUInt32LE(at + 4);
  }
  return names;
}

/** No reader of these formats is at hand on every Linux; names of imports stand in the file as plain text. */
function inspectText(path, thing, report) {
  const text = readFileSync(path, 'latin1');
  if (/\0_?uv_[a-z]/.test(text)) report('needs libuv');
  const [found, allowed] = thing.kind.startsWith('pe')
    ? [text.match(/[\w-]+\.dll/gi), DLLS]
    : [listDylibs(path), DYLIBS];
  const names = new Set(found);
  if (names.size === 0) report('names no library at all');
  for (const name of names) if (!allowed.test(name)) report(`needs the library ${name}`);
}

/** @returns one line for each thing that is wrong with the file. */
export function inspect(path, thing, zig) {
  const problems = [];
  const report = (what) => problems.push(`${thing.output} ${what}`);
  if (thing.kind.startsWith('elf')) inspectElf(path, thing, zig, report);
  else inspectText(path, thing, report);
  const contents = readFileSync(path, 'latin1');
  if (contents.includes('argv-spawn-prebuild-') || contents.includes(dirname(path)))
    report('names a folder of the machine it was built on');
  return problems;
}
