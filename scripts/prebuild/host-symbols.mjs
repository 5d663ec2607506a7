// On Windows the functions of Node-API belong to the program that loads the addon, and that is not always node.exe: it
// is bun.exe, deno.exe, electron.exe, or a library (libnode.dll). An import table names one file. So the addon gets a
// function of every name that jumps to what the loading program has under it, looked up when the addon is loaded.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** Names of all functions of Node-API, sorted. */
export function listNodeApi() {
  const headers = dirname(require.resolve('node-api-headers/package.json'));
  const symbols = new Set();
  for (const name of ['js_native_api.def', 'node_api.def']) {
    const words = readFileSync(join(headers, 'def', name), 'utf8').split(/\s+/);
    for (const word of words) if (/^(napi|node_api)_\w+$/.test(word)) symbols.add(word);
  }
  return [...symbols].sort();
}

const JUMP = {
  x86_64: (offset) => [`jmpq *node_api_pointers+${offset}(%rip)`],
  aarch64: (offset) => [
    `adrp x16, node_api_pointers+${offset}`,
    `ldr x16, [x16, :lo12:node_api_pointers+${offset}]`,
    'br x16',
  ],
};

/** Writes the C source. @returns its path. */
export function writeHostSymbols(path, processor) {
  const names = listNodeApi().filter((name) => !name.includes('_uv_'));
  const jump = JUMP[processor];
  const functions = names.map((name, i) => {
    const lines = ['.text', '.p2align 2', `.globl ${name}`, `${name}:`, ...jump(i * 8)];
    return `__asm__(${lines.map((line) => `"${line}\\n"`).join('\n        ')});`;
  });
  writeFileSync(
    path,
    `#include <windows.h>

void* node_api_pointers[${names.length}];

static const char* const kNames[] = {
${names.map((name) => `    "${name}",`).join('\n')}
};

/* A function that this program does not have: napi_generic_failure. */
static int Missing(void) { return 9; }

static HMODULE FindHost(void) {
  static const wchar_t* const kPlaces[] = {NULL, L"libnode.dll", L"node.dll"};
  for (int i = 0; i < 3; i++) {
    HMODULE module = GetModuleHandleW(kPlaces[i]);
    if (module != NULL && GetProcAddress(module, "napi_create_object") != NULL) return module;
  }
  return NULL;
}

__attribute__((constructor)) static void FindNodeApi(void) {
  HMODULE host = FindHost();
  for (int i = 0; i < ${names.length}; i++) {
    void* found = host == NULL ? NULL : (void*)GetProcAddress(host, kNames[i]);
    node_api_pointers[i] = found == NULL ? (void*)&Missing : found;
  }
}

${functions.join('\n')}
`,
  );
  return path;
}
