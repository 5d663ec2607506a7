// What bounds the targets that are not met, each part measured alone. Prints medians; needs `npm run setup` before.
//
// usage: node scripts/bench/limits.mjs       (chrt --rr 10 before it keeps other work of the machine out)

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { pause } from './clocks.mjs';
import { compileHelpers, programPath } from './peers.mjs';
import { quantile } from './statistics.mjs';
import { run } from '../../dist/index.js';

const ROUNDS = 200;
const TRUE = ['/bin/true'];
const GROUP = { containment: 'group' };
const KEEPER = fileURLToPath(new URL('../../build/Release/argv-spawn-keeper', import.meta.url));
const DIST = new URL('../../dist/index.js', import.meta.url).href;

const median = (samples) => quantile(samples, 0.5);
const micros = (ms) => `${(ms * 1000).toFixed(1)} us`;
const millis = (ms) => `${ms.toFixed(1)} ms`;

/** From `Atomics.notify` to the first statement of a thread that slept on another processor. */
async function wakeUp() {
  const shared = new BigInt64Array(new SharedArrayBuffer(24));
  const flag = new Int32Array(shared.buffer, 0, 1);
  const worker = new Worker(
    `const { workerData: shared } = require('node:worker_threads');
     const flag = new Int32Array(shared.buffer, 0, 1);
     for (let turn = 1; ; turn++) { Atomics.wait(flag, 0, turn - 1); shared[2] = process.hrtime.bigint(); }`,
    { eval: true, workerData: shared },
  );
  const spans = [];
  await pause(100);
  for (let turn = 1; turn <= ROUNDS; turn++) {
    await pause(2);
    shared[2] = 0n;
    shared[1] = process.hrtime.bigint();
    Atomics.store(flag, 0, turn);
    Atomics.notify(flag, 0);
    while (Atomics.load(shared, 2) === 0n);
    spans.push(Number(shared[2] - shared[1]) / 1e6);
  }
  await worker.terminate();
  return median(spans);
}

function call(options, argv = TRUE) {
  const before = performance.now();
  const promise = run(argv, options);
  return { span: performance.now() - before, promise };
}

/** @returns how long the call took, and how long until the exit. */
async function measure(options, argv) {
  const before = performance.now();
  const { span, promise } = call(options, argv);
  await promise;
  return { call: span, exit: performance.now() - before };
}

const medians = (samples) => ({
  call: median(samples.map((one) => one.call)),
  exit: median(samples.map((one) => one.exit)),
});

/** One after the other; with `rest`, after so many milliseconds in which nothing is left of the start before. */
async function row(options, { argv = TRUE, rest = 0 } = {}) {
  const samples = [];
  for (let i = 0; i < ROUNDS; i++) {
    if (rest > 0) await pause(rest);
    samples.push(await measure(options, argv));
  }
  return medians(samples);
}

/** Group and tree in turn, two of each, of which the second counts: what the one leaves behind meets both. */
async function inTurn() {
  const kinds = { group: GROUP, tree: {} };
  const samples = { group: [], tree: [] };
  for (let i = 0; i < ROUNDS; i++) {
    for (const [name, options] of Object.entries(kinds)) {
      await measure(options);
      samples[name].push(await measure(options));
    }
  }
  return { group: medians(samples.group), tree: medians(samples.tree) };
}

const ratio = (tree, group) => (tree / group).toFixed(2);

async function starts() {
  const [group, tree, bare] = [await row(GROUP), await row({}), await row(GROUP, { argv: [KEEPER] })];
  const turn = await inTurn();
  return [
    ['the call, one after the other, group', micros(group.call)],
    ['the call, one after the other, tree', micros(tree.call)],
    ['the call, in turn, group', micros(turn.group.call)],
    ['the call, in turn, tree', micros(turn.tree.call)],
    ['start to exit, one after the other, group', millis(group.exit)],
    ['the same of a program without a C library (the keeper, by hand)', millis(bare.exit)],
    ['start to exit, one after the other, tree over group', ratio(tree.exit, group.exit)],
    ['start to exit, in turn, tree over group', ratio(turn.tree.exit, turn.group.exit)],
  ];
}

