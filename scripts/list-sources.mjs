// Prints native source files, one a line, for binding.gyp.
//
// usage: node scripts/list-sources.mjs FOLDER...          e.g. core text napi
//        node scripts/list-sources.mjs unix linux|darwin  the Unix folder without the other system's files
//
// A file of one system says so in its name: topic_linux.cc, reactor_epoll.cc; topic_darwin.cc, reactor_kqueue.cc.

import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OTHERS = { linux: /_(darwin|kqueue)\.cc$/, darwin: /_(linux|epoll)\.cc$/ };

/** Paths relative to the package root, sorted. */
export function listSources(folder, system) {
  const native = fileURLToPath(new URL('../native/', import.meta.url));
  return readdirSync(native + folder)
    .filter((name) => name.endsWith('.cc') && !(system && OTHERS[system].test(name)))
    .sort()
    .map((name) => `native/${folder}/${name}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2);
  const sources = words[0] === 'unix' ? listSources('unix', words[1]) : words.flatMap((folder) => listSources(folder));
  console.log(sources.join('\n'));
}
