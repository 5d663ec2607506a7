// Writes the JavaScript of the package: one file an entry point, and chunks for what they share. A module of its own
// costs a start about a millisecond, and the core alone has forty.
//
// usage: node scripts/bundle.mjs

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
// The files at the top of lib are the package's sub-paths; the last is the executable.
const ENTRIES = [...readdirSync(join(ROOT, 'lib')).filter((name) => name.endsWith('.ts')), 'cli/main.ts'];

/**
 * The core takes Node's modules as `getBuiltin` of lib/util/builtin.ts does: each `import` of one costs a start a tenth of
 * a millisecond, for a module that stands for it.
 */
const builtinsWithoutModules = {
  name: 'builtins-without-modules',
  renderChunk(code, chunk) {
    if (chunk.name !== 'core') return null;
    const taken = code.replace(/^import \{ (.+) \} from ("node:[\w/]+");$/gm, (line, names, module) => {
      return `const { ${names.replaceAll(' as ', ': ')} } = process.getBuiltinModule(${module});`;
    });
    if (/^import .*"node:/m.test(taken)) throw new Error(`${chunk.fileName}: an import of another form`);
    return taken;
  },
};

const bundle = await rolldown({
  cwd: ROOT,
  input: Object.fromEntries(ENTRIES.map((name) => [name.replace(/\.ts$/, ''), `lib/${name}`])),
  // Packages stay packages: their versions are the user's business.
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  platform: 'node',
  tsconfig: false,
  optimization: { inlineConst: true },
  plugins: [builtinsWithoutModules],
  onLog: (level, log) => {
    if (level === 'warn') throw new Error(log.message);
  },
});
await bundle.write({
  dir: 'dist',
  format: 'esm',
  entryFileNames: '[name].js',
  // One folder below dist, where lib/native/binding.ts expects to be.
  chunkFileNames: 'chunks/[name].js',
  minifyInternalExports: false,
  // They are in the sources and in the types; here they would only be read at every start.
  comments: false,
  codeSplitting: {
    groups: [
      { name: 'core', test: /lib\/(process|command|errors|native|util)\// },
      // Else a chunk would import the executable for what they share, and loading that file runs it.
      { name: 'cli', test: /lib\/cli\/(?!main|executor-options)/ },
    ],
  },
});
await bundle.close();
