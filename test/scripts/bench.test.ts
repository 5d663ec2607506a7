// The benchmark: every scenario once and tiny, its refusals, and that the README says what the committed results say.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import { makeFolder } from '../helpers/folder.ts';

const BENCH = new URL('../../scripts/bench/', import.meta.url);
const path = (name: string): string => fileURLToPath(new URL(name, BENCH));
const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

interface Summary {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
  readonly low: number;
  readonly high: number;
  readonly rounds: number;
  readonly samples: number;
}

interface Entry {
  readonly contender: string;
  readonly absent: string | null;
  readonly failed: string | null;
  readonly metrics: Readonly<Record<string, Summary>>;
}

interface Scenario {
  readonly name: string;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly entries: readonly Entry[];
}

interface Target {
  readonly scenario: string;
  readonly metric: string;
  readonly of: string;
  readonly than?: string;
  readonly times?: number;
  readonly factor?: number;
  readonly most?: number;
  readonly inScenario?: string;
  readonly statistic: 'p50' | 'p95' | 'max';
  readonly measured: number | null;
  readonly met: boolean | null;
}

interface Results {
  readonly scenarios: readonly Scenario[];
  readonly targets: readonly Target[];
}

const bench = (...args: string[]) => run([process.execPath, path('main.mjs'), ...args]);
const load = async (name: string): Promise<unknown> => import(new URL(name, BENCH).href);

function expectValid(results: unknown): Results {
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(
    readJson(path('results.schema.json')) as object,
  );
  expect(validate(results), JSON.stringify(validate.errors)).toBe(true);
  return results as Results;
}

/** Elements of an SVG document by name, counted by a parser that refuses what is not well formed. */
async function countElements(file: string): Promise<Record<string, number>> {
  const script =
    'import sys, json, collections, xml.etree.ElementTree as e;' +
    'print(json.dumps(collections.Counter(x.tag.split("}")[1] for x in e.parse(sys.argv[1]).iter())))';
  const { stdout } = await run(['python3', '-c', script, file], { check: true });
  return JSON.parse(stdout) as Record<string, number>;
}

const CONTENDERS = ['child_process', 'C posix_spawn', 'argv-spawn', 'argv-spawn (group)'];

describe('a quick run', () => {
  test('measures every scenario with child_process, C and ours', { timeout: 180_000 }, async () => {
    const folder = makeFolder();
    const [json, chart] = [join(folder, 'results.json'), join(folder, 'chart.svg')];
    const chosen = CONTENDERS.flatMap((name) => ['--contender', name]);
    const { code, stderr } = await bench('--quick', ...chosen, '--json', json, '--chart', chart);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });

    const { scenarios } = expectValid(readJson(json));
    expect(scenarios.length).toBeGreaterThanOrEqual(20);
    for (const { name, metrics, entries } of scenarios) {
      expect(
        entries.map((one) => one.contender),
        name,
      ).toEqual(CONTENDERS);
      for (const { contender, absent, metrics: found } of entries) {
        const what = `${name}, ${contender}`;
        expect(Object.keys(found).length > 0, what).toBe(absent === null);
        for (const [metric, { p50, low, high }] of Object.entries(found)) {
          expect(metrics, what).toHaveProperty(metric);
          expect(low <= p50 && p50 <= high, `${what}, ${metric}`).toBe(true);
        }
      }
      const ours = entries.filter((one) => one.contender.startsWith('argv-spawn') && one.absent === null);
      expect(ours.length, name).toBeGreaterThan(0);
    }
    const byName = (name: string) => scenarios.find((one) => one.name === name)?.entries;
    const tree = byName('tree')?.map(({ contender, metrics }) => [contender, metrics['left']?.p50]);
    expect(tree).toEqual([
      ['child_process', 6],
      ['C posix_spawn', undefined],
      ['argv-spawn', 0],
      ['argv-spawn (group)', 3],
    ]);
    const { svg, rect, text } = await countElements(chart);
    expect(svg).toBe(1);
    expect(rect).toBeGreaterThan(20);
    expect(text).toBeGreaterThan(40);
  });

  test('says why a contender has no numbers', async () => {
    const json = join(makeFolder(), 'results.json');
    const { stdout } = await bench('--quick', '--scenario', 'AS', '--contender', 'nano-spawn', '--json', json);
    expect(stdout).toContain('nano-spawn: has no blocking call');
    const { scenarios } = expectValid(readJson(json));
    expect(scenarios.map(({ name, entries }) => [name, entries[0]?.absent])).toEqual([
      ['blocking-60mb', 'has no blocking call'],
      ['blocking-1gb', 'has no blocking call'],
    ]);
  });
});

