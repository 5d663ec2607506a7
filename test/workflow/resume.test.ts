// What a journal answers, what runs again, and what is refused.

import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { isAbortError, isExitError } from '../../lib/index.ts';
import { createWorkflow, JournalError } from '../../lib/workflow.ts';
import type { JournalErrorCode, ShOptions, Workflow, WorkflowOptions } from '../../lib/workflow.ts';
import { makeFolder, writeProgram } from '../helpers/folder.ts';

const folder = makeFolder();
const bin = join(folder, 'bin');
mkdirSync(bin);
const log = join(folder, 'effects');
writeProgram(
  bin,
  'effect',
  `#!/bin/sh\necho "$1" >> '${log}'\nprintf '%s' "$1\${VALUE:+=$VALUE}"\ncat\nexit "\${2:-0}"\n`,
);
writeProgram(
  bin,
  'big',
  `#!/bin/sh\necho big >> '${log}'\nhead -c "$1" /dev/zero | tr '\\0' "$2"\nprintf '\\377' >&2\n`,
);
writeProgram(bin, 'wait', '#!/bin/sh\nexec sleep 600\n');

let seen = 0;
/** Names of the effects since the last call. */
function takeEffects(): string[] {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [];
  const fresh = lines.slice(seen);
  seen = lines.length;
  return fresh;
}

let count = 0;
const makeJournal = (): string => join(folder, `journal-${count++}`);
const open: Workflow[] = [];
function make(journal: string, more: Partial<WorkflowOptions> = {}): Workflow {
  const workflow = createWorkflow({ allow: [{ dir: bin }], cwd: folder, journal, ...more });
  open.push(workflow);
  return workflow;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
  takeEffects();
});

/** Runs `script` in a workflow of its own, to the end of the workflow. */
async function within<T>(
  journal: string,
  more: Partial<WorkflowOptions>,
  script: (workflow: Workflow) => Promise<T>,
): Promise<T> {
  const workflow = make(journal, more);
  try {
    return await script(workflow);
  } finally {
    await workflow.close();
  }
}
const names =
  (steps: readonly string[]) =>
  async ({ sh }: Workflow): Promise<string[]> => {
    const found: string[] = [];
    for (const one of steps) found.push((await sh(['effect', one])).cached ? `(${one})` : one);
    return found;
  };
const FIRST = { runId: 'r' };
const AGAIN = { resumeFromRunId: 'r' };

describe('an unchanged call', () => {
  test('gives its recorded result and starts nothing', async () => {
    const journal = makeJournal();
    const script = async ({ sh }: Workflow) => [
      await sh(['effect', 'a', '3'], { stdin: 'input' }),
      await sh(['big', '10000', 'x'], { encoding: 'buffer' }),
      await sh(['big', '100', 'y']),
      await sh(`${bin}/effect text | ${bin}/effect more`),
    ];
    const first = await within(journal, FIRST, script);
    expect(takeEffects().sort()).toEqual(['a', 'big', 'big', 'more', 'text']);
    const second = await within(journal, AGAIN, script);
    expect(takeEffects()).toEqual([]);
    expect(second).toEqual(first.map((one) => ({ ...one, cached: true })));
    expect(second[0]).toMatchObject({ stdout: 'ainput', code: 3, ok: false, step: '0' });
    expect(second[1]?.stdout).toEqual(Buffer.alloc(10000, 'x'));
    expect(second[1]?.stderr).toEqual(Buffer.from([0xff]));
    expect(second[2]?.stderr).toBe('\ufffd');
  });
  test('made twice is two steps', async () => {
    const journal = makeJournal();
    expect(await within(journal, FIRST, names(['a', 'a']))).toEqual(['a', 'a']);
    expect(takeEffects()).toEqual(['a', 'a']);
    expect(await within(journal, AGAIN, names(['a', 'a', 'a']))).toEqual(['(a)', '(a)', 'a']);
    expect(takeEffects()).toEqual(['a']);
  });
  test('is found again in branches that interleave differently', async () => {
    const journal = makeJournal();
    const script = (first: number) => async (workflow: Workflow) => {
      const gates = [makeGate(), makeGate()];
      const branch = (own: number) => async () => {
        if (own !== first) await gates[first]?.promise;
        const ends = [await workflow.sh(['effect', `${own}-0`]), await workflow.sh(['effect', `${own}-1`])];
        gates[own]?.resolve();
        return ends.map((one) => [one.step, one.stdout, one.cached]);
      };
      return workflow.parallel([branch(0), branch(1)]);
    };
    await within(journal, FIRST, script(0));
    expect(takeEffects()).toEqual(['0-0', '0-1', '1-0', '1-1']);
    expect(await within(journal, AGAIN, script(1))).toEqual([
      [
        ['0.0.0', '0-0', true],
        ['0.0.1', '0-1', true],
      ],
      [
        ['0.1.0', '1-0', true],
        ['0.1.1', '1-1', true],
      ],
    ]);
    expect(takeEffects()).toEqual([]);
  });
});

