// The C++ library inside the addon: the few parts of it that are used, compiled from zig's sources with the addon's own
// flags. As zig has it, it comes with exceptions, their unwinder and the tables for both, though nothing here throws:
// more than a quarter of the addon. What would be thrown (a string longer than memory) ends the program, either way.
//
// A part that is missing is a symbol that the linker or scripts/prebuild/inspect.mjs reports.

/** In the folder to compile in, a link to zig's `lib`: paths are the same on every machine. */
export const ZIG_LIBRARY = 'zig-lib';

// libcxx/src. Some are needed only where the linker wants every symbol of a function that it will throw away.
const LIBRARY = [
  ...['chrono', 'condition_variable', 'condition_variable_destructor', 'error_category', 'exception', 'future'],
  ...['memory', 'mutex', 'mutex_destructor', 'new', 'new_handler', 'new_helpers', 'shared_mutex', 'stdexcept'],
  ...['string', 'system_error', 'thread', 'verbose_abort'],
];
// libcxxabi/src
const RUNTIME = [
  ...['abort_message', 'cxa_default_handlers', 'cxa_guard', 'cxa_handlers', 'cxa_noexception', 'cxa_virtual'],
  ...['stdlib_exception', 'stdlib_stdexcept'],
];
const WINDOWS = ['support/win32/thread_win32'];

const FLAGS = [
  ...['-std=c++23', '-w', '-DNDEBUG', '-D_LIBCPP_BUILDING_LIBRARY', '-DLIBCXX_BUILDING_LIBCXXABI'],
  ...['libcxx/src', 'libcxxabi/include', 'libcxxabi/src'].flatMap((path) => ['-I', `${ZIG_LIBRARY}/${path}`]),
];

const FLAGS_OF = {
  // Else it looks whether somebody has put another `operator new` in its place, by two symbols that the linker exports
  // (libcxx/src/include/overridable_function.h).
  new: ['-U__ELF__'],
};

/** @returns what to compile beside the thing's own sources: each file, and its flags. */
export function cxxLibrary(thing) {
  // Their language and warnings are not ours.
  const common = [...thing.flags.filter((flag) => !/^-(std=|W|D)/.test(flag)), ...FLAGS];
  const library = thing.kind.startsWith('pe') ? [...LIBRARY, ...WINDOWS] : LIBRARY;
  return [
    ...library.map((name) => ({ name, source: `${ZIG_LIBRARY}/libcxx/src/${name}.cpp` })),
    ...RUNTIME.map((name) => ({ name, source: `${ZIG_LIBRARY}/libcxxabi/src/${name}.cpp` })),
  ].map(({ name, source }) => ({ source, flags: [...common, ...(FLAGS_OF[name] ?? [])] }));
}
