// The full counts of what test/containment tries a few times: whole trees ended by a timeout, whole hosts killed.
//
// usage: node scripts/tree-soak.mjs [--trees 100] [--at-once 8] [--hosts 50] [--host-trees 20] [--size 50]
//
// A tree is the fixture's `daemons`: half of it in sessions of their own, forked twice, without an environment, all of
// it ignoring every polite signal and printing. Prints one line for each part; exit code 1 when anything was late or
// left.

import { spawn as spawnForeign } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { run } from '../dist/index.js';

const PACKAGE = new URL('../dist/index.js', import.meta.url).href;
const CHILD = fileURLToPath(new URL('../build/fixtures/child', import.meta.url));
const TIMEOUT = 500;
const GRACE = 300;
const LATE_TREE = TIMEOUT + GRACE + 1000;
const LATE_HOST = 2000;

const { values } = parseArgs({
  options: {
    trees: { type: 'string', default: '100' },
    'at-once': { type: 'string', default: '8' },
    hosts: { type: 'string', default: '50' },
    'host-trees': { type: 'string', default: '20' },
    size: { type: 'string', default: '50' },
  },
});
const number = (name) => Number(values[name]);

/** Living processes with `mark` in their command line; a zombie is not alive. */
function countAlive(mark) {
  let count = 0;
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(mark)) continue;
      if (!/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))) count++;
    } catch {
      // gone meanwhile
    }
  }
  return count;
}

const quantile = (samples, share) =>
  Math.round(samples.toSorted((a, b) => a - b)[Math.min(samples.length - 1, Math.floor(samples.length * share))] ?? 0);

async function endTrees() {
  const problems = [];
  const times = [];
  let next = 0;
  const lane = async () => {
    while (next < number('trees')) {
      const mark = `tree-${process.pid}-${next++}-`;
      const started = performance.now();
      const result = await run([CHILD, 'daemons', values.size, mark], { timeout: TIMEOUT, forceKillAfter: GRACE });
      // From the moment the program existed; before that there was nothing to be ended.
      const took = performance.timeOrigin + performance.now() - result.startedAt;
      times.push(took);
      const alive = countAlive(mark);
      const survived = result.leftovers.filter((one) => one.fate !== 'ended').length;
      if (alive > 0 || survived > 0 || took > LATE_TREE || !result.forced || result.containment.tree !== 'tree') {
        const waited = Math.round(performance.now() - started);
        problems.push({
          alive,
          survived,
          took: Math.round(took),
          waited,
          forced: result.forced,
          containment: result.containment,
        });
      }
    }
  };
  await Promise.all(Array.from({ length: number('at-once') }, lane));
  console.log(
    `trees: ${times.length - problems.length} of ${times.length} ended in time; ` +
      `ms from start: median ${quantile(times, 0.5)}, worst ${quantile(times, 1)}, bound ${LATE_TREE}`,
  );
  return problems;
}

const hostScript = (mark) => `
  import { spawn } from ${JSON.stringify(PACKAGE)};
  const trees = Array.from({ length: ${number('host-trees')} }, () =>
    spawn([${JSON.stringify(CHILD)}, 'daemons', ${JSON.stringify(values.size)}, ${JSON.stringify(mark)}], { stderr: 'ignore' }));
  await Promise.all(trees.map((tree) => new Promise((resolve) => {
    tree.stdout.on('data', (chunk) => { if (chunk.includes('grown')) resolve(); });
  })));
  process.kill(process.pid, 'SIGKILL');`;

async function killHosts() {
  const problems = [];
  const times = [];
  for (let i = 0; i < number('hosts'); i++) {
    const mark = `host-${process.pid}-${i}-`;
    const host = spawnForeign(process.execPath, ['--input-type=module', '-e', hostScript(mark)], { stdio: 'ignore' });
    const signal = await new Promise((resolve) => host.once('exit', (_code, name) => resolve(name)));
    const died = performance.now();
    let alive = countAlive(mark);
    while (alive > 0 && performance.now() - died < 10 * LATE_HOST) {
      await pause(20);
      alive = countAlive(mark);
    }
    const took = performance.now() - died;
    times.push(took);
    if (signal !== 'SIGKILL' || alive > 0 || took > LATE_HOST) problems.push({ signal, alive, took: Math.round(took) });
  }
  console.log(
    `hosts: ${times.length - problems.length} of ${times.length} left nothing; ` +
      `ms from death: median ${quantile(times, 0.5)}, worst ${quantile(times, 1)}, bound ${LATE_HOST}`,
  );
  return problems;
}

const problems = [];
if (number('trees') > 0) problems.push(...(await endTrees()));
if (number('hosts') > 0) problems.push(...(await killHosts()));
for (const problem of problems.slice(0, 10)) console.log(JSON.stringify(problem));
process.exitCode = problems.length === 0 ? 0 : 1;
