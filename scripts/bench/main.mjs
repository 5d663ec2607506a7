// Compares argv-spawn with node:child_process. Every round runs every contender in a process of its own, in random
// order; the table has medians over all samples, their 95th percentile, and the ratio to node:child_process.
//
// usage: npm run bench -- [--rounds N] [--short] [--scenario NAME] [--contender NAME] [--json FILE]
//
// Times differ between machines, and here between hours: only ratios inside one run mean anything.

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { BASELINE, CONTENDERS } from './contenders.mjs';
import { SCENARIOS } from './scenarios.mjs';
import { quantile, round, shuffle } from './statistics.mjs';

const ONE = fileURLToPath(new URL('one.mjs', import.meta.url));

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    short: { type: 'boolean', default: false },
    scenario: { type: 'string', multiple: true, default: Object.keys(SCENARIOS) },
    contender: { type: 'string', multiple: true, default: Object.keys(CONTENDERS) },
    json: { type: 'string' },
  },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number from 1');
for (const name of values.scenario) if (!SCENARIOS[name]) throw new Error(`no scenario '${name}'`);
for (const name of values.contender) if (!CONTENDERS[name]) throw new Error(`no contender '${name}'`);

async function measure(scenario, contender) {
  const args = [ONE, scenario, contender, values.short ? 'short' : 'full'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout);
}

/** metric -> contender -> samples */
async function runScenario(scenario) {
  const found = new Map();
  for (let i = 0; i < rounds; i++) {
    for (const contender of shuffle(values.contender)) {
      for (const [metric, samples] of Object.entries(await measure(scenario, contender))) {
        if (!found.has(metric)) found.set(metric, new Map());
        const lists = found.get(metric);
        lists.set(contender, [...(lists.get(contender) ?? []), ...samples]);
      }
    }
  }
  return found;
}

const results = [];
console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model}, kernel ${release()}, ${rounds} rounds`);
console.log(`ratio: how many times less than ${BASELINE}; higher is better\n`);
for (const scenario of values.scenario) {
  for (const [metric, lists] of await runScenario(scenario)) {
    console.log(`${scenario}: ${metric}`);
    const baseline = lists.has(BASELINE) ? quantile(lists.get(BASELINE), 0.5) : undefined;
    for (const contender of values.contender) {
      const samples = lists.get(contender);
      const [median, p95] = [quantile(samples, 0.5), quantile(samples, 0.95)];
      const ratio = baseline === undefined ? null : baseline / median;
      results.push({ scenario, metric, contender, median, p95, ratio, samples: samples.length });
      const cells = [round(median).padStart(9), round(p95).padStart(9), ratio === null ? '' : `${round(ratio)}x`];
      console.log(`  ${contender.padEnd(20)} median ${cells[0]}  p95 ${cells[1]}  ${cells[2]}`);
    }
    console.log('');
  }
}
if (values.json) writeFileSync(values.json, `${JSON.stringify({ node: process.version, rounds, results }, null, 2)}\n`);
