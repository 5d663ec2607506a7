// Writes the JavaScript of the package: one file an entry point, and chunks for what they share. A module of its own
// costs a start about a millisecond, and the core alone has forty.
//
// usage: node scripts/bundle.mjs

import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ENTRIES = { index: 'index', shell: 'shell', workflow: 'workflow', agent: 'agent', 'cli/main': 'cli/main' };

const bundle = await rolldown({
  cwd: ROOT,
  input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, `lib/${file}.ts`])),
  // Packages stay packages: their versions are the user's business.
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  platform: 'node',
  tsconfig: false,
  onLog: (level, log) => {
    if (level === 'warn') throw new Error(log.message);
  },
});
rmSync(new URL('../dist/chunks', import.meta.url), { recursive: true, force: true });
await bundle.write({
  dir: 'dist',
  format: 'esm',
  entryFileNames: '[name].js',
  // One folder below dist, where lib/native/binding.ts expects to be.
  chunkFileNames: 'chunks/[name].js',
  minifyInternalExports: false,
  codeSplitting: { groups: [{ name: 'core', test: /lib\/(process|command|errors|native|util)\// }] },
});
await bundle.close();