describe('bad words', () => {
  test.each([
    [['--scenario', 'nonsense'], "bench: no scenario 'nonsense'; there are latency-60mb,"],
    [['--contender', 'nobody'], "bench: no contender 'nobody'; there are child_process,"],
    [['--rounds', '0'], 'bench: --rounds takes a whole number from 1'],
    [['--quick', '--update'], 'bench: --update takes no --quick'],
    [['--no-such-option'], "bench: Unknown option '--no-such-option'"],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await bench(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.startsWith(message), stderr).toBe(true);
  });
});

describe('statistics', () => {
  test('the median is over all samples, the spread over the rounds', async () => {
    const { summarize } = (await load('statistics.mjs')) as { summarize: (rounds: number[][]) => Summary };
    expect(summarize([[1, 2, 3], [10], [4, 4]])).toEqual({
      ...{ p50: 3.5, p95: 8.5, max: 10, low: 2, high: 10 },
      ...{ rounds: 3, samples: 6 },
    });
  });
});

describe('targets', () => {
  const summary = (value: number): Summary => ({
    ...{ p50: value, p95: value * 2, max: value * 3, low: value, high: value },
    ...{ rounds: 1, samples: 1 },
  });

  /** Scenarios where each target's number is `share` of what its bound allows. */
  function scenariosFor(target: Target, share: number, more: boolean): Scenario[] {
    const factor = { p50: 1, p95: 2, max: 3 }[target.statistic];
    const limit = target.most ?? (target.factor ?? (more ? (target.times ?? 0) : 1 / (target.times ?? 0))) * 100;
    const ours = (limit * share) / factor;
    const entry = (contender: string, value: number): Entry => ({
      ...{ contender, absent: null, failed: null },
      metrics: { [target.metric]: summary(value) },
    });
    const others = target.than === undefined ? [] : [entry(target.than, 100)];
    const main = { name: target.scenario, metrics: {}, entries: [entry(target.of, ours), ...others] };
    if (target.inScenario === undefined) return [main];
    return [main, { name: target.inScenario, metrics: {}, entries: [entry(target.of, 100)] }];
  }

  test('each is met on its side of the bound only', async () => {
    const { TARGETS, compareTargets } = (await load('targets.mjs')) as {
      TARGETS: readonly Target[];
      compareTargets: (scenarios: readonly Scenario[]) => readonly Target[];
    };
    const { SCENARIOS } = (await load('scenarios/index.mjs')) as {
      SCENARIOS: Record<string, { metrics: Record<string, { more?: true }> }>;
    };
    expect(TARGETS.length).toBeGreaterThan(40);
    TARGETS.forEach((target, i) => {
      const more = SCENARIOS[target.scenario]?.metrics[target.metric]?.more === true;
      const verdict = (share: number) => compareTargets(scenariosFor(target, share, more))[i]?.met;
      expect([verdict(0.95), verdict(1.05)], JSON.stringify(target)).toEqual(
        target.most === 0 ? [true, true] : more ? [false, true] : [true, false],
      );
      expect(compareTargets([])[i]?.met).toBeNull();
    });
  });
});

describe('committed results', () => {
  test('are valid, and the README and the chart say what they say', async () => {
    const latest = expectValid(readJson(path('results/latest.json')));
    expectValid(readJson(path('results/other-machine.json')));
    const { renderReadme } = (await load('results.mjs')) as {
      renderReadme: (readme: string, results: Results) => Promise<string>;
    };
    const readme = readFileSync(path('../../README.md'), 'utf8');
    expect(await renderReadme(readme, latest)).toBe(readme);
    const { drawChart } = (await load('chart.mjs')) as { drawChart: (results: Results) => string };
    expect(readFileSync(path('results/chart.svg'), 'utf8')).toBe(drawChart(latest));
    await expect(renderReadme('no markers', latest)).rejects.toThrow('the README has no <!-- bench:begin -->');
  });
});
