// A campaign of mixed runs, many at once, in one host: what the host has open, and what lives below it, must be the
// same afterwards as before. Linux; needs `npm run setup` before.
//
// usage: node scripts/soak.mjs [--runs 10000] [--at-once 16] [--seed 1] [--plant-leaks]
//
// Prints one line of JSON and exits with 1 when a run broke its promise or anything is left over. --plant-leaks leaves
// one of everything behind, so that a test can see that it would be found.

import { spawn as startForeign } from 'node:child_process';
import { getEventListeners, setMaxListeners } from 'node:events';
import { openSync, readFileSync, readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { MIX, makeRandom, pick } from './soak-mix.mjs';

const WARM_UP = 300;
/**
 * What the resident size may gain in the second half of the runs. The first half brings it to its plateau: what the
 * allocators keep, 30 to 65 MiB that do not grow with the number of runs. A leak grows with it, in both halves.
 */
const RSS_MARGIN = 32 * 1024 * 1024;
/** Every process of this campaign has it in its environment, whatever session it has gone to. */
const MARK = `ARGV_SPAWN_SOAK=${process.pid}`;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    'at-once': { type: 'string', default: '16' },
    seed: { type: 'string', default: '1' },
    'plant-leaks': { type: 'boolean', default: false },
  },
});

function parseCount(name) {
  const number = Number(values[name]);
  if (Number.isSafeInteger(number) && number > 0) return number;
  console.error(`soak: --${name} must be a whole number above 0, not "${values[name]}"`);
  process.exit(2);
}

/** Spare threads of the engine go away after a second without work. What was left on purpose stays, so it is short. */
const SETTLE_MS = values['plant-leaks'] ? 3000 : 20_000;
const runs = parseCount('runs');
const atOnce = parseCount('at-once');
const seed = parseCount('seed');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined; // gone
  }
}

function hasMark(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${MARK}\0`);
  } catch {
    return false; // gone
  }
}

/** One signal for all runs that do not abort: every listener left on it shows. */
const shared = new AbortController();
setMaxListeners(0, shared.signal); // so many are at work at once

function count() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const stats = pids.map((pid) => ({ pid, stat: readStat(pid) })).filter(({ stat }) => stat !== undefined);
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    threads: readdirSync('/proc/self/task').length,
    zombies: stats.filter(({ stat }) => stat.parent === process.pid && stat.state === 'Z').length,
    processes: stats.filter(({ pid, stat }) => stat.state !== 'Z' && hasMark(pid)).length,
    listeners: getEventListeners(shared.signal, 'abort').length,
  };
}

function measureRss() {
  collectGarbage();
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]) * 1024;
}

const SHOWN = 10;

/** Names of the counts that are above `before`. */
const findLeaks = (before, after) => Object.keys(before).filter((name) => after[name] > before[name]);

const broken = [];
const done = Object.fromEntries(MIX.map(({ name }) => [name, 0]));

async function carryOut(total, random) {
  let next = 0;
  const lane = async () => {
    while (next < total) {
      const index = next++;
      const row = pick(random);
      try {
        await row.start(index, shared.signal);
        done[row.name]++;
      } catch (error) {
        broken.push({ index, kind: row.name, error: String(error?.message ?? error).slice(0, 500) });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** The counts once nothing is above `before` any more, or when the time for that is over. */
async function settle(before) {
  const end = performance.now() + SETTLE_MS;
  for (;;) {
    collectGarbage();
    const now = count();
    if (findLeaks(before, now).length === 0 || performance.now() > end) return now;
    await pause(50);
  }
}

const planted = [];

async function plantLeaks() {
  planted.push(Buffer.alloc(2 * RSS_MARGIN, 1));
  openSync('/dev/null');
  shared.signal.addEventListener('abort', () => undefined);
  await new Promise((resolve) => new Worker('setInterval(() => {}, 1000)', { eval: true }).once('online', resolve));
  const child = startForeign('sleep', ['600'], { stdio: 'ignore' });
  process.on('exit', () => child.kill('SIGKILL'));
}

process.env.ARGV_SPAWN_SOAK = String(process.pid);
const random = makeRandom(seed);
await carryOut(Math.min(WARM_UP, runs), random);
await settle(count());
await pause(1500); // the warm-up's spare threads
const before = count();
for (const name of Object.keys(done)) done[name] = 0;

const started = performance.now();
const firstHalf = Math.ceil(runs / 2);
await carryOut(firstHalf, random);
const rssBefore = measureRss();
await carryOut(runs - firstHalf, random);
const seconds = (performance.now() - started) / 1000;
if (values['plant-leaks']) await plantLeaks();
const after = await settle(before);
const rssGrowth = measureRss() - rssBefore;

const leaks = findLeaks(before, after);
if (rssGrowth > RSS_MARGIN) leaks.push('rss');
console.log(
  JSON.stringify({
    ...{ runs, atOnce, seed, seconds, before, after, rssGrowth, leaks, done },
    ...{ broken: broken.length, firstBroken: broken.slice(0, SHOWN) },
  }),
);
process.exit(leaks.length === 0 && broken.length === 0 ? 0 : 1);
