// Compares argv-spawn with its peers and with what C reaches on this machine.
//
// usage: npm run bench -- [--scenario NAME]... [--contender NAME]... [--targets] [--rounds N] [--rt] [--quick]
//                         [--json FILE] [--chart FILE] [--update] [--render] [--list]
//
// --scenario   its name (latency-60mb), the part of it before the dash (latency), or its letter (A)
// --targets    only what the targets of targets.mjs compare
// --rt         contenders run under SCHED_RR (root), which keeps other work of the machine out of the numbers
// --quick      each scenario once and tiny: shows that it works, no more
// --update     rewrites results/latest.json, results/chart.svg and the README's section. Scenarios that were not run
//              keep their earlier numbers, with their commit
// --render     the last three again from results/latest.json, without measuring
//
// Every round runs every contender in a process of its own, in random order; those that no target of the
// scenario is about in the first round only. Times differ between machines, and between
// hours: only ratios inside one run mean anything. Exit code 1: a contender broke off.

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { BASELINE, CONTENDERS } from './contenders/index.mjs';
import { drawChart } from './chart.mjs';
import { describeMachine } from './machine.mjs';
import { compileHelpers } from './peers.mjs';
import { mergeResults, readLatest, writeLatest } from './results.mjs';
import { describe, scenarioText, targetsText } from './report.mjs';
import { runScenario } from './rounds.mjs';
import { SCENARIOS, selectScenarios } from './scenarios/index.mjs';
import { compareTargets, neededForTargets } from './targets.mjs';

function readOptions() {
  const { values } = parseArgs({
    options: {
      scenario: { type: 'string', multiple: true },
      contender: { type: 'string', multiple: true },
      targets: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '5' },
      quick: { type: 'boolean', default: false },
      rt: { type: 'boolean', default: false },
      json: { type: 'string' },
      chart: { type: 'string' },
      update: { type: 'boolean', default: false },
      render: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
    },
  });
  const rounds = values.quick ? 1 : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number from 1');
  for (const name of values.contender ?? []) {
    if (!CONTENDERS[name]) throw new Error(`no contender '${name}'; there are ${Object.keys(CONTENDERS).join(', ')}`);
  }
  if (values.rt && process.getuid?.() !== 0) throw new Error('--rt needs root: it sets SCHED_RR');
  if (values.update && values.quick) throw new Error('--update takes no --quick: its numbers say nothing');
  return { ...values, rounds };
}

/** Scenario -> contenders. */
function plan({ scenario, contender, targets }) {
  const needed = targets ? neededForTargets() : null;
  const names = [...new Set((scenario ?? Object.keys(SCENARIOS)).flatMap(selectScenarios))];
  const all = contender ?? Object.keys(CONTENDERS);
  return names
    .filter((name) => !needed || needed.has(name))
    .map((name) => [name, all.filter((one) => !needed || needed.get(name).has(one))]);
}

async function measure(options) {
  const scenarios = [];
  const { quick, rounds, rt: realtime } = options;
  const show = (text) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${text}`);
  const onProgress = (scenario, contender, round) => show(`${scenario}, ${contender}, round ${round + 1}`);
  for (const [name, contenders] of plan(options)) {
    const { commit, load } = describeMachine();
    const found = await runScenario(name, contenders, { rounds, quick, realtime, onProgress });
    show('');
    scenarios.push({ ...describe(name, found), commit, load });
    console.log(scenarioText(scenarios.at(-1)));
    if (options.update) await writeLatest(mergeResults(readLatest(), resultsOf(options, scenarios)));
  }
  return resultsOf(options, scenarios);
}

const resultsOf = ({ quick, rounds, rt: realtime }, scenarios) => ({
  machine: describeMachine(),
  options: { rounds, quick, realtime },
  scenarios,
  targets: compareTargets(scenarios),
});

function list() {
  for (const [name, { letter, title }] of Object.entries(SCENARIOS)) {
    console.log(`${letter.padEnd(4)}${name.padEnd(17)}${title}`);
  }
  console.log(`\ncontenders: ${Object.keys(CONTENDERS).join(', ')}`);
}

async function main() {
  const options = readOptions();
  if (options.list) return list();
  if (options.render) return writeLatest(mergeResults(readLatest(), { scenarios: [] }));
  plan(options);
  compileHelpers();
  const { node, cpus, model, kernel, memoryGiB, load } = describeMachine();
  console.log(`Node ${node}, ${cpus} x ${model}, ${memoryGiB} GiB, Linux ${kernel}, load ${load}`);
  console.log(`${options.rounds} rounds${options.rt ? ', SCHED_RR' : ''}; x: how many times better than ${BASELINE}\n`);
  const results = await measure(options);
  if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
  if (options.chart) writeFileSync(options.chart, drawChart(results));
  if (!options.quick) console.log(targetsText(results.targets));
  if (results.scenarios.some(({ entries }) => entries.some((one) => one.failed))) process.exitCode = 1;
}

main().catch((error) => {
  console.error(`bench: ${error.message}`);
  process.exitCode = 2;
});
