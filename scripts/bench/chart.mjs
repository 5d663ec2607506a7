// The chart of a run: one panel for each question, horizontal bars on a linear scale, the number beside each bar.

import { round } from './statistics.mjs';

const WIDTH = 960;
const COLUMNS = 2;
const MARGIN = 20;
const BAR = 18;
const HEAD = 46;
const LABEL = 150;
const NUMBER = 60;
const COLOURS = { ours: '#1a7f5a', limit: '#8a8f98', other: '#4c78a8' };

const PANELS = [
  { scenario: 'latency-60mb', metric: 'exit_ms' },
  { scenario: 'latency-1gb', metric: 'exit_ms' },
  { scenario: 'latency-60mb', metric: 'call_us' },
  { scenario: 'latency-1gb', metric: 'call_us' },
  { scenario: 'rate-8', metric: 'starts_per_s' },
  { scenario: 'rate-8', metric: 'host_cpu_us' },
  { scenario: 'capture-256mib', metric: 'mib_per_s' },
  { scenario: 'discard-count', metric: 'mib_per_s' },
];

const escape = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

function colourOf(contender) {
  if (contender.startsWith('argv-spawn')) return COLOURS.ours;
  return contender.startsWith('C ') ? COLOURS.limit : COLOURS.other;
}

function text(x, y, content, more = '') {
  return `<text x="${x}" y="${y}" ${more}>${escape(content)}</text>`;
}

function panel({ title, metric, bars }, x, y, width) {
  const room = width - LABEL - NUMBER;
  const longest = Math.max(...bars.map(({ value }) => value));
  const better = metric.more ? 'more is better' : 'less is better';
  const rows = bars.flatMap(({ contender, value }, i) => {
    const top = y + HEAD + i * BAR;
    const length = Math.max(1, (value / longest) * room).toFixed(1);
    return [
      text(x + LABEL - 8, top + 12, contender, 'text-anchor="end"'),
      `<rect x="${x + LABEL}" y="${top + 2}" width="${length}" height="${BAR - 5}" fill="${colourOf(contender)}"/>`,
      text((x + LABEL + Number(length) + 6).toFixed(1), top + 12, round(value)),
    ];
  });
  return [
    text(x, y + 14, title, 'font-weight="bold"'),
    text(x, y + 32, `${metric.title}, ${metric.unit}; ${better}`, 'fill="#555"'),
    ...rows,
  ];
}

const height = ({ bars }) => HEAD + bars.length * BAR + 24;

/** @param results - as written to the JSON file. @returns an SVG document. */
export function drawChart({ machine, scenarios }) {
  const panels = PANELS.flatMap(({ scenario, metric }) => {
    const found = scenarios.find((one) => one.name === scenario);
    const bars = (found?.entries ?? [])
      .filter(({ metrics }) => metrics[metric])
      .map(({ contender, metrics }) => ({ contender, value: metrics[metric].p50 }));
    return bars.length === 0 ? [] : [{ title: found.title, metric: found.metrics[metric], bars }];
  });
  const width = (WIDTH - MARGIN * (COLUMNS + 1)) / COLUMNS;
  const parts = [];
  let y = MARGIN;
  for (let i = 0; i < panels.length; i += COLUMNS) {
    const row = panels.slice(i, i + COLUMNS);
    row.forEach((one, column) => parts.push(...panel(one, MARGIN + column * (width + MARGIN), y, width)));
    y += Math.max(...row.map(height));
  }
  const where = `medians; Node ${machine.node}, ${machine.cpus} x ${machine.model}, Linux ${machine.kernel}, ${machine.date}`;
  parts.push(text(MARGIN, y + 10, where, 'fill="#555"'));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y + 30}" viewBox="0 0 ${WIDTH} ${y + 30}"`,
    ' font-family="system-ui, sans-serif" font-size="12" fill="#111">',
    `<rect width="${WIDTH}" height="${y + 30}" fill="#fff"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}
