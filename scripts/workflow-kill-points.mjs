// Kills hosts at random points of a 30-step workflow and resumes it. For every point two hosts are killed and a third
// comes to the end; then the result must be that of an undisturbed run, and no step that was finished at a kill may have
// run again.
//
// usage: node scripts/workflow-kill-points.mjs [--points 200] [--seed N]        (after npm run setup)

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const SELF = fileURLToPath(import.meta.url);
const PACKAGE = new URL('../dist/workflow.js', import.meta.url).href;
const STEPS = 30;

/** Notes its name, then prints so many characters: some more than a line of the journal takes. */
const EFFECT = `#!/bin/sh
echo "$2" >> "$1"
printf '%s:' "$2"
head -c "$3" /dev/zero | tr '\\0' x
`;

/** mulberry32: small, seeded, good enough to choose moments. */
function makeRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The workflow under test: in a row, side by side, through stages, and text for a shell. */
async function host(folder, run, resume) {
  const { createWorkflow } = await import(PACKAGE);
  const workflow = createWorkflow({
    allow: [{ dir: join(folder, 'helpers') }],
    cwd: folder,
    journal: join(folder, 'journal'),
    concurrency: 3,
    ...(resume ? { resumeFromRunId: run } : { runId: run }),
  });
  const effects = join(folder, `${run}.effects`);
  const step = async (name, size = 10) =>
    (await workflow.sh(['effect', effects, name, String(size)], { check: true })).stdout;
  const results = [];
  for (let i = 0; i < 5; i++) results.push(await step(`first-${i}`, i === 2 ? 9000 : 10));
  const branch = (b) => async () => [await step(`b${b}-0`), await step(`b${b}-1`, 6000), await step(`b${b}-2`)];
  results.push(await workflow.parallel([branch(0), branch(1), branch(2)]));
  results.push(
    await workflow.pipeline(
      [0, 1, 2, 3],
      (_, item) => step(`p${item}-0`),
      async (previous, item) => previous + (await step(`p${item}-1`)),
    ),
  );
  results.push((await workflow.sh(`${folder}/helpers/effect ${effects} text 5`, { check: true })).stdout);
  for (let i = 0; i < 7; i++) results.push(await step(`last-${i}`));
  await workflow.close();
  process.stdout.write(JSON.stringify(results));
}

/** Resolves with what the host printed, or null when it was killed first. */
async function runHost(folder, run, resume, killAfter) {
  const args = [SELF, '--host', folder, '--run', run, ...(resume ? ['--resume'] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));
  if (killAfter !== null) {
    await Promise.race([ended, pause(killAfter)]);
    child.kill('SIGKILL');
  }
  const { code, signal } = await ended;
  if (code === 0) return stdout;
  if (signal === 'SIGKILL') return null;
  throw new Error(`the host of ${run} failed with ${code}: ${stderr}`);
}

const countLines = (text) => {
  const counts = new Map();
  for (const line of text.split('\n').slice(0, -1)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
};
const readEffects = (folder, run) => {
  const path = join(folder, `${run}.effects`);
  return countLines(existsSync(path) ? readFileSync(path, 'utf8') : '');
};

/** Whole records of a journal, without the code under test. Steps are told by the name in their command. */
function readJournal(folder, run) {
  const path = join(folder, 'journal', `${run}.jsonl`);
  if (!existsSync(path)) return { exists: false, finished: new Set(), starts: new Map() };
  const records = readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  const nameOf = new Map();
  const starts = new Map();
  for (const { type, step, command } of records) {
    if (type !== 'start') continue;
    const name = /effects (\S+) /.exec(command)[1];
    nameOf.set(step, name);
    starts.set(name, (starts.get(name) ?? 0) + 1);
  }
  const finished = new Set(records.filter(({ type }) => type === 'done').map(({ step }) => nameOf.get(step)));
  return { exists: true, finished, starts };
}

function expectSame(what, found, wanted) {
  if (found !== wanted) throw new Error(`${what}: found ${found}, wanted ${wanted}`);
}

/** One point: two kills, then the end. @returns how many finished steps the kills left to be found again. */
async function checkPoint(folder, run, expected, moments) {
  const before = [];
  let result = null;
  for (const killAfter of [...moments, null]) {
    const { exists } = readJournal(folder, run);
    result = await runHost(folder, run, exists, killAfter);
    const { finished } = readJournal(folder, run);
    const effects = readEffects(folder, run);
    before.push([...finished].map((name) => [name, effects.get(name)]));
    if (result !== null) break;
  }
  expectSame(`${run}: result`, result, expected.replaceAll('undisturbed', run));
  const effects = readEffects(folder, run);
  const { starts } = readJournal(folder, run);
  expectSame(`${run}: steps with an effect`, effects.size, STEPS);
  for (const counts of before) {
    for (const [name, count] of counts)
      expectSame(`${run}: effects of ${name}, finished before`, effects.get(name), count);
  }
  for (const [name, count] of effects) {
    if (count > starts.get(name))
      throw new Error(`${run}: ${name} ran ${count} times, started ${starts.get(name)} times`);
  }
  return before.slice(0, -1).reduce((sum, counts) => sum + counts.length, 0);
}

/** @returns what happened, when all is right; throws at the first thing that is not. */
export async function runKillPoints({ points, seed, report = () => undefined }) {
  const folder = mkdtempSync(join(tmpdir(), 'argv-spawn-kill-'));
  try {
    mkdirSync(join(folder, 'helpers'));
    writeFileSync(join(folder, 'helpers', 'effect'), EFFECT, { mode: 0o755 });
    const began = performance.now();
    const expected = await runHost(folder, 'undisturbed', false, null);
    const span = performance.now() - began;
    for (const [name, count] of readEffects(folder, 'undisturbed')) expectSame(`undisturbed: ${name}`, count, 1);
    expectSame('undisturbed: steps', readEffects(folder, 'undisturbed').size, STEPS);
    const random = makeRandom(seed);
    let kept = 0;
    for (let i = 0; i < points; i++) {
      kept += await checkPoint(folder, `run-${i}`, expected, [random() * span, random() * span]);
      report(i + 1);
    }
    return { points, seed, span: Math.round(span), kept };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === SELF) {
  const { values } = parseArgs({
    options: {
      points: { type: 'string', default: '200' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      host: { type: 'string' },
      run: { type: 'string' },
      resume: { type: 'boolean', default: false },
    },
  });
  if (values.host) {
    await host(values.host, values.run, values.resume);
  } else {
    const report = (done) => done % 20 === 0 && console.log(`${done} points`);
    console.log(`seed ${values.seed}`);
    console.log(await runKillPoints({ points: Number(values.points), seed: Number(values.seed), report }));
  }
}