function makeGate(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

describe('a changed call', () => {
  test('runs, and so does all that comes after it', async () => {
    const journal = makeJournal();
    await within(journal, FIRST, names(['a', 'b', 'c', 'd']));
    expect(await within(journal, AGAIN, names(['a', 'B', 'c', 'd']))).toEqual(['(a)', 'B', 'c', 'd']);
    expect(await within(journal, AGAIN, names(['a', 'B', 'c', 'd']))).toEqual(['(a)', '(B)', '(c)', '(d)']);
  });
  test('counts also when the host ends right after it', async () => {
    const journal = makeJournal();
    await within(journal, FIRST, names(['a', 'b', 'c']));
    await within(journal, AGAIN, names(['A']));
    expect(await within(journal, AGAIN, names(['A', 'b', 'c']))).toEqual(['(A)', 'b', 'c']);
  });
  test('in one branch leaves its siblings alone, and what follows them runs', async () => {
    const journal = makeJournal();
    const script = (word: string) => async (workflow: Workflow) => {
      const branches = await workflow.parallel(
        ['x', word].map((one) => async () => [
          await workflow.sh(['effect', one]),
          await workflow.sh(['effect', `${one}2`]),
        ]),
      );
      return [...branches.flat(), await workflow.sh(['effect', 'after'])].map(({ cached }) => cached);
    };
    await within(journal, FIRST, script('y'));
    expect(await within(journal, AGAIN, script('z'))).toEqual([true, true, false, false, false]);
  });
  test.each<readonly [string, ShOptions, Partial<WorkflowOptions>]>([
    ['stdin', { stdin: 'other' }, {}],
    ['folder', { cwd: bin }, {}],
    ['env', { env: { VALUE: '2' } }, {}],
    ["the workflow's env", {}, { env: { PATH: '/usr/bin:/bin', OTHER: '1' } }],
    ['encoding', { encoding: 'latin1' }, {}],
    ['maxBuffer', { maxBuffer: 100 }, {}],
    ['check', { check: true }, {}],
  ])('%s', async (_, options, more) => {
    const journal = makeJournal();
    const base = { allowEnv: ['VALUE'], env: { PATH: '/usr/bin:/bin' } };
    const given = { stdin: 'in', env: { VALUE: '1' } };
    const step =
      (own: ShOptions) =>
      async ({ sh }: Workflow) =>
        (await sh(['effect', 'a'], { ...given, ...own })).cached;
    expect(await within(journal, { ...base, ...FIRST }, step({}))).toBe(false);
    expect(await within(journal, { ...base, ...AGAIN }, step({ timeout: 50_000 }))).toBe(true);
    expect(await within(journal, { ...base, ...AGAIN, ...more }, step(options))).toBe(false);
  });
  test('a program that was replaced is another one', async () => {
    const journal = makeJournal();
    await within(journal, FIRST, names(['a']));
    writeProgram(bin, 'effect.new', readFileSync(join(bin, 'effect'), 'utf8'));
    renameSync(join(bin, 'effect.new'), join(bin, 'effect'));
    expect(await within(journal, AGAIN, names(['a']))).toEqual(['a']);
  });
});

describe('what was not finished runs again', () => {
  test('a step that was aborted, and the journal stays whole', async () => {
    const journal = makeJournal();
    const controller = new AbortController();
    const onEvent: WorkflowOptions['onEvent'] = ({ type, ...event }) => {
      if (type === 'started' && 'step' in event && event.step === '1') controller.abort(new Error('enough'));
    };
    const script = async ({ sh }: Workflow): Promise<boolean[]> => {
      const first = await sh(['effect', 'a']);
      await sh(['wait']).catch((error: unknown) => {
        if (!isAbortError(error)) throw error;
      });
      return [first.cached];
    };
    expect(await within(journal, { ...FIRST, signal: controller.signal, onEvent }, script)).toEqual([false]);
    expect(await within(journal, AGAIN, names(['a', 'b']))).toEqual(['(a)', 'b']);
  });
  test('a step that ran into its timeout, and one that check refused', async () => {
    const journal = makeJournal();
    const script = async ({ sh }: Workflow): Promise<unknown> => {
      const { timedOut, ok, cached } = await sh(['wait'], { timeout: 50 });
      expect([timedOut, ok, cached]).toEqual([true, false, false]);
      return sh(['effect', 'b', '4'], { check: true }).catch((error: unknown) => error);
    };
    for (const more of [FIRST, AGAIN]) {
      const error = await within(journal, more, script);
      expect(isExitError(error) && error.result).toMatchObject({ code: 4, step: '1', stdout: 'b' });
      expect(takeEffects()).toEqual(['b']);
    }
  });
  test('a refused step takes its place but leaves nothing', async () => {
    const journal = makeJournal();
    const script = async ({ sh }: Workflow): Promise<boolean> => {
      await expect(sh(['nosuch'])).rejects.toThrow('not-listed');
      return (await sh(['effect', 'a'])).cached;
    };
    expect(await within(journal, FIRST, script)).toBe(false);
    expect(await within(journal, AGAIN, script)).toBe(true);
  });
});

describe('another run', () => {
  test('takes over what is finished, and goes its own way', async () => {
    const journal = makeJournal();
    await within(journal, FIRST, names(['a', 'b', 'c']));
    const fork = { runId: 'fork', resumeFromRunId: 'r' };
    expect(await within(journal, fork, names(['a', 'B']))).toEqual(['(a)', 'B']);
    expect(await within(journal, { resumeFromRunId: 'fork' }, names(['a', 'B', 'c']))).toEqual(['(a)', '(B)', 'c']);
    expect(await within(journal, AGAIN, names(['a', 'b', 'c']))).toEqual(['(a)', '(b)', '(c)']);
  });
  test('an id of its own is made when none is given', () => {
    const journal = makeJournal();
    const ids = [make(journal).runId, make(journal).runId];
    expect(new Set(ids).size).toBe(2);
    expect(
      readdirSync(journal)
        .filter((name) => name.endsWith('.jsonl'))
        .sort(),
    ).toEqual(ids.map((id) => `${id}.jsonl`).sort());
  });
});

describe('a journal that cannot be used', () => {
  function expectError(code: JournalErrorCode, journal: string, more: Partial<WorkflowOptions>): void {
    expect(() => make(journal, more)).toThrow(expect.objectContaining({ code }) as Error);
  }
  const written = async (): Promise<{ journal: string; path: string }> => {
    const journal = makeJournal();
    await within(journal, FIRST, names(['a', 'b']));
    return { journal, path: join(journal, 'r.jsonl') };
  };
  test('is not there', () => expectError('ERR_JOURNAL_MISSING', makeJournal(), AGAIN));
  test('is there already', async () => expectError('ERR_JOURNAL_EXISTS', (await written()).journal, FIRST));
  test('has another version', async () => {
    const { journal, path } = await written();
    const text = readFileSync(path, 'utf8').split('\n');
    const { createHash } = await import('node:crypto');
    const head = '{"type":"run","version":2,"run":"r","at":"x"}';
    const sum = createHash('sha256').update(head).digest('hex').slice(0, 16);
    writeFileSync(path, [`${head.slice(0, -1)},"sum":"${sum}"}`, ...text.slice(1)].join('\n'));
    expectError('ERR_JOURNAL_VERSION', journal, AGAIN);
    expectError('ERR_JOURNAL_VERSION', journal, { runId: 'new', resumeFromRunId: 'r' });
  });
  test('is damaged in the middle', async () => {
    const { journal, path } = await written();
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace('"code":0', '"code":1'));
    expectError('ERR_JOURNAL_CORRUPT', journal, AGAIN);
    expect(readFileSync(path, 'utf8')).not.toBe(text);
    expect(readdirSync(journal).filter((name) => name.includes('.lock.'))).toEqual([]);
  });
  test('has an id that is a path', () => {
    for (const runId of ['../x', '', 'a/b', '.x', 'a\0b', 'r.lock.1']) {
      expect(() => make(makeJournal(), { runId })).toThrow(TypeError);
    }
  });
  test('lost an output', async () => {
    const journal = makeJournal();
    const script = async ({ sh }: Workflow) => sh(['big', '9000', 'x']);
    await within(journal, FIRST, script);
    const [file = ''] = readdirSync(join(journal, 'outputs'));
    writeFileSync(join(journal, 'outputs', file), 'something else');
    const code = 'ERR_JOURNAL_OUTPUT';
    await expect(within(journal, AGAIN, script)).rejects.toMatchObject({ code });
    rmSync(join(journal, 'outputs', file));
    await expect(within(journal, AGAIN, script)).rejects.toMatchObject({ code });
    expect(takeEffects()).toEqual(['big']);
  });
});

