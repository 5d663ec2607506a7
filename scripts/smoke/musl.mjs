// A program on musl that loads the addon with every symbol bound at once. It has a function under each name of
// Node-API, so that only the C library's own names decide.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listNodeApi } from '../prebuild/host-symbols.mjs';

export function compileMuslHost(folder) {
  mkdirSync(folder, { recursive: true });
  const source = join(folder, 'host.c');
  const program = join(folder, 'host');
  writeFileSync(
    source,
    `#include <dlfcn.h>
#include <stdio.h>
${listNodeApi()
  .map((name) => `int ${name}(void) { return 9; }`)
  .join('\n')}
int main(int argc, char** argv) {
  void* addon = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (addon == NULL || dlsym(addon, "napi_register_module_v1") == NULL) {
    fprintf(stderr, "%s\\n", dlerror());
    return 1;
  }
  puts("loaded, all symbols bound");
  return 0;
}
`,
  );
  const result = spawnSync('musl-gcc', ['-rdynamic', '-O1', source, '-o', program], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (result.error?.code === 'ENOENT') throw new Error('musl-gcc not found: apt-get install musl-tools');
  if (result.status !== 0) throw new Error('compiling the program on musl failed');
  return program;
}
