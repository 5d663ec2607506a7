// What is aimed at, as data, and how a run compares.
//
// `times`: that many times better than another contender, for times as for rates. `factor`: at most that many times what
// another contender takes, or what the same one takes in the scenario `inScenario`. `most`: an absolute bound. Medians, unless
// `statistic` says p95 or max. `of` is the group containment of argv-spawn unless it is named.
//
// Beside a ratio stands what the C program reaches in the same comparison (`limit`), which is about what there is to reach.

import { timesBetter } from './statistics.mjs';
import { SCENARIOS } from './scenarios/index.mjs';
import { round } from './statistics.mjs';

const GROUP = 'argv-spawn (group)';
const TREE = 'argv-spawn';
const NODE = 'child_process';
const C = 'C posix_spawn';
const start = { metric: 'exit_ms' };
const call = { metric: 'call_us' };

export const TARGETS = [
  { part: 'Start to exit', scenario: 'latency-60mb', ...start, than: NODE, times: 3.2 },
  { part: 'Start to exit', scenario: 'latency-1gb', ...start, than: NODE, times: 10 },
  { part: 'Start to exit', scenario: 'latency-4gb', ...start, than: NODE, times: 28 },
  { part: 'Start to exit', scenario: 'latency-4gb', ...start, inScenario: 'latency-60mb', factor: 1.15 },
  { part: 'Start to exit', scenario: 'latency-60mb', ...start, than: 'Bun', times: 1.15 },
  { part: 'Start to exit', scenario: 'latency-60mb', ...start, than: 'Deno', times: 1.15 },
  { part: 'Start to exit', scenario: 'latency-60mb', ...start, than: C, factor: 1.08 },
  { part: 'Start to exit', scenario: 'latency-60mb', ...start, of: TREE, than: GROUP, factor: 1.35 },

  { part: 'Main thread', scenario: 'latency-60mb', ...call, most: 40 },
  { part: 'Main thread', scenario: 'latency-60mb', ...call, statistic: 'p95', most: 100 },
  { part: 'Main thread', scenario: 'latency-1gb', ...call, most: 40 },
  { part: 'Main thread', scenario: 'latency-4gb', ...call, most: 40 },
  { part: 'Main thread', scenario: 'latency-60mb', ...call, than: NODE, times: 240 },
  { part: 'Main thread', scenario: 'latency-1gb', ...call, than: NODE, times: 1000 },
  { part: 'Main thread', scenario: 'gap-60mb', metric: 'gap_us', than: NODE, times: 90 },
  { part: 'Main thread', scenario: 'gap-60mb', metric: 'gap_us', than: 'Bun', times: 7 },

  { part: 'Blocking call', scenario: 'blocking-60mb', ...start, than: NODE, times: 3.2 },
  { part: 'Blocking call', scenario: 'blocking-1gb', ...start, than: NODE, times: 13 },
  { part: 'Blocking call', scenario: 'blocking-60mb', ...start, than: 'Bun', times: 1.1 },

  { part: 'Starts per second', scenario: 'rate-8', metric: 'starts_per_s', than: NODE, times: 4.2 },
  { part: 'Starts per second', scenario: 'rate-64', metric: 'starts_per_s', than: NODE, times: 4.6 },
  { part: 'Starts per second', scenario: 'rate-8', metric: 'starts_per_s', than: 'Bun', times: 1.05 },
  { part: 'Starts per second', scenario: 'rate-64', metric: 'starts_per_s', than: 'Bun', times: 1.05 },
  { part: 'Starts per second', scenario: 'rate-8', metric: 'starts_per_s', than: 'Rust', times: 1.05 },
  { part: 'Starts per second', scenario: 'rate-64', metric: 'starts_per_s', than: 'Rust', times: 1.05 },
  { part: 'Starts per second', scenario: 'rate-8', metric: 'host_cpu_us', than: NODE, times: 28 },
  { part: 'Starts per second', scenario: 'rate-8', metric: 'host_cpu_us', than: 'Bun', times: 2 },

  { part: 'Output', scenario: 'capture-256mib', metric: 'mib_per_s', than: NODE, times: 25 },
  { part: 'Output', scenario: 'capture-256mib', metric: 'main_cpu_ms', than: NODE, times: 300 },
  { part: 'Output', scenario: 'capture-256mib', metric: 'peak_ratio', most: 1.02 },
  { part: 'Output', scenario: 'discard-count', metric: 'mib_per_s', than: NODE, times: 2.5 },
  { part: 'Output', scenario: 'discard-head', metric: 'mib_per_s', than: NODE, times: 2.5 },
  { part: 'Output', scenario: 'discard-tail', metric: 'mib_per_s', than: NODE, times: 2.5 },
  { part: 'Output', scenario: 'discard-count', metric: 'peak_mib', most: 1.2 },
  { part: 'Output', scenario: 'discard-head', metric: 'peak_mib', most: 1.2 },
  { part: 'Output', scenario: 'discard-tail', metric: 'peak_mib', most: 1.2 },
  { part: 'Output', scenario: 'writes', metric: 'mib_per_s', than: NODE, times: 1.7 },
  { part: 'Output', scenario: 'writes', metric: 'host_cpu_ms', than: NODE, times: 10 },

  { part: 'stdin', scenario: 'stdin-sink', metric: 'mib_per_s', than: NODE, times: 1.6 },
  { part: 'stdin', scenario: 'stdin-echo', metric: 'mib_per_s', than: NODE, times: 20 },

  { part: 'Tree', scenario: 'tree', of: TREE, metric: 'left', statistic: 'max', most: 0 },
  { part: 'Tree', scenario: 'tree', of: TREE, metric: 'gone_ms', statistic: 'max', most: 45 },

  { part: '500 alive', scenario: 'alive', metric: 'busy_ms', most: 25 },
  { part: '500 alive', scenario: 'alive', metric: 'native_kib', most: 2 },
  { part: '500 alive', scenario: 'alive', metric: 'descriptors', most: 4 },
  { part: '500 alive', scenario: 'alive', metric: 'threads', most: 8 },

  { part: 'Load', scenario: 'load', of: TREE, metric: 'over_empty_ms', most: 4 },
  { part: 'Load', scenario: 'load', of: TREE, metric: 'binaries_kb', most: 150 },
].map((target) => ({ of: GROUP, statistic: 'p50', ...target }));

