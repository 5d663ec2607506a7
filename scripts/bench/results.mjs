// The committed results: results/latest.json, what is made of it, and a run of another machine to compare it with.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as prettier from 'prettier';
import { drawChart } from './chart.mjs';
import { replaceSection, writeSection } from './readme.mjs';
import { SCENARIOS } from './scenarios/index.mjs';
import { compareTargets } from './targets.mjs';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const FOLDER = path('results');
const LATEST = path('results/latest.json');
const OTHER = path('results/other-machine.json');
const CHART = path('results/chart.svg');
const README = path('../../README.md');

const readResults = (file) => JSON.parse(readFileSync(file, 'utf8'));

export const readLatest = () => (existsSync(LATEST) ? readResults(LATEST) : null);

/** Scenarios of `newer` in the place of those of `older`; targets are compared, and all is worded, anew. */
export function mergeResults(older, newer) {
  const all = [...(older?.scenarios ?? []), ...newer.scenarios];
  const scenarios = Object.keys(SCENARIOS)
    .map((name) => all.findLast((one) => one.name === name))
    .filter(Boolean)
    .map((one) => ({ ...one, title: SCENARIOS[one.name].title, metrics: SCENARIOS[one.name].metrics }));
  return { ...older, ...newer, scenarios, targets: compareTargets(scenarios) };
}

/** The README with the section of these results, as prettier wants it. */
export async function renderReadme(readme, results) {
  const config = await prettier.resolveConfig(README);
  const section = writeSection(results, mergeResults(null, readResults(OTHER)));
  return prettier.format(replaceSection(readme, section), { ...config, parser: 'markdown' });
}

export async function writeLatest(results) {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(LATEST, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(CHART, drawChart(results));
  writeFileSync(README, await renderReadme(readFileSync(README, 'utf8'), results));
}
