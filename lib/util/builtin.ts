// Node's own modules that not every call needs, loaded when the first one does: each of them takes
// about as long to load as this package.

/** The module, without a promise; it is the same object that `import` gives. Node 20.16 and later. */
export function getBuiltin<Name extends 'node:fs' | 'node:os' | 'node:stream' | 'node:tty' | 'node:worker_threads'>(
  name: Name,
): ReturnType<typeof process.getBuiltinModule<Name>> {
  return process.getBuiltinModule(name);
}
