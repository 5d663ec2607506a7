// Node's own test/parallel/test-child-process-* with our engine under them.
//
// usage: node scripts/node-suite.mjs [--short] [--verbose] [name part]...
//
// Every file runs twice: on Node's engine, and with argv-spawn/register. A file that fails on Node's engine says nothing
// and is named. A pass counts only if our engine started a process in that run. Exceptions, each with its reason, are in
// suites/node-suite.json; one that is no longer needed is a failure, too.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fetchSource } from './suites/debian-source.mjs';
import { PRELOAD, execute, executeCounting, inParallel } from './suites/run-both.mjs';

const TIMEOUT = 150_000;
const WIDTH = 2;
const GOAL = 0.95;

const list = JSON.parse(readFileSync(new URL('./suites/node-suite.json', import.meta.url), 'utf8'));
/** Reason by name; one of the files is called `constructor`. */
const exceptions = new Map(Object.entries(list.exceptions));
const options = process.argv.slice(2);
const isShort = options.includes('--short');
const verbose = options.includes('--verbose');
const parts = options.filter((option) => !option.startsWith('--'));

const source = fetchSource({
  name: 'nodejs',
  version: '20.',
  suites: ['trixie'],
  members: ['test/common', 'test/fixtures', 'test/parallel/test-child-process-*'],
});

function listFiles() {
  const folder = join(source, 'test/parallel');
  const names = readdirSync(folder).filter((name) => /^test-child-process-.*\.m?js$/.test(name));
  if (parts.length > 0) return names.filter((name) => parts.some((part) => name.includes(part)));
  return isShort ? names.filter((name) => list.short.includes(shorten(name))) : names;
}

const shorten = (name) => name.replace(/^test-child-process-/, '').replace(/\.js$/, '');

/** `// Flags: --expose-internals` */
function readFlags(path) {
  const flags = /^\/\/ Flags: (.*)$/m.exec(readFileSync(path, 'utf8'));
  return flags ? flags[1].trim().split(/\s+/) : [];
}

const results = new Map();
let thread = 0;
async function runFile(name) {
  const path = join(source, 'test/parallel', name);
  const flags = readFlags(path);
  const env = { ...process.env, TEST_THREAD_ID: String(thread++), NODE_TEST_DIR: source };
  delete env.NODE_OPTIONS;
  const settings = { cwd: source, env, timeout: TIMEOUT };
  const plain = await execute(process.execPath, [...flags, path], settings);
  const ours = await executeCounting(process.execPath, [...PRELOAD, ...flags, path], settings);
  results.set(shorten(name), { plain, ours });
  if (verbose) console.log(shorten(name), plain.passed, ours.passed, JSON.stringify(ours.starts));
}

function classify({ plain, ours }) {
  if (!plain.passed) return 'fails on Node';
  const { ours: count = 0, ipc = 0, ...others } = ours.starts;
  if (ipc > 0) return ours.passed ? 'ipc' : 'ipc failed';
  if (!ours.passed) return 'failed';
  if (count > 0) return 'passed';
  return Object.keys(others).length > 0 ? 'handed over' : 'no start';
}

const TEXT = {
  passed: 'passed, with starts by our engine',
  failed: 'failed',
  ipc: 'need IPC, which is Node’s; passed',
  'ipc failed': 'need IPC, which is Node’s; FAILED',
  'handed over': 'passed, but every start was handed over to Node',
  'no start': 'passed, and started nothing (arguments only, or skipped here)',
  'fails on Node': 'fail on Node’s own engine here',
};

await inParallel(listFiles(), WIDTH, runFile);
if (results.size === 0) throw new Error('no test file matches');

const groups = Object.groupBy
  ? Object.groupBy([...results.keys()], (name) => classify(results.get(name)))
  : [...results.keys()].reduce((all, name) => {
      (all[classify(results.get(name))] ??= []).push(name);
      return all;
    }, {});
for (const [group, text] of Object.entries(TEXT)) {
  const names = (groups[group] ?? []).sort();
  console.log(`${String(names.length).padStart(4)} ${text}`);
  if (group === 'passed' || group === 'ipc') continue;
  for (const name of names) {
    console.log(`       ${name}: ${JSON.stringify(results.get(name).ours.starts)} ${exceptions.get(name) ?? ''}`);
    const { plain, ours } = results.get(name);
    if (!plain.passed) console.log(plain.output.split('\n').slice(0, 12).join('\n'));
    else if (!ours.passed) console.log(`${ours.late ? '(too late) ' : ''}${ours.output.slice(-2000)}`);
  }
}

const counted = [...(groups.passed ?? []), ...(groups.failed ?? [])].length;
const passed = (groups.passed ?? []).length;
const starts = [...results.values()].reduce((sum, { ours }) => sum + (ours.starts.ours ?? 0), 0);
console.log(
  `node-suite: ${passed} of ${counted} files that need no IPC and start a process passed on our engine ` +
    `(${starts} starts by it), Node ${process.version}, files of ${source.split('/').at(-1)}`,
);
const problems = [];
for (const name of [...(groups.failed ?? []), ...(groups['ipc failed'] ?? []), ...(groups['handed over'] ?? [])])
  if (!exceptions.has(name))
    problems.push(`${name}: ${classify(results.get(name))}, without a reason in node-suite.json`);
for (const name of groups['fails on Node'] ?? [])
  if (!exceptions.has(name)) problems.push(`${name}: fails on Node’s own engine, without a reason in node-suite.json`);
for (const name of [...(groups.passed ?? []), ...(groups.ipc ?? [])])
  if (exceptions.has(name)) problems.push(`${name}: passes; its exception is not needed any more`);
if (passed < counted * GOAL) problems.push(`less than ${GOAL * 100} % passed`);
for (const problem of problems) console.error(`node-suite: ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);
