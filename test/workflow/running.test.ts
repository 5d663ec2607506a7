// One cap, one signal, one budget, pause and close, and the options of both functions.

import { getEventListeners } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { isAbortError, platform } from '../../lib/index.ts';
import { BudgetError, createBudget, createSemaphore, createWorkflow, WorkflowClosedError } from '../../lib/workflow.ts';
import type { Workflow, WorkflowEvent, WorkflowOptions } from '../../lib/workflow.ts';
import { makeFolder, writeProgram } from '../helpers/folder.ts';
import { countResources, findByCommand } from '../helpers/processes.ts';
import { until } from '../helpers/until.ts';

const folder = makeFolder();
const bin = join(folder, 'bin');
mkdirSync(bin);
writeProgram(bin, 'hold', '#!/bin/sh\nexec sleep "$1"\n');
writeProgram(bin, 'until', '#!/bin/sh\nwhile [ ! -e "$1" ]; do sleep 0.01; done\n');
writeProgram(bin, 'quick', '#!/bin/sh\necho "$@"\n');
writeProgram(bin, 'tree', '#!/bin/sh\nsleep "$1" &\nsleep "$1"\n');
let nextSpan = 7000 + (process.pid % 1000);
const uniqueSpan = (): string => `${nextSpan++}.25`;

const open: Workflow[] = [];
function make(
  more: Partial<WorkflowOptions> = {},
): Workflow & { readonly events: WorkflowEvent[]; readonly most: () => number } {
  const events: WorkflowEvent[] = [];
  let [running, most] = [0, 0];
  const onEvent = (event: WorkflowEvent): void => {
    events.push(event);
    if (event.type === 'started') most = Math.max(most, ++running);
    if (event.type === 'finished') running--;
  };
  const workflow = createWorkflow({ allow: [{ dir: bin }], cwd: folder, onEvent, ...more });
  open.push(workflow);
  return { ...workflow, events, most: () => most };
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});
const wait = (span: string): Promise<void> => until(`sleep ${span} runs`, () => findByCommand(span).length > 0);

describe('the cap', () => {
  test('holds for sh, parallel and pipeline together, and is used', async () => {
    const { sh, parallel, pipeline, most } = make({ concurrency: 3 });
    const step = (): Promise<unknown> => sh(['hold', '0.02']);
    await Promise.all([
      parallel(Array.from({ length: 6 }, () => step)),
      pipeline([1, 2, 3, 4], step, step),
      ...Array.from({ length: 4 }, step),
    ]);
    expect(most()).toBe(3);
  });
  test('is shared with what the host runs', async () => {
    const semaphore = createSemaphore(2);
    const { sh, events } = make({ concurrency: semaphore });
    const leave = [await semaphore.acquire(), await semaphore.acquire()];
    const step = sh(['quick']);
    await sh(['nosuch']).catch(() => undefined);
    expect(events.map(({ type }) => type)).toEqual(['failed']);
    leave[0]?.();
    leave[0]?.();
    await step;
    const again = [await semaphore.acquire()];
    const third = new AbortController();
    const waiting = semaphore.acquire(third.signal);
    third.abort(new Error('gave up'));
    await expect(waiting).rejects.toThrow('gave up');
    for (const one of [...leave, ...again]) one();
  });
  test.each([0, -1, 1.5, Number.NaN])('%d is no cap', (limit) => {
    expect(() => createSemaphore(limit)).toThrow(RangeError);
    expect(() => make({ concurrency: limit })).toThrow(RangeError);
  });
});

describe('parallel and pipeline', () => {
  test('wait for every branch, then reject with the first failure of the list', async () => {
    const { sh, parallel, pipeline, events } = make();
    const fail = (text: string) => async (): Promise<never> => {
      await sh(['quick', text]);
      throw new Error(text);
    };
    await expect(parallel([async () => sh(['hold', '0.1']), fail('second'), fail('third')])).rejects.toThrow('second');
    expect(events.filter(({ type }) => type === 'finished')).toHaveLength(3);
    await expect(
      pipeline([1, 2], async (_, item) => {
        if (item === 1) throw new Error('one');
        return sh(['hold', '0.1']);
      }),
    ).rejects.toThrow('one');
    expect(events.filter(({ type }) => type === 'finished')).toHaveLength(4);
  });
  test('give the results in the order of the list; stages get the value, the item and its index', async () => {
    const { sh, parallel, pipeline } = make({ concurrency: 8 });
    const text = async (word: string, span: string): Promise<string> => {
      await sh(['hold', span]);
      return (await sh(['quick', word])).stdout.trim();
    };
    expect(await parallel([() => text('a', '0.1'), () => text('b', '0'), () => 'c'])).toEqual(['a', 'b', 'c']);
    const seen: unknown[] = [];
    const found = await pipeline(
      ['x', 'y'],
      (item: string) => `${item}1`,
      (previous: string, item, index) => {
        seen.push([previous, item, index]);
        return `${previous}2`;
      },
    );
    expect(found).toEqual(['x12', 'y12']);
    expect(seen).toEqual(
      expect.arrayContaining([
        ['x1', 'x', 0],
        ['y1', 'y', 1],
      ]),
    );
    expect(await parallel([])).toEqual([]);
    expect(await pipeline([1, 2])).toEqual([1, 2]);
  });
  test('refuse what they cannot run', async () => {
    const { parallel, pipeline } = make();
    await expect(parallel([Promise.resolve() as never])).rejects.toThrow(TypeError);
    await expect(parallel('x' as never)).rejects.toThrow(TypeError);
    await expect(pipeline('x' as never)).rejects.toThrow(TypeError);
    await expect(pipeline([1], 'x' as never)).rejects.toThrow(TypeError);
  });
});

