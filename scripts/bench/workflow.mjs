// What a journal costs: a step that it answers, and taking up a run of many finished steps. The journal is written by
// real steps first.
//
// usage: node scripts/bench/workflow.mjs [--steps 10000] [--json FILE]        (after npm run setup)

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createWorkflow } from '../../dist/workflow.js';
import { quantile, round } from './statistics.mjs';

const { values } = parseArgs({ options: { steps: { type: 'string', default: '10000' }, json: { type: 'string' } } });
const steps = Number(values.steps);
const WIDTH = 50;
if (!Number.isInteger(steps) || steps < WIDTH) throw new Error(`--steps takes a whole number from ${WIDTH}`);

const folder = mkdtempSync(join(tmpdir(), 'argv-spawn-bench-'));
const options = { allow: ['true'], cwd: folder, journal: join(folder, 'journal'), concurrency: 8 };

/** Fifty branches side by side, each with its share of the steps in a row. */
async function runAll(more) {
  const began = performance.now();
  const before = process.cpuUsage();
  const workflow = createWorkflow({ ...options, ...more });
  const opened = performance.now();
  let cached = 0;
  await workflow.parallel(
    Array.from({ length: WIDTH }, (_, branch) => async () => {
      for (let i = branch; i < steps; i += WIDTH) if ((await workflow.sh(['true', String(i)])).cached) cached++;
    }),
  );
  const ended = performance.now();
  const { user, system } = process.cpuUsage(before);
  await workflow.close();
  return { cached, open: opened - began, total: ended - began, processor: (user + system) / 1000 };
}

/** The same steps one after the other cannot be asked for (their places are in branches), so a second run is made. */
async function measureOne() {
  const count = Math.min(steps, 1000);
  const run = async (more) => {
    const workflow = createWorkflow({ ...options, ...more });
    const samples = [];
    for (let i = 0; i < count; i++) {
      const began = performance.now();
      await workflow.sh(['true', String(i)]);
      samples.push(performance.now() - began);
    }
    await workflow.close();
    return samples;
  };
  return { live: await run({ runId: 'row' }), cached: await run({ resumeFromRunId: 'row' }) };
}

try {
  console.log(`Node ${process.version}, kernel ${release()}, ${steps} steps`);
  const written = await runAll({ runId: 'many' });
  if (written.cached !== 0) throw new Error('a new run answered from its journal');
  const resumed = await runAll({ resumeFromRunId: 'many' });
  if (resumed.cached !== steps) throw new Error(`${resumed.cached} of ${steps} steps were answered`);
  const { live, cached } = await measureOne();
  const results = {
    'steps run and recorded, ms': written.total,
    'journal, MiB': statSync(join(folder, 'journal', 'many.jsonl')).size / 2 ** 20,
    'resume: journal opened and read, ms': resumed.open,
    'resume: all steps answered, ms': resumed.total,
    'resume: processor time of that, ms': resumed.processor,
    'one step run and recorded, ms (median)': quantile(live, 0.5),
    'one step answered, ms (median)': quantile(cached, 0.5),
    'one step answered, ms (95th percentile)': quantile(cached, 0.95),
  };
  for (const [name, value] of Object.entries(results)) console.log(`  ${name.padEnd(44)}${round(value)}`);
  if (values.json)
    writeFileSync(values.json, `${JSON.stringify({ node: process.version, steps, results }, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