test('a record that was torn at any byte is as if it had not been written', async () => {
  const journal = makeJournal();
  const path = join(journal, 'r.jsonl');
  await within(journal, FIRST, names(['a']));
  const whole = readFileSync(path).length;
  await within(journal, AGAIN, names(['a', 'b']));
  const all = readFileSync(path);
  for (let length = whole; length < all.length; length += 7) {
    writeFileSync(path, all);
    truncateSync(path, length);
    const found = await within(journal, AGAIN, names(['a', 'b']));
    expect(found[0]).toBe('(a)');
    expect(
      readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .every((line) => JSON.parse(line) !== null),
    ).toBe(true);
  }
  writeFileSync(path, all);
  appendFileSync(path, Buffer.alloc(4096));
  expect(await within(journal, AGAIN, names(['a', 'b']))).toEqual(['(a)', '(b)']);
});

test('a step whose record cannot be written fails, and no other is started', async () => {
  const journal = makeJournal();
  const workflow = make(journal, FIRST);
  await workflow.sh(['effect', 'a']);
  mkdirSync(join(journal, 'outputs'));
  rmSync(join(journal, 'outputs'), { recursive: true });
  writeFileSync(join(journal, 'outputs'), 'in the way');
  await expect(workflow.sh(['big', '9000', 'x'])).rejects.toBeInstanceOf(JournalError);
});

test('people can read it', async () => {
  const journal = makeJournal();
  await within(journal, FIRST, async ({ sh }) => sh(['effect', "it's"], { stdin: 'x' }));
  const records = readFileSync(join(journal, 'r.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as object);
  expect(records).toMatchObject([
    { type: 'run', version: 1, run: 'r' },
    { type: 'open', pid: process.pid },
    { type: 'start', step: '0', command: "effect 'it'\\''s'" },
    { type: 'done', step: '0', result: { code: 0, stdout: { text: "it'sx" } } },
  ]);
});
