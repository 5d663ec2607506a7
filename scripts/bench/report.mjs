// What a run found, as one object (which is also the JSON file), and as tables of text.

import { BASELINE } from './contenders/index.mjs';
import { SCENARIOS } from './scenarios/index.mjs';
import { round, summarize, timesBetter } from './statistics.mjs';
import { describeLimit, describeMeasured } from './targets.mjs';

/** The found of one scenario, with summaries in the place of samples. */
export function describe(name, found) {
  const { letter, title, metrics } = SCENARIOS[name];
  const entries = found.map(({ contender, rounds, absent, failed }) => ({
    contender,
    absent,
    failed,
    metrics: Object.fromEntries(
      Object.keys(metrics)
        .map((metric) => [metric, rounds.map((one) => one[metric] ?? []).filter((samples) => samples.length > 0)])
        .filter(([, lists]) => lists.length > 0)
        .map(([metric, lists]) => [metric, summarize(lists)]),
    ),
  }));
  return { name, letter, title, metrics, entries };
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => [...row[column]].length)));
  const pad = (text, width, column) => {
    const space = ' '.repeat(width - [...text].length);
    return column === 0 ? text + space : space + text;
  };
  return rows.map((row) => `  ${row.map((text, i) => pad(text, widths[i], i)).join('  ')}`.trimEnd()).join('\n');
}

function metricTable(metric, name, entries) {
  const having = entries.filter(({ metrics }) => metrics[name]);
  const baseline = having.find(({ contender }) => contender === BASELINE)?.metrics[name].p50;
  const rows = having.map(({ contender, metrics: { [name]: found } }) => [
    contender,
    round(found.p50),
    found.samples > found.rounds ? round(found.p95) : '',
    `${round(found.low)}..${round(found.high)}`,
    baseline > 0 && found.p50 > 0 ? `${round(timesBetter(metric, found.p50, baseline))}x` : '',
  ]);
  return table([['', 'median', 'p95', 'medians of rounds', baseline > 0 ? 'x' : ''], ...rows]);
}

/** The tables of one scenario. */
export function scenarioText({ name, letter, title, metrics, entries }) {
  const lines = [`${letter} ${name}: ${title}`];
  for (const [key, metric] of Object.entries(metrics)) {
    if (entries.some((one) => one.metrics[key])) {
      lines.push(` ${metric.title}, ${metric.unit}`, metricTable(metric, key, entries));
    }
  }
  for (const { contender, absent, failed } of entries) {
    if (absent) lines.push(`  ${contender}: ${absent}`);
    if (failed) lines.push(`  ${contender}: FAILED: ${failed}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Every measured target with its number. */
export function targetsText(targets) {
  const measured = targets.filter(({ met }) => met !== null);
  if (measured.length === 0) return '';
  const rows = measured.map((target) => [
    `${target.which}: ${target.bound}`,
    describeMeasured(target),
    target.limit === undefined ? '' : `C ${describeLimit(target)}`,
    target.met ? 'met' : 'NOT MET',
  ]);
  const met = measured.filter((one) => one.met).length;
  const rest = targets.length - measured.length;
  return `targets: ${met} of ${measured.length} are met${rest > 0 ? `, ${rest} not measured` : ''}\n${table(rows)}\n`;
}
