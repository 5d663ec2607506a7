// What is built for whom: compilers, flags, and the files that come out.
//
// The flags of warnings and language are those of binding.gyp, which is for whoever compiles from source.

import { listSources } from '../list-sources.mjs';

/** The oldest C library the glibc builds load on: that of RHEL 8, the oldest that Node 20 and 22 run on. */
export const GLIBC_BASELINE = '2.28';
/** The oldest macOS that Node 20 runs on. */
const MACOS_BASELINE = '11.0';

const ADDON = 'argv-spawn';
const KEEPER = 'argv-spawn-keeper';
const CONSOLE_EVENT = 'argv-spawn-console-event.exe';

// Neither exceptions nor their tables: nothing here throws, and nothing may unwind through us. -Oz behind -Xclang,
// since zig takes it for -Os; it is a fifth smaller and starts as fast.
const COMMON = [
  ...['-std=c++17', '-Os', '-Xclang', '-Oz', '-Wall', '-Wextra', '-Werror', '-fno-exceptions', '-fno-rtti'],
  ...['-fno-unwind-tables', '-fno-asynchronous-unwind-tables', '-ffunction-sections', '-fdata-sections'],
  ...['-fvisibility=hidden', '-fno-jump-tables'],
];
// zig has -flto for ELF only: the C++ library's parts and ours are optimized as one, and functions of no use are left out
// of the tables of virtual ones.
const WHOLE = ['-flto', '-fwhole-program-vtables', '-fvirtual-function-elimination'];
const ADDON_DEFINES = [
  ...['-DNAPI_VERSION=8', '-DNODE_ADDON_API_DISABLE_CPP_EXCEPTIONS', '-DNODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS'],
];
// Windows 10, the oldest with PROC_THREAD_ATTRIBUTE_JOB_LIST.
const WINDOWS_DEFINES = [
  ...['-DUNICODE', '-D_UNICODE', '-U_WIN32_WINNT', '-D_WIN32_WINNT=0x0A00', '-DWIN32_LEAN_AND_MEAN', '-DNOMINMAX'],
];

// See binding.gyp: an executable without any library.
const KEEPER_FLAGS = [
  ...['-std=c++17', '-Os', '-Xclang', '-Oz', '-Wall', '-Wextra', '-Werror', '-ffreestanding', '-fno-exceptions'],
  ...['-fno-rtti', '-fno-stack-protector', '-fno-asynchronous-unwind-tables', '-fno-unwind-tables', '-fno-pic'],
  ...['-fno-pie', '-ffunction-sections', '-fdata-sections', '-fvisibility=hidden', '-fno-sanitize=all', '-nostdlib'],
];
const KEEPER_LINK = [
  ...['-nostdlib', '-static', '-no-pie', '-s', '-Wl,--gc-sections', '-Wl,-z,noexecstack', '-Wl,--build-id=none'],
];

const sources = (...folders) => folders.flatMap((folder) => listSources(folder));

/** A thing to compile and link: `triple` is zig's name of the target. */
function linux(arch, libc, triple) {
  const folder = `linux-${arch}`;
  return [
    {
      output: `${folder}/${ADDON}.${libc}.node`,
      kind: 'elf-addon',
      triple,
      libc,
      sources: [...sources('core', 'text', 'napi'), ...listSources('unix', 'linux')],
      flags: [...COMMON, ...ADDON_DEFINES, '-fPIC', '-fno-plt', ...WHOLE],
      // nodelete: our threads run for ever, so the library stays when the environment that loaded it goes.
      link: [
        ...['-shared', '-s', '-Os', '-flto', '-Wl,-z,nodelete', '-Wl,--gc-sections', '-Wl,--build-id=none'],
        ...['-Wl,--hash-style=gnu', '-Wl,--version-script=scripts/prebuild/exports.map'],
      ],
    },
    {
      // One file for both C libraries: it uses neither.
      output: `${folder}/${KEEPER}`,
      kind: 'elf-static',
      triple: `${triple.split('-')[0]}-linux-none`,
      sources: sources('keeper'),
      flags: KEEPER_FLAGS,
      link: KEEPER_LINK,
    },
  ];
}

function darwin(arch, processor) {
  return [
    {
      output: `darwin-${arch}/${ADDON}.node`,
      kind: 'macho-addon',
      triple: `${processor}-macos.${MACOS_BASELINE}`,
      sources: [...sources('core', 'text', 'napi'), ...listSources('unix', 'darwin')],
      flags: [...COMMON, ...ADDON_DEFINES, '-fPIC'],
      // The symbols of Node-API are those of the program that loads the addon. Without a name of its own the library
      // would be called by the path that it was written to.
      link: [
        ...['-dynamiclib', '-s', '-Os', '-Wl,-undefined,dynamic_lookup', '-Wl,-dead_strip'],
        `-Wl,-install_name,@rpath/${ADDON}.node`,
      ],
    },
  ];
}

function win32(arch, processor) {
  const triple = `${processor}-windows-gnu`;
  return [
    {
      output: `win32-${arch}/${ADDON}.node`,
      kind: 'pe-addon',
      triple,
      sources: sources('core', 'text', 'napi', 'win'),
      flags: [...COMMON, ...ADDON_DEFINES, ...WINDOWS_DEFINES],
      link: ['-shared', '-s', '-Os', '-luser32', '-Wl,--gc-sections'],
    },
    {
      output: `win32-${arch}/${CONSOLE_EVENT}`,
      kind: 'pe-program',
      triple,
      sources: sources('console_event'),
      flags: [...COMMON, ...WINDOWS_DEFINES, '-municode'],
      link: ['-municode', '-s', '-Os'],
    },
  ];
}

/** By the name that `npm run prebuild` takes. */
export const TARGETS = {
  'linux-x64-glibc': linux('x64', 'glibc', `x86_64-linux-gnu.${GLIBC_BASELINE}`),
  'linux-x64-musl': linux('x64', 'musl', 'x86_64-linux-musl'),
  'linux-arm64-glibc': linux('arm64', 'glibc', `aarch64-linux-gnu.${GLIBC_BASELINE}`),
  'linux-arm64-musl': linux('arm64', 'musl', 'aarch64-linux-musl'),
  'darwin-x64': darwin('x64', 'x86_64'),
  'darwin-arm64': darwin('arm64', 'aarch64'),
  'win32-x64': win32('x64', 'x86_64'),
  'win32-arm64': win32('arm64', 'aarch64'),
};
