// Compares argv-spawn with its peers and with what C reaches on this machine.
//
// usage: npm run bench -- [--scenario NAME]... [--contender NAME]... [--rounds N] [--quick] [--rt]
//                         [--json FILE] [--list]
//
// A scenario is meant by its name (latency-60mb), the part before the dash (latency) or its letter (A). Every round
// runs every contender in a process of its own, in random order. --rt runs them under SCHED_RR (root), which keeps other
// work of the machine out of the numbers. --quick does each scenario once and tiny: it shows that it works, no more.
//
// Times differ between machines, and between hours: only ratios inside one run mean anything.

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { BASELINE, CONTENDERS } from './contenders/index.mjs';
import { describeMachine } from './machine.mjs';
import { compileHelpers } from './peers.mjs';
import { describe, scenarioText } from './report.mjs';
import { runScenario } from './rounds.mjs';
import { SCENARIOS, selectScenarios } from './scenarios/index.mjs';

function readOptions() {
  const { values } = parseArgs({
    options: {
      scenario: { type: 'string', multiple: true, default: Object.keys(SCENARIOS) },
      contender: { type: 'string', multiple: true, default: Object.keys(CONTENDERS) },
      rounds: { type: 'string', default: '5' },
      quick: { type: 'boolean', default: false },
      rt: { type: 'boolean', default: false },
      json: { type: 'string' },
      list: { type: 'boolean', default: false },
    },
  });
  const rounds = values.quick ? 1 : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number from 1');
  for (const name of values.contender) {
    if (!CONTENDERS[name]) throw new Error(`no contender '${name}'; there are ${Object.keys(CONTENDERS).join(', ')}`);
  }
  if (values.rt && process.getuid?.() !== 0) throw new Error('--rt needs root: it sets SCHED_RR');
  return { ...values, rounds, scenarios: [...new Set(values.scenario.flatMap(selectScenarios))] };
}

async function measure(options) {
  const scenarios = [];
  const { quick, rounds, rt: realtime } = options;
  const onProgress = process.stderr.isTTY ? (...what) => process.stderr.write(`\r\x1b[K${what.join(' ')}`) : undefined;
  for (const name of options.scenarios) {
    const found = await runScenario(name, options.contender, { rounds, quick, realtime, onProgress });
    if (onProgress) process.stderr.write('\r\x1b[K');
    scenarios.push(describe(name, found));
    console.log(scenarioText(scenarios.at(-1)));
  }
  return { machine: describeMachine(), options: { rounds, quick, realtime }, scenarios };
}

async function main() {
  const options = readOptions();
  if (options.list) {
    for (const [name, { letter, title }] of Object.entries(SCENARIOS))
      console.log(`${letter.padEnd(3)}${name.padEnd(16)}${title}`);
    console.log(`\ncontenders: ${Object.keys(CONTENDERS).join(', ')}`);
    return;
  }
  compileHelpers();
  const { node, cpus, model, kernel, memoryGiB, load } = describeMachine();
  console.log(`Node ${node}, ${cpus} x ${model}, ${memoryGiB} GiB, Linux ${kernel}, load ${load}`);
  console.log(`${options.rounds} rounds${options.rt ? ', SCHED_RR' : ''}; x: how many times better than ${BASELINE}\n`);
  const results = await measure(options);
  if (options.json) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
  const failed = results.scenarios.flatMap(({ entries }) => entries.filter((one) => one.failed));
  if (failed.length > 0) process.exitCode = 1;
}

main().catch((error) => {
  console.error(`bench: ${error.message}`);
  process.exitCode = 2;
});
