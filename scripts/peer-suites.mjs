// The test suites of other libraries that start processes, on Node's engine and on ours.
//
// usage: node scripts/peer-suites.mjs [--short | --each] [--from name=folder]... [name]...
//
// --each gives every test file a command of its own and says how it went: for suites of hours, and to find a file that
// does not end.
//
// Where the tests come from: execa 8 from Debian's source package. Neither the npm packages of cross-spawn, tinyexec and
// nano-spawn nor Debian's sources have their tests; with `--from` a checkout of one is used, and without one it is named
// as not run. The libraries that a suite needs come from npm, as its own package.json asks.
//
// A test that passes on Node's engine and fails on ours needs a reason in suites/peers.json, and a suite in which our
// engine has started nothing says nothing.

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { CACHE, fetchSource } from './suites/debian-source.mjs';
import { PRELOAD, execute, executeCounting } from './suites/run-both.mjs';

const peers = JSON.parse(readFileSync(new URL('./suites/peers.json', import.meta.url), 'utf8'));
const NOT_NEEDED =
  /^(xo|tsd|c8|husky|lint-staged|standard-version|prettier|eslint|eslint-.*|typescript-eslint|@eslint\/.*|@commitlint\/.*)$/;

const options = process.argv.slice(2);
const isShort = options.includes('--short');
const isEach = options.includes('--each');
const TIMEOUT = (isEach ? 5 : 30) * 60_000;
const checkouts = new Map();
const wanted = [];
for (let i = 0; i < options.length; i++) {
  if (options[i] === '--from') {
    const [name, folder] = (options[++i] ?? '').split('=');
    if (!peers[name] || !existsSync(join(folder ?? '', 'package.json')))
      throw new Error(`--from needs name=folder: one of ${Object.keys(peers).join(', ')}, and a checkout of it`);
    checkouts.set(name, resolve(folder));
  } else if (!['--short', '--each'].includes(options[i])) {
    if (!peers[options[i]]) throw new Error(`no suite ${options[i]}: there are ${Object.keys(peers).join(', ')}`);
    wanted.push(options[i]);
  }
}

/** A copy of the source with what its tests need installed. null: there is no source. */
async function prepare(name, { debian, build }) {
  const source = checkouts.get(name) ?? (debian ? fetchSource(debian) : null);
  if (source === null) return null;
  // Not below a node_modules folder: test runners pass over those.
  const folder = mkdtempSync(join(tmpdir(), `argv-spawn-peer-${name}-`));
  cpSync(source, folder, { recursive: true, filter: (path) => !/\/(node_modules\/\.cache|\.git)$/.test(path) });
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const dependency of Object.keys(manifest.devDependencies))
    if (NOT_NEEDED.test(dependency)) delete manifest.devDependencies[dependency];
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  for (const command of [['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund'], ...(build ?? [])]) {
    const [program, ...args] = command;
    const done = await execute(program, args, { cwd: folder, timeout: TIMEOUT });
    if (!done.passed) throw new Error(`${name}: ${command.join(' ')} failed:\n${done.output.slice(-4000)}`);
  }
  return { folder, version: manifest.version };
}