describe('the signal', () => {
  test('ends the trees of all running steps, and those that wait are not started', async () => {
    const controller = new AbortController();
    const { sh, parallel, events } = make({ signal: controller.signal, concurrency: 2 });
    const spans = [uniqueSpan(), uniqueSpan(), uniqueSpan()];
    const all = parallel(spans.map((span) => () => sh(['tree', span]).catch((error: unknown) => error)));
    // Any two: steps side by side are admitted in the order in which their files have been looked at.
    await until('two run', () => spans.filter((span) => findByCommand(`sleep\0${span}`).length > 0).length === 2);
    controller.abort(new Error('enough'));
    const errors = await all;
    expect(errors.map((error) => isAbortError(error) && error.cause)).toEqual(Array(3).fill(controller.signal.reason));
    for (const span of spans) expect(findByCommand(span)).toEqual([]);
    expect(events.filter(({ type }) => type === 'started')).toHaveLength(2);
    await expect(sh(['quick'])).rejects.toSatisfy(isAbortError);
  });
  test('of one step ends that step, and no listener stays', async () => {
    const [own, all] = [new AbortController(), new AbortController()];
    const { sh } = make({ signal: all.signal });
    const span = uniqueSpan();
    const step = sh(['hold', span], { signal: own.signal });
    await wait(span);
    own.abort();
    await expect(step).rejects.toSatisfy(isAbortError);
    expect((await sh(['quick', 'on'])).stdout).toBe('on\n');
    expect([getEventListeners(own.signal, 'abort'), getEventListeners(all.signal, 'abort')]).toEqual([[], []]);
  });
});

test('a step says what protected it, and what it left behind', async () => {
  writeProgram(bin, 'leave', '#!/bin/sh\nsleep "$1" > /dev/null 2>&1 &\n');
  const span = uniqueSpan();
  const { containment, leftovers } = await make().sh(['leave', span]);
  expect(containment).toEqual({ tree: platform.tree, parentDeath: platform.parentDeath });
  expect(leftovers.map(({ name, fate }) => [name, fate])).toEqual([['sleep', 'ended']]);
  expect(findByCommand(span)).toEqual([]);
});

test('pause lets running steps end, starts none, and resume goes on', async () => {
  const { sh, pause, resume, events } = make({ concurrency: 1 });
  const file = join(folder, 'go');
  const first = sh(['until', file]);
  await until('the first runs', () => events.some(({ type }) => type === 'started'));
  const steps = [first, sh(['quick', 'a']), sh(['quick', 'b'])];
  const paused = pause();
  writeFileSync(file, '');
  await paused;
  await first;
  const count = (type: string): number => events.filter((one) => one.type === type).length;
  expect([count('started'), count('finished'), count('paused')]).toEqual([1, 1, 1]);
  await Promise.resolve();
  expect(count('started')).toBe(1);
  resume();
  expect((await Promise.all(steps)).map(({ stdout }) => stdout)).toEqual(['', 'a\n', 'b\n']);
  expect(count('resumed')).toBe(1);
});

test('a paused step can be aborted', async () => {
  const controller = new AbortController();
  const { sh, pause } = make();
  await pause();
  const step = sh(['quick'], { signal: controller.signal });
  controller.abort();
  await expect(step).rejects.toSatisfy(isAbortError);
});

