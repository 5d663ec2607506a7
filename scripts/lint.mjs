// Lint and format, for TypeScript, scripts and C++.
//
// usage: node scripts/lint.mjs [--fix]
//
// clang-format must be there under CI; elsewhere its absence is said, and the rest is checked.

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const fix = process.argv.includes('--fix');
let failed = false;

function check(what, command, args) {
  const result = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' });
  if (result.status === 0) return;
  failed = true;
  console.error(`lint: ${what} failed${result.error ? `: ${result.error.message}` : ''}`);
}

const listNative = (folder) =>
  readdirSync(ROOT + folder, { recursive: true })
    .filter((name) => /\.(cc|h|c)$/.test(name))
    .map((name) => `${folder}/${name}`);

const node = (tool) => [process.execPath, `node_modules/${tool}`];

const [eslint, eslintBin] = node('eslint/bin/eslint.js');
check('eslint', eslint, [eslintBin, '--config', 'scripts/eslint.config.mjs', '.', ...(fix ? ['--fix'] : [])]);
const [prettier, prettierBin] = node('prettier/bin/prettier.cjs');
check('prettier', prettier, [prettierBin, fix ? '--write' : '--check', '--log-level=warn', '.']);

if (spawnSync('clang-format', ['--version']).status === 0) {
  const files = ['native', 'test'].flatMap(listNative);
  check('clang-format', 'clang-format', [...(fix ? ['-i'] : ['--dry-run', '-Werror']), ...files]);
} else if (process.env.CI) {
  failed = true;
  console.error('lint: clang-format is missing');
} else {
  console.warn('lint: clang-format is not installed; the format of C++ was not checked');
}
process.exit(failed ? 1 : 0);
