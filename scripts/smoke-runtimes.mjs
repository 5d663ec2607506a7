// Installs the tarball into a scratch project, as a user would, and runs a small program in every runtime that can be
// had. One row each; a row that could not be tried says why and counts as a failure.
//
// usage: npm run smoke -- [--from TARBALL] [ROW...]     e.g. node-20 deno; all rows without a name
//
// The tarball has what prebuilds/ has: `npm run prebuild` first. Runtimes come from the registry and are kept below
// build/downloads.

import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pack } from './prebuild/pack.mjs';
import { ROWS } from './smoke/rows.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROJECT = join(ROOT, 'build', 'smoke');

/** Node and nothing else: no compiler, and no shell that could run a script. */
function makeBarePath() {
  const bin = join(PROJECT, 'bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  return bin;
}

function installTarball(tarball) {
  rmSync(PROJECT, { recursive: true, force: true });
  mkdirSync(PROJECT, { recursive: true });
  const PATH = makeBarePath();
  writeFileSync(join(PROJECT, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const flags = [
    '--foreground-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--script-shell=/no/such/shell',
  ];
  const npm = join(
    spawnSync('npm', ['root', '--location=global'], { encoding: 'utf8' }).stdout.trim(),
    'npm/bin/npm-cli.js',
  );
  const result = spawnSync(process.execPath, [npm, 'install', ...flags, tarball], {
    cwd: PROJECT,
    encoding: 'utf8',
    env: { ...process.env, PATH },
  });
  if (result.status !== 0) throw new Error(`npm install of the tarball failed:\n${result.stdout}${result.stderr}`);
  const folder = fileURLToPath(new URL('smoke', import.meta.url));
  for (const name of readdirSync(folder))
    if (!['rows.mjs', 'musl.mjs', 'musl-root.mjs'].includes(name))
      copyFileSync(join(folder, name), join(PROJECT, name));
}

async function tryRow(row) {
  const started = Date.now();
  let answer;
  try {
    answer = { ok: true, ...(await row.run({ root: ROOT, project: PROJECT })) };
  } catch (error) {
    answer = { ok: false, detail: String(error?.message ?? error) };
  }
  return { name: row.name, what: row.what, seconds: Math.round((Date.now() - started) / 1000), ...answer };
}

const { values, positionals } = parseArgs({ options: { from: { type: 'string' } }, allowPositionals: true });
const unknown = positionals.filter((name) => !ROWS.some((row) => row.name === name));
if (unknown.length > 0) {
  console.error(`smoke: no row ${unknown.join(', ')}; there are ${ROWS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
installTarball(values.from ?? pack(join(ROOT, 'build', 'package')).path);
console.log('smoke: installed with node alone in PATH');
let failed = 0;
for (const row of ROWS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  const { ok, name, what, seconds, detail } = await tryRow(row);
  if (!ok) failed++;
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name.padEnd(16)} ${what}, ${seconds} s: ${detail}`);
}
process.exit(failed === 0 ? 0 : 1);