describe('the budget', () => {
  test('of calls is exact, side by side too', async () => {
    const budget = createBudget({ calls: 3 });
    const { sh, parallel } = make({ budget, concurrency: 8 });
    const ends = await parallel(
      Array.from(
        { length: 5 },
        () => async () =>
          sh(['quick']).then(
            () => 'ran',
            (error: unknown) => error,
          ),
      ),
    );
    expect(ends.filter((one) => one === 'ran')).toHaveLength(3);
    expect(ends.filter((one) => one instanceof BudgetError && one.budget === 'calls')).toHaveLength(2);
    expect(budget.used.calls).toBe(3);
  });
  test('of output and of time refuses before the next start', async () => {
    const output = make({ budget: createBudget({ outputBytes: 4 }) });
    await output.sh(['quick', 'abc']);
    await expect(output.sh(['quick'])).rejects.toMatchObject({
      code: 'ERR_BUDGET',
      budget: 'outputBytes',
      used: 4,
      limit: 4,
    });
    const time = make({ budget: createBudget({ wallTime: 50 }) });
    await time.sh(['hold', '0.1']);
    await expect(time.sh(['quick'])).rejects.toMatchObject({ budget: 'wallTime' });
    expect(time.events.filter(({ type }) => type === 'started')).toHaveLength(1);
  });
  test('is not touched by what is refused, nor by what the journal answers', async () => {
    const journal = join(folder, 'budget-journal');
    const budget = createBudget({ calls: 1 });
    const first = make({ budget, journal, runId: 'r' });
    await expect(first.sh(['nosuch'])).rejects.toThrow('not-listed');
    await first.sh(['quick']);
    await first.close();
    const second = make({ budget, journal, resumeFromRunId: 'r' });
    await expect(second.sh(['nosuch'])).rejects.toThrow('not-listed');
    expect((await second.sh(['quick'])).cached).toBe(true);
    await expect(second.sh(['quick'])).rejects.toBeInstanceOf(BudgetError);
  });
  test('a limit has to be one', () => {
    expect(() => createBudget({ calls: -1 })).toThrow(RangeError);
    expect(() => createBudget({ call: 1 } as never)).toThrow('did you mean calls?');
    expect(() => make({ budget: {} as never })).toThrow(TypeError);
  });
});

describe('close', () => {
  test('waits for what runs and refuses the rest', async () => {
    const workflow = make();
    const step = workflow.sh(['hold', '0.1']);
    const closed = Promise.all([workflow.close(), workflow.close()]);
    await expect(workflow.sh(['quick'])).rejects.toBeInstanceOf(WorkflowClosedError);
    await closed;
    expect(workflow.events.at(-1)?.type).toBe('finished');
    expect((await step).ok).toBe(true);
  });
  test('leaves no descriptor behind', async () => {
    const round = async (i: number): Promise<void> => {
      const workflow = make({ journal: join(folder, 'closing'), runId: `r${i}` });
      await workflow.parallel(Array.from({ length: 5 }, () => () => workflow.sh(['quick'])));
      await expect(workflow.sh(['nosuch'])).rejects.toThrow('not-listed');
      await workflow.close();
    };
    await round(0);
    const before = countResources();
    for (let i = 1; i <= 5; i++) await round(i);
    await until('descriptors are back', () => countResources().descriptors <= before.descriptors);
  });
});

describe('a wrong option is named, and nothing is opened or started', () => {
  test.each<readonly [string, object]>([
    ['concurency', { concurency: 1 }],
    ['concurrency', { concurrency: 'x' }],
    ['cwd', { cwd: 7 }],
    ['folders', { folders: ['relative'] }],
    ['allowEnv', { allowEnv: 'A' }],
    ['path', { path: 7 }],
    ['signal', { signal: {} }],
    ['onEvent', { onEvent: 'x' }],
    ['runId', { runId: 7 }],
    ['resumeFromRunId', { resumeFromRunId: 'r' }],
  ])('createWorkflow: %s', (field, option) => {
    expect(() => make(option)).toThrow(expect.objectContaining({ field }) as Error);
  });
  test.each<readonly [string, unknown, unknown]>([
    ['command', 7, {}],
    ['argv', [], {}],
    ['argv[1]', ['quick', 7], {}],
    ['argv[1]', ['quick', 'a\0b'], {}],
    ['options', ['quick'], 7],
    ['timout', ['quick'], { timout: 1 }],
    ['timeout', ['quick'], { timeout: -1 }],
    ['stdin', ['quick'], { stdin: { file: '/x' } }],
    ['stdin', ['quick'], { stdin: 'inherit' }],
    ['encoding', ['quick'], { encoding: 'nosuch' }],
    ['maxBuffer', ['quick'], { maxBuffer: -1 }],
    ['cwd', ['quick'], { cwd: '' }],
    ['env', ['quick'], { env: 'A=1' }],
    ['check', ['quick'], { check: 'yes' }],
    ['signal', ['quick'], { signal: 'x' }],
  ])('sh: %s', async (field, command, options) => {
    const { sh, events } = make();
    await expect(sh(command as never, options as never)).rejects.toMatchObject({ field });
    expect(events.map(({ type }) => type)).toEqual(['failed']);
  });
});