/** Names of the tests that passed and failed. One name may stand for several tests: it passed if all did. */
function readTap(output) {
  const passed = new Map();
  for (const [, failed, title] of output.matchAll(/^\s*(not )?ok \d+ - (.*)$/gm)) {
    if (/# (SKIP|TODO)/i.test(title)) continue;
    const name = title.replace(/ \(\d[\d.]*m?s\)$/, '').trim();
    passed.set(name, failed === undefined && (passed.get(name) ?? true));
  }
  return passed;
}

function readJest(output) {
  const line = output.split('\n').find((one) => one.startsWith('{"num'));
  const passed = new Map();
  for (const file of JSON.parse(line ?? '{"testResults":[]}').testResults)
    for (const { fullName, status } of file.assertionResults)
      if (status !== 'pending') passed.set(fullName, status === 'passed' && (passed.get(fullName) ?? true));
  return passed;
}

const READERS = { tap: readTap, jest: readJest };

/** Test files below the folder test, without those that are there for them. */
function listTestFiles(folder) {
  const all = readdirSync(join(folder, 'test'), { recursive: true, withFileTypes: true });
  return all
    .filter(
      (entry) => entry.isFile() && /\.m?js$/.test(entry.name) && !/\/(fixtures|helpers)(\/|$)/.test(entry.parentPath),
    )
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

async function runPeer(name, peer) {
  const prepared = await prepare(name, peer);
  if (prepared === null) {
    console.log(`${name}: not run: no source with tests on npm or in Debian; give a checkout by --from ${name}=folder`);
    return [];
  }
  const { folder, version } = prepared;
  const settings = { cwd: folder, timeout: TIMEOUT };
  const plainEnv = { ...process.env, FORCE_COLOR: '0', CI: '' };
  delete plainEnv.NODE_OPTIONS;
  const read = READERS[peer.reader];
  const passedOn = (results) => [...results.values()].filter(Boolean).length;
  const whole = isShort ? peer.short : peer.files;
  const parts = isEach ? listTestFiles(folder).map((file) => [file]) : [whole];
  const [theirs, mine, starts] = [new Map(), new Map(), {}];
  let output = '';
  for (const part of parts) {
    const [program, ...args] = [...peer.command, ...part];
    const onNode = () => execute(program, args, { ...settings, env: plainEnv });
    const onOurs = () =>
      executeCounting(program, args, { ...settings, env: { ...plainEnv, NODE_OPTIONS: PRELOAD.join(' ') } });
    const onBoth = async (atOnce) => {
      const [plain, ours] = atOnce ? await Promise.all([onNode(), onOurs()]) : [await onNode(), await onOurs()];
      return { plain, ours, one: read(plain.output), other: read(ours.output) };
    };
    // A file alone rarely keeps two processors busy. But both may want the same port, so that a difference counts only
    // when it is there one after the other, too.
    let found = await onBoth(isEach);
    if (isEach && [...found.one].some(([title, passed]) => passed && found.other.get(title) !== true))
      found = await onBoth(false);
    const { plain, ours, one, other } = found;
    const late = [plain, ours].some((run) => run.late) ? ', not in time' : '';
    if (isEach) console.log(`${part[0]}: ${passedOn(one)} of ${one.size}, ${passedOn(other)} of ${other.size}${late}`);
    // The same words may name tests of several files.
    const prefix = isEach ? `${part[0]}: ` : '';
    for (const [title, passed] of one) theirs.set(prefix + title, passed);
    for (const [title, passed] of other) mine.set(prefix + title, passed);
    for (const [kind, count] of Object.entries(ours.starts)) starts[kind] = (starts[kind] ?? 0) + count;
    output += `${plain.output}\n=====\n${ours.output}\n`;
  }
  rmSync(folder, { recursive: true, force: true });
  if (theirs.size === 0) throw new Error(`${name}: no test result is in the output:\n${output.slice(-4000)}`);
  console.log(
    `${name} ${version}: ${passedOn(theirs)} of ${theirs.size} tests pass on Node's engine, ` +
      `${passedOn(mine)} of ${mine.size} on ours (${starts.ours ?? 0} starts by it; handed over: ${JSON.stringify({ ...starts, ours: undefined })})`,
  );
  const problems = [];
  const known = new Map(Object.entries(peer.exceptions));
  if (!(starts.ours > 0)) problems.push(`${name}: our engine started nothing`);
  for (const [title, passed] of theirs) {
    if (!passed || mine.get(title) === true) continue;
    const reason = known.get(title);
    if (reason === undefined) problems.push(`${name}: "${title}" passes on Node's engine, not on ours`);
    else console.log(`  not on ours: "${title}": ${reason}`);
  }
  for (const [title, passed] of theirs) if (!passed) console.log(`  fails on Node's engine here: "${title}"`);
  if (problems.length > 0) {
    mkdirSync(CACHE, { recursive: true });
    writeFileSync(join(CACHE, `peer-${name}.log`), output);
  }
  return problems;
}

const problems = [];
for (const [name, peer] of Object.entries(peers)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  problems.push(...(await runPeer(name, peer)));
}
for (const problem of problems) console.error(`peer-suites: ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);
