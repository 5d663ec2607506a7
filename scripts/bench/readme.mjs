// The part of the README that a run writes: every target with its measured ratio, and what the others reach.

import { BASELINE } from './contenders/index.mjs';
import { round, timesBetter } from './statistics.mjs';
import { describeLimit, describeMeasured } from './targets.mjs';

const BEGIN = '<!-- bench:begin -->';
const END = '<!-- bench:end -->';

/** Rows of the comparison: what is shown of each contender. */
const SHOWN = [
  { scenario: 'latency-60mb', metric: 'exit_ms' },
  { scenario: 'latency-1gb', metric: 'exit_ms' },
  { scenario: 'latency-4gb', metric: 'exit_ms' },
  { scenario: 'latency-60mb', metric: 'call_us' },
  { scenario: 'latency-1gb', metric: 'call_us' },
  { scenario: 'blocking-60mb', metric: 'exit_ms' },
  { scenario: 'rate-8', metric: 'starts_per_s' },
  { scenario: 'rate-64', metric: 'starts_per_s' },
  { scenario: 'rate-8', metric: 'host_cpu_us' },
  { scenario: 'burst', metric: 'gap_ms' },
  { scenario: 'capture-256mib', metric: 'mib_per_s' },
  { scenario: 'capture-1gib', metric: 'mib_per_s' },
  { scenario: 'discard-tail', metric: 'mib_per_s' },
  { scenario: 'writes', metric: 'mib_per_s' },
  { scenario: 'stdin-sink', metric: 'mib_per_s' },
  { scenario: 'stdin-echo', metric: 'mib_per_s' },
  { scenario: 'tree', metric: 'left' },
  { scenario: 'tree', metric: 'gone_ms' },
  { scenario: 'alive', metric: 'busy_ms' },
  { scenario: 'load', metric: 'over_empty_ms' },
  { scenario: 'load', metric: 'installed_kib' },
];
const COLUMNS = [BASELINE, 'execa', 'Bun', 'Deno', 'Rust', 'C posix_spawn', 'argv-spawn', 'argv-spawn (group)'];

const row = (cells) => `| ${cells.join(' | ')} |`;
const markdown = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

const describeMet = ({ met }) => (met === null ? '' : met ? 'yes' : '**no**');

/** @param elsewhere - the same targets, in the same order, as another machine met them. */
function targetTable(targets, elsewhere) {
  const rows = targets.map((target, i) => [
    target.part,
    target.which,
    target.bound,
    describeMeasured(target),
    describeLimit(target),
    describeMet(target),
    describeMeasured(elsewhere[i]),
    describeMet(elsewhere[i]),
  ]);
  return markdown(['', 'What', 'Target', 'Measured', 'C', 'Met', 'Other machine', 'Met'], rows);
}

function comparison(scenarios) {
  const rows = SHOWN.flatMap(({ scenario, metric }) => {
    const found = scenarios.find((one) => one.name === scenario);
    if (!found) return [];
    const { title, unit } = found.metrics[metric];
    const cells = COLUMNS.map((contender) => {
      const value = found.entries.find((one) => one.contender === contender)?.metrics[metric];
      return value ? round(value.p50) : '';
    });
    return [[`${found.title}: ${title}${unit ? `, ${unit}` : ''}`, ...cells]];
  });
  return markdown(['', ...COLUMNS], rows);
}

/** A metric, and those who are better in it than the best of ours; said outright, not left to be found. */
function others(scenarios) {
  const lines = [];
  for (const { title, metrics, entries } of scenarios) {
    for (const [key, metric] of Object.entries(metrics)) {
      const having = entries.filter((one) => one.metrics[key]);
      const byValue = (a, b) => (metric.more ? -1 : 1) * (a.metrics[key].p50 - b.metrics[key].p50);
      const isOurs = ({ contender }) => contender.startsWith('argv-spawn');
      const best = having.filter(isOurs).sort(byValue)[0];
      if (!best) continue;
      const ahead = having.filter((one) => !isOurs(one) && byValue(one, best) < 0).sort(byValue);
      if (ahead.length === 0) continue;
      const show = ({ contender, metrics: found }) => `${contender} ${round(found[key].p50)}`;
      lines.push(
        `- ${title}: ${metric.title}${metric.unit ? `, ${metric.unit}` : ''}: ${show(best)}; ${ahead.map(show).join(', ')}`,
      );
    }
  }
  return lines.join('\n');
}

/** Where the default is behind child_process, though the process group may be ahead. */
function defaultBehind(scenarios) {
  const lines = [];
  for (const { title, metrics, entries } of scenarios) {
    for (const [key, metric] of Object.entries(metrics)) {
      const of = (contender) => entries.find((one) => one.contender === contender)?.metrics[key]?.p50;
      const [value, baseline] = [of('argv-spawn'), of(BASELINE)];
      if (value === undefined || baseline === undefined || value === baseline) continue;
      if (timesBetter(metric, value, baseline) >= 1) continue;
      const unit = metric.unit ? `, ${metric.unit}` : '';
      lines.push(`- ${title}: ${metric.title}${unit}: argv-spawn ${round(value)}; ${BASELINE} ${round(baseline)}`);
    }
  }
  return lines.join('\n');
}

function describeRun({ machine, options, scenarios }) {
  const commits = [...new Set(scenarios.map(({ commit }) => commit))];
  return (
    `Node ${machine.node}, ${machine.cpus} x ${machine.model}, ${machine.memoryGiB} GiB, Linux ${machine.kernel}, ` +
    `${machine.date}, commit ${commits.join(' and ')}, ${options.rounds} rounds at most` +
    `${options.realtime ? ', SCHED_RR' : ''}.`
  );
}

function countMet(targets) {
  const measured = targets.filter(({ met }) => met !== null);
  return `${measured.filter(({ met }) => met).length} of ${measured.length}`;
}

/**
 * @param results - as written to the JSON file.
 * @param other - the same of another machine; the targets of both are today's.
 */
export function writeSection(results, other) {
  const { scenarios, targets } = results;
  return [
    describeRun(results),
    `On the right, another virtual machine: ${describeRun(other)}`,
    `${countMet(targets)} measured targets are met, ${countMet(other.targets)} on the other machine; the list has ` +
      `${targets.length}. Under C is what a C program with posix_spawn reaches in the same comparison ` +
      `(\`scripts/bench/limit\`): about what there is to reach.`,
    targetTable(targets, other.targets),
    '### The contenders',
    comparison(scenarios),
    '### Where others are ahead',
    'Of the best of ours in this run, whoever it is; nothing that is listed is corrected for noise.',
    others(scenarios) || 'Nowhere.',
    `The default, \`argv-spawn\`, behind ${BASELINE}:`,
    defaultBehind(scenarios) || 'Nowhere.',
  ].join('\n\n');
}

/** Puts the section between the two markers. */
export function replaceSection(readme, section) {
  const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the README has no ${BEGIN} before a ${END}`);
  return `${readme.slice(0, begin + BEGIN.length)}\n\n${section}\n\n${readme.slice(end)}`;
}