/** Where the C program does the same work. */
const LIMITED = new Set([
  ...['latency-60mb', 'latency-1gb', 'latency-4gb', 'rate-8', 'rate-64'],
  ...['capture-256mib', 'writes', 'discard-count', 'stdin-sink', 'stdin-echo'],
]);

/** Scenario -> the contenders that its targets are about, and the limit. */
export function neededForTargets() {
  const needed = new Map();
  for (const { scenario, inScenario, of, than } of TARGETS) {
    for (const name of [scenario, inScenario].filter(Boolean)) {
      if (!needed.has(name)) needed.set(name, new Set(LIMITED.has(name) ? [C] : []));
      for (const contender of [of, than].filter(Boolean)) needed.get(name).add(contender);
    }
  }
  return needed;
}

/** What a target demands, in words. */
function describeTarget({ scenario, metric, statistic, of, than, times, factor, inScenario, most }) {
  const { title, metrics } = SCENARIOS[scenario];
  const { title: what, unit } = metrics[metric];
  const who = of === GROUP ? '' : `${of}, `;
  const which = `${who}${title}: ${what}${statistic === 'p50' ? '' : `, ${statistic}`}`;
  if (times) return { which, bound: `at least ${times}x ${than}` };
  if (most !== undefined) return { which, bound: `at most ${most} ${unit}`.trim() };
  return { which, bound: `at most ${factor}x ${inScenario ? SCENARIOS[inScenario].title : than}` };
}

/** @returns the number that the bound is about and whether it holds, with what it was made of, and the limit's. */
function evaluate({ scenario, metric, statistic, of, than, times, factor, inScenario, most }, scenarios) {
  const find = (name, contender) => {
    const entry = scenarios.find((one) => one.name === name)?.entries.find((one) => one.contender === contender);
    return entry?.metrics[metric]?.[statistic];
  };
  const ours = find(scenario, of);
  const other = than ? find(scenario, than) : inScenario ? find(inScenario, of) : undefined;
  if (ours === undefined || (most === undefined && other === undefined)) return { measured: null, met: null };
  if (most !== undefined) return { ours, measured: ours, met: ours <= most };
  const compare = (value) => (times ? timesBetter(SCENARIOS[scenario].metrics[metric], value, other) : value / other);
  const measured = compare(ours);
  // The call of the C program is the start itself, which it waits for.
  const inC = of === GROUP && than && than !== C && metric !== call.metric ? find(scenario, C) : undefined;
  const limit = inC === undefined ? {} : { limit: compare(inC) };
  return { ours, other, measured, met: times ? measured >= times : measured <= factor, ...limit };
}

/** Every target with what was measured, or with null where it was not. */
export const compareTargets = (scenarios) =>
  TARGETS.map((target) => ({ ...target, ...describeTarget(target), ...evaluate(target, scenarios) }));

/** The measured number in words: a ratio with the two values, or one value. */
export function describeMeasured({ scenario, metric, ours, other, measured }) {
  if (measured === null) return 'not measured';
  const { unit } = SCENARIOS[scenario].metrics[metric];
  if (other === undefined) return `${round(ours)} ${unit}`.trim();
  return `${round(measured)}x (${round(ours)} to ${round(other)} ${unit})`.replace(' )', ')');
}

/** What the C program reaches in the same comparison, in words; empty where it has no part in it. */
export const describeLimit = ({ limit }) => (limit === undefined ? '' : `${round(limit)}x`);