/** Many starts in one turn of the loop: the code of the call is in the caches. */
async function hotCalls() {
  const started = Array.from({ length: 64 }, () => call(GROUP));
  await Promise.all(started.map(({ promise }) => promise));
  return median(started.slice(16).map(({ span }) => span));
}

/** Node's own streams alone, as many as 500 processes have. */
async function streams() {
  const spans = [];
  for (let i = 0; i < 9; i++) {
    const before = performance.now();
    const all = Array.from({ length: 1000 }, () => new Readable({ read() {} }).resume());
    await pause(0);
    spans.push(performance.now() - before);
    for (const stream of all) stream.destroy();
  }
  return median(spans);
}

/** 500 processes with piped output, held by a new Node. */
function held() {
  const program = fileURLToPath(new URL('held.mjs', import.meta.url));
  const samples = Array.from({ length: 5 }, () =>
    JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' })),
  );
  const show = (which, part) => millis(median(samples.map((one) => one[which][part])));
  return [
    ['500 held: CPU of the calls', show('first', 'calls')],
    ['500 held: V8 collects garbage in them', show('first', 'collections')],
    ['500 held: CPU of being told that each runs', show('first', 'notices')],
    ['another 500: CPU of the calls', show('second', 'calls')],
  ];
}

function imports() {
  const folder = mkdtempSync(join(tmpdir(), 'argv-spawn-limits-'));
  const scripts = {
    empty: '',
    'one empty module': 'import "./nothing.mjs";',
    'argv-spawn, addon not needed yet': `import ${JSON.stringify(DIST)};`,
    'argv-spawn with its addon': `import { platform } from ${JSON.stringify(DIST)}; platform.engine;`,
  };
  try {
    writeFileSync(join(folder, 'nothing.mjs'), '');
    const spans = Object.fromEntries(Object.keys(scripts).map((name) => [name, []]));
    for (const [name, text] of Object.entries(scripts)) writeFileSync(join(folder, `${name}.mjs`), text);
    for (let i = 0; i < 15; i++) {
      for (const name of Object.keys(scripts)) {
        const before = performance.now();
        execFileSync(process.execPath, [join(folder, `${name}.mjs`)]);
        spans[name].push(performance.now() - before);
      }
    }
    const empty = median(spans.empty);
    return Object.entries(spans)
      .filter(([name]) => name !== 'empty')
      .map(([name, samples]) => [`import over an empty program: ${name}`, millis(median(samples) - empty)]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** V8's compilation of the file that the import consists of, alone. */
function compileCore() {
  const core = fileURLToPath(new URL('../../dist/chunks/core.js', import.meta.url));
  const script = `const text = require('node:fs').readFileSync(${JSON.stringify(core)}, 'utf8');
    const before = performance.now(); new (require('node:vm').SourceTextModule)(text);
    console.log(performance.now() - before);`;
  const once = () =>
    Number(
      execFileSync(process.execPath, ['--no-warnings', '--experimental-vm-modules', '-e', script], {
        encoding: 'utf8',
      }),
    );
  return median(Array.from({ length: 9 }, once));
}

/** How fast the host of a virtual machine gives memory, and how fast it is when it is there. */
function memory() {
  const touch = () => execFileSync(programPath('touch'), [String(2 ** 30)], { encoding: 'utf8' }).trim();
  return [`${touch()} MiB/s`, `${touch()} MiB/s`];
}

async function main() {
  compileHelpers();
  await run(TRUE, GROUP);
  const [first, second] = memory();
  const rows = [
    ['wake-up of a sleeping thread', micros(await wakeUp())],
    ['the call, 64 in one turn (caches warm)', micros(await hotCalls())],
    ...(await starts()),
    ['the call, after a pause of 5 ms, group', micros((await row(GROUP, { rest: 5 })).call)],
    ['the call, after a pause of 5 ms, tree', micros((await row({}, { rest: 5 })).call)],
    ['1,000 Readables of Node, made and resumed', millis(await streams())],
    ...held(),
    ...imports(),
    ['V8 compiles the core, once in a new process', millis(compileCore())],
    ['memory, touched for the first time', first],
    ['memory, touched again at once', second],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const load = readFileSync('/proc/loadavg', 'utf8').split(' ')[0];
  console.log(`Node ${process.version}, load ${load}`);
  for (const [name, value] of rows) console.log(`${name.padEnd(width)}  ${value.padStart(12)}`);
}

await main();
