// Real programs at their normal job, on Node's engine and with argv-spawn/register under every Node process: npm install,
// TypeScript, ESLint, Vitest, a Vite build, and commits through husky and lint-staged in a git repository.
//
// usage: node scripts/real-programs.mjs
//
// Both runs use one path, one after the other. What is compared: exit codes, output without its times, and every file
// that is there at the end, by content. `node_modules` is compared after the installation.

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual, stripVTControlCharacters } from 'node:util';
import { PROJECT } from './suites/real-project.mjs';
import { PRELOAD, executeCounting } from './suites/run-both.mjs';

const TIMEOUT = 10 * 60_000;

/** A step: its name, its command, the exit code that both must have. */
const STEPS = [
  ['npm install', ['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error'], 0],
  ['typescript', ['npm', 'run', 'build'], 0],
  ['typescript, an error', ['npx', 'tsc', '--noEmit', '--pretty', 'false', '-p', 'broken.json'], 2],
  ['eslint', ['npm', 'run', 'lint'], 0],
  ['eslint, a finding', ['npx', 'eslint', 'broken'], 1],
  ['vitest', ['npm', 'test'], 0],
  ['vitest, a failing test', ['npx', 'vitest', 'run', '--root', 'broken'], 1],
  ['vite build', ['npm', 'run', 'bundle'], 0],
  ['git init', ['git', 'init', '--quiet', '--initial-branch=main'], 0],
  ['husky', ['npm', 'run', 'hooks'], 0],
  ['git add', ['git', 'add', '--all', ':!broken'], 0],
  ['a commit that lint-staged corrects', ['git', 'commit', '--message', 'first'], 0],
  ['what was committed', ['git', 'log', '--patch', '--format=%T %s'], 0],
  ['git add, something wrong', ['git', 'add', '--force', 'broken/unused.js'], 0],
  ['a commit that lint-staged stops', ['git', 'commit', '--message', 'second'], 1],
  ['the state after it', ['git', 'status', '--short', '--branch'], 0],
];

const WITHOUT_TIMES = [
  [/\b\d+(\.\d+)?\s?(ms|s|m)\b/g, 'SPAN'],
  [/\b\d\d:\d\d:\d\d\b/g, 'TIME'],
  [/\(node:\d+\)/g, '(node:PID)'],
  // Vitest: a test or file that took long gets its span, a quick one none. Vite: how a progress line is redrawn.
  [/ SPAN$/gm, ''],
  [/^(transforming|rendering chunks|computing gzip size).*\n/gm, ''],
];

function normalise(output) {
  return WITHOUT_TIMES.reduce((text, [pattern, word]) => text.replace(pattern, word), stripVTControlCharacters(output));
}

/** Every file by its content, every link by its target. */
function readTree(root, skip) {
  const tree = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const name = path.slice(root.length + 1);
    if (skip.test(name)) continue;
    if (entry.isSymbolicLink()) tree[name] = `-> ${readlinkSync(path)}`;
    else if (entry.isFile()) tree[name] = createHash('sha256').update(readFileSync(path)).digest('hex');
  }
  return tree;
}

async function runAll(folder, preload) {
  const env = {
    ...process.env,
    NO_COLOR: '1',
    CI: '1',
    ...Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) => [
        [`GIT_${who}_NAME`, 'A'],
        [`GIT_${who}_EMAIL`, 'a@example.org'],
        [`GIT_${who}_DATE`, '2026-01-01T00:00:00Z'],
      ]),
    ),
  };
  for (const name of Object.keys(env)) if (/^(npm_|NODE_OPTIONS$|VITEST|FORCE_COLOR$)/.test(name)) delete env[name];
  if (preload) env.NODE_OPTIONS = PRELOAD.join(' ');
  for (const [name, text] of Object.entries(PROJECT)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const results = [];
  for (const [name, [program, ...args]] of STEPS) {
    const { code, output, starts, late } = await executeCounting(program, args, { cwd: folder, env, timeout: TIMEOUT });
    const installed = name === 'npm install' ? readTree(join(folder, 'node_modules'), /^$/) : {};
    results.push({ code, late, output: normalise(output), starts, installed });
  }
  // Of git's own files those that hold times or are written anew at any look; of node_modules what tools cache there.
  const files = readTree(folder, /^(\.git\/(index|logs|COMMIT_EDITMSG|objects\/pack)|(.*\/)?node_modules)(\/|$)/);
  rmSync(folder, { recursive: true });
  return { results, files };
}

const home = mkdtempSync(join(tmpdir(), 'argv-spawn-real-'));
const folder = join(home, 'project');
const problems = [];
try {
  const theirs = await runAll(folder, false);
  const ours = await runAll(folder, true);
  let total = 0;
  for (const [index, [name, , expected]] of STEPS.entries()) {
    const [node, mine] = [theirs.results[index], ours.results[index]];
    const started = mine.starts.ours ?? 0;
    total += started;
    const others = Object.entries(mine.starts).filter(([reason]) => reason !== 'ours');
    const handed = others.map(([reason, count]) => `${count} ${reason}`).join(', ');
    console.log(
      `${name}: exit ${node.code} and ${mine.code}; ${started} starts by our engine; Node's: ${handed || 'none'}`,
    );
    if (node.code !== expected)
      problems.push(`${name}: exit ${node.code} on Node's engine, ${expected} expected:\n${node.output.slice(-3000)}`);
    const same =
      node.code === mine.code && node.output === mine.output && isDeepStrictEqual(node.installed, mine.installed);
    if (!same) problems.push(`${name}: differs\n--- Node\n${node.output}\n--- ours, exit ${mine.code}\n${mine.output}`);
  }
  const names = new Set([...Object.keys(theirs.files), ...Object.keys(ours.files)]);
  for (const name of names) if (theirs.files[name] !== ours.files[name]) problems.push(`${name}: the files differ`);
  console.log(`real-programs: ${STEPS.length} steps, ${names.size} files compared, ${total} starts by our engine`);
  if (total === 0) problems.push('our engine started nothing');
} finally {
  rmSync(home, { recursive: true, force: true });
}
for (const problem of problems) console.error(`real-programs: ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);
