// The TypeScript suites in the real node.exe under Wine: cross-builds the addon and the fixture programs, compiles the
// test files, and runs each in a process of its own with vitest's expect on node:test (test/windows/vitest.mjs).
//
// usage: node scripts/test-windows.mjs [FILTER...]     e.g. portable/stdin windows/tree

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WINDOWS, buildAddon, buildFixtures } from './cross-build.mjs';
import { endWine, runNode, setUpWine, toWindowsPath } from './wine.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FILE_TIMEOUT_MS = 45 * 60_000;
/** One report a file, kept to be read. */
const OUTPUT = join(WINDOWS, 'output');
const FOLDERS = ['args', 'portable', 'windows'];

function compile(project) {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const result = spawnSync(process.execPath, [tsc, '-p', project], { cwd: ROOT, stdio: 'inherit' });
  if (result.status !== 0) process.exit(1);
}

/** build/windows becomes a package of its own, laid out like this one. */
function layOut() {
  for (const name of ['lib', 'test', 'dist']) rmSync(join(WINDOWS, name), { recursive: true, force: true });
  compile('lib/tsconfig.json');
  compile('test/windows/tsconfig.json');
  cpSync(join(ROOT, 'dist'), join(WINDOWS, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'test', 'vectors'), join(WINDOWS, 'test', 'vectors'), { recursive: true });
  writeFileSync(join(WINDOWS, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  mkdirSync(OUTPUT, { recursive: true });
  const vitest = join(WINDOWS, 'node_modules', 'vitest');
  mkdirSync(vitest, { recursive: true });
  cpSync(join(ROOT, 'test', 'windows', 'vitest.mjs'), join(vitest, 'index.mjs'));
  writeFileSync(join(vitest, 'package.json'), JSON.stringify({ name: 'vitest', main: 'index.mjs' }));
}

function listFiles(filters) {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(WINDOWS, 'test', folder))
      .filter((name) => name.endsWith('.test.js'))
      .map((name) => `${folder}/${name}`),
  );
  return filters.length === 0 ? files : files.filter((file) => filters.some((filter) => file.includes(filter)));
}

const readCount = (text, name) => Number(new RegExp(`^# ${name} (\\d+)`, 'm').exec(text)?.[1] ?? Number.NaN);

/** The failed tests of a TAP report, with what each says; the end of it when it has none (the process broke off). */
function showFailures(text) {
  const lines = text.split('\n');
  const shown = [];
  let inside = false;
  for (const line of lines) {
    if (/^\s*not ok \d/.test(line)) inside = true;
    if (inside) shown.push(line);
    if (/^\s*\.\.\.$/.test(line)) inside = false;
  }
  console.log((shown.length > 0 ? shown.slice(0, 400) : lines.slice(-60)).join('\n'));
}

const total = { passed: 0, failed: 0, skipped: 0 };

async function runFile(file) {
  const output = join(OUTPUT, `${file.replaceAll('/', '-')}.txt`);
  const started = Date.now();
  const code = await runNode(['--test-reporter=tap', toWindowsPath(join(WINDOWS, 'test', file))], {
    output,
    cwd: WINDOWS,
    timeoutMs: FILE_TIMEOUT_MS,
  });
  const text = readFileSync(output, 'utf8');
  const [passed, failed, skipped] = ['pass', 'fail', 'skipped'].map((name) => readCount(text, name));
  const right = code === 0 && failed === 0 && passed > 0;
  console.log(
    `${right ? 'ok' : 'FAILED'} ${file}: ${passed} passed, ${failed} failed, ${skipped} skipped, ` +
      `${Math.round((Date.now() - started) / 1000)} s${code === null ? ', not ended in time' : ''}`,
  );
  for (const [, why] of text.matchAll(/^\s*ok \d+ - (.*# SKIP.*)$/gm)) console.log(`  skipped: ${why}`);
  if (!right) showFailures(text);
  total.passed += passed || 0;
  total.failed += right ? 0 : failed || 1;
  total.skipped += skipped || 0;
}

try {
  await buildAddon();
  buildFixtures();
  layOut();
  setUpWine();
  const files = listFiles(process.argv.slice(2));
  for (const file of files) await runFile(file);
} catch (error) {
  console.error(`test-windows: ${error.message}`);
  total.failed++;
} finally {
  endWine();
}
console.log(`windows: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
