// Every option: what absent, 0 and Infinity mean, and that a wrong one is named before anything is started.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, runSync, spawn } from '../../lib/index.ts';
import type { RunOptions } from '../../lib/index.ts';
import { createPlan } from '../../lib/command/plan.ts';
import type { CallKind } from '../../lib/command/options.ts';
import type { Plan } from '../../lib/command/types.ts';
import { makeFolder } from '../helpers/folder.ts';

const marker = join(makeFolder(), 'started');
const TYPE = 'ERR_INVALID_ARG_TYPE';
const VALUE = 'ERR_INVALID_ARG_VALUE';
const RANGE = 'ERR_OUT_OF_RANGE';
const UNKNOWN = 'ERR_UNKNOWN_OPTION';
const SIGNAL = 'ERR_UNKNOWN_SIGNAL';

const plan = (options: unknown, kind: CallKind = 'run'): Plan => createPlan(kind, ['true'], options);

/** All three ways of starting refuse it with the same error, and start nothing. */
async function expectRefused(options: unknown, fields: { field: string; code: string }): Promise<void> {
  const argv = ['touch', marker] as const;
  const given = options as RunOptions;
  const expected = expect.objectContaining({ name: fields.code === RANGE ? 'RangeError' : 'TypeError', ...fields });
  await expect(run([...argv], given)).rejects.toEqual(expected);
  expect(() => runSync([...argv], given)).toThrow(expected as Error);
  expect(() => spawn([...argv], given)).toThrow(expected as Error);
  expect(existsSync(marker)).toBe(false);
}

test('nothing given is the defaults', () => {
  const defaults = {
    cwd: null,
    stdin: { kind: 'ignore' },
    stdout: { kind: 'pipe' },
    stderr: { kind: 'pipe' },
    tee: { stdout: null, stderr: null },
    maxBuffer: { stdout: 16_777_216, stderr: 16_777_216 },
    keep: 'ends',
    onMaxBuffer: 'truncate',
    encoding: 'utf8',
    timeoutMs: 0,
    idleTimeoutMs: 0,
    signal: null,
    killSignal: 15,
    forceKillAfterMs: 2000,
    lingering: 'kill',
    drainTimeoutMs: 100,
    containment: 'tree',
    require: null,
    check: false,
  };
  const names = ['cwd', 'env', 'extendEnv', 'stdin', 'stdout', 'stderr', 'tee', 'maxBuffer', 'keep', 'onMaxBuffer', 'encoding', 'timeout', 'idleTimeout', 'signal', 'killSignal', 'forceKillAfter', 'lingering', 'drainTimeout', 'containment', 'require', 'check', 'windowsShims']; // prettier-ignore
  expect(plan(undefined)).toMatchObject(defaults);
  expect(plan({})).toMatchObject(defaults);
  // Given as undefined is not given, for every one of them.
  expect(plan(Object.fromEntries(names.map((name) => [name, undefined])))).toMatchObject(defaults);
});

describe('0 and Infinity', () => {
  test.each<[unknown, Partial<Plan>]>([
    [{ timeout: 0 }, { timeoutMs: 0 }],
    [{ timeout: Infinity }, { timeoutMs: 0 }],
    [{ timeout: 0.5 }, { timeoutMs: 0.5 }],
    [{ idleTimeout: 0 }, { idleTimeoutMs: 0 }],
    [{ idleTimeout: Infinity }, { idleTimeoutMs: 0 }],
    [{ forceKillAfter: 0 }, { forceKillAfterMs: 0 }],
    [{ forceKillAfter: Infinity }, { forceKillAfterMs: Infinity }],
    [{ drainTimeout: 0 }, { drainTimeoutMs: 0 }],
    [{ drainTimeout: Infinity }, { drainTimeoutMs: Infinity }],
    [{ maxBuffer: 0 }, { maxBuffer: { stdout: 0, stderr: 0 } }],
    [{ maxBuffer: Infinity }, { maxBuffer: { stdout: Infinity, stderr: Infinity } }],
    [{ maxBuffer: { stderr: 5 } }, { maxBuffer: { stdout: 16_777_216, stderr: 5 } }],
    [{ maxBuffer: {} }, { maxBuffer: { stdout: 16_777_216, stderr: 16_777_216 } }],
    [{ killSignal: 9 }, { killSignal: 9 }],
    [{ killSignal: 'SIGINT' }, { killSignal: 2 }],
    [{ encoding: 'UTF-8' }, { encoding: 'utf8' }],
    [{ encoding: 'latin1' }, { encoding: 'windows-1252' }],
    [{ encoding: 'buffer' }, { encoding: 'buffer' }],
    [
      { containment: 'group', require: 'group' },
      { containment: 'group', require: 'group' },
    ],
  ])('%j', (options, expected) => {
    expect(plan(options)).toMatchObject(expected);
  });

  test('forceKillAfter: 0 is SIGKILL at once, without the polite signal', async () => {
    const result = await run(['sh', '-c', "trap 'echo asked; exit' TERM; echo up; while :; do sleep 0.05; done"], {
      timeout: 300,
      forceKillAfter: 0,
    });
    expect(result).toMatchObject({ stdout: 'up\n', signal: 'SIGKILL', forced: true });
  });

  test('forceKillAfter: Infinity leaves the program the time it takes', async () => {
    const text = "trap 'sleep 0.5; echo late; exit 4' TERM; echo up; while :; do sleep 0.05; done";
    const result = await run(['sh', '-c', text], { timeout: 300, forceKillAfter: Infinity });
    expect(result).toMatchObject({ stdout: 'up\nlate\n', code: 4, forced: false });
  });

  test('killSignal is the first one the tree gets', async () => {
    const text = "trap 'echo asked; exit 3' INT; echo up; while :; do sleep 0.05; done";
    const result = await run(['sh', '-c', text], { timeout: 300, killSignal: 'SIGINT' });
    expect(result).toMatchObject({ stdout: 'up\nasked\n', code: 3 });
  });

  test('drainTimeout: 0 does not wait for descendants, Infinity waits for the end of the pipe', async () => {
    const argv = ['sh', '-c', '(sleep 0.4; echo late) & echo early'] as const;
    expect((await run([...argv], { drainTimeout: 0 })).stdout).toBe('early\n');
    expect((await run([...argv], { drainTimeout: Infinity })).stdout).toBe('early\nlate\n');
  });
});

describe('a wrong value is named, and nothing starts', () => {
  test.each<[string, unknown[], string]>([
    ['timeout', ['5', null, true, {}, 5n], TYPE],
    ['timeout', [-1, Number.NaN, -Infinity], RANGE],
    ['idleTimeout', ['5', null], TYPE],
    ['idleTimeout', [-0.1, Number.NaN], RANGE],
    ['forceKillAfter', ['5', null, false], TYPE],
    ['forceKillAfter', [-1, Number.NaN], RANGE],
    ['drainTimeout', ['5', null], TYPE],
    ['drainTimeout', [-1, Number.NaN], RANGE],
    ['maxBuffer', ['1MB', true, null, 5n, [], [1], new Map()], TYPE],
    ['maxBuffer', [-1, 1.5, Number.NaN, 2 ** 53], RANGE],
    ['keep', [1, null, []], TYPE],
    ['keep', ['middle', 'Ends', ''], VALUE],
    ['onMaxBuffer', [1, true], TYPE],
    ['onMaxBuffer', ['throw'], VALUE],
    ['encoding', [1, null, {}], TYPE],
    ['encoding', ['base64', 'hex', 'no-such', ''], VALUE],
    ['signal', [null, {}, 'SIGTERM', new AbortController()], TYPE],
    ['killSignal', ['SIGNOPE', 'TERM', 'sigterm', '', 0, -9, 999, 1.5, null, {}], SIGNAL],
    ['lingering', [true], TYPE],
    ['lingering', ['detach'], VALUE],
    ['containment', [true], TYPE],
    ['containment', ['job', 'strict'], VALUE],
    ['require', [true], TYPE],
    ['require', ['strict'], VALUE],
    ['check', ['yes', 1, null], TYPE],
    ['windowsShims', [true], TYPE],
    ['windowsShims', ['auto'], VALUE],
  ])('%s (row %#)', async (field, values, code) => {
    for (const value of values) await expectRefused({ [field]: value }, { field, code });
  });

  test.each<[unknown, string, string]>([
    [{ maxBuffer: { stdout: -1 } }, 'maxBuffer.stdout', RANGE],
    [{ maxBuffer: { stderr: '1' } }, 'maxBuffer.stderr', TYPE],
    [{ maxBuffer: { stdin: 1 } }, 'maxBuffer.stdin', UNKNOWN],
    [{ tee: { stdin: 'x' } }, 'tee.stdin', UNKNOWN],
    [{ containment: 'group', require: 'tree' }, 'require', VALUE],
    [{ containment: 'none', require: 'group' }, 'require', VALUE],
    [{ stdout: 'ignore', tee: { stdout: 'x' } }, 'tee.stdout', VALUE],
    [{ stderr: 'stdout', tee: { stderr: 'x' } }, 'tee.stderr', VALUE],
    [{ stdout: { file: 'x' }, tee: { stdout: 'y' } }, 'tee.stdout', VALUE],
  ])('%j', async (options, field, code) => {
    await expectRefused(options, { field, code });
  });

  test.each([[null], ['check'], [5], [true], [[]], [new Map([['check', true]])], [Promise.resolve({})]])(
    'options that are %o are refused',
    async (options) => expectRefused(options, { field: 'options', code: TYPE }),
  );
});

describe('an unknown option', () => {
  test.each<[string, RegExp]>([
    ['timeuot', /did you mean timeout\?/],
    ['Timeout', /did you mean timeout\?/],
    ['environment', /known are cwd, env, /],
    ['extendenv', /did you mean extendEnv\?/],
    ['maxbuffer', /did you mean maxBuffer\?/],
    ['killsignal', /did you mean killSignal\?/],
    ['shell', /no shell is ever inserted/],
    ['detached', /lingering: 'leave'/],
    ['pty', /pseudo-terminal is not offered/],
    ['input', /use stdin/],
    ['stdio', /use stdin, stdout and stderr/],
    ['argv0', /argv\[0\] is the program/],
    ['reject', /check: true/],
    ['__proto__x', /known are cwd/],
    ['constructor', /known are cwd|did you mean/],
  ])('%s is refused and says what was meant', async (name, message) => {
    await expectRefused({ [name]: true }, { field: name, code: UNKNOWN });
    await expect(run(['true'], { [name]: true })).rejects.toThrow(message);
  });

  test('is refused even when it is undefined: a misspelt name is a misspelt name', async () => {
    await expectRefused({ timeuot: undefined }, { field: 'timeuot', code: UNKNOWN });
  });

  test('of a polluted Object.prototype is none', async () => {
    Object.defineProperty(Object.prototype, 'cwd', { value: '/no/such/folder', configurable: true, writable: true });
    try {
      expect(plan({}).cwd).toBe(null);
      expect((await run(['true'], {})).ok).toBe(true);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'cwd');
    }
  });
});

test('each option is read once', () => {
  let reads = 0;
  const options = {
    get timeout() {
      return ++reads;
    },
  };
  expect([plan(options).timeoutMs, reads]).toEqual([1, 1]);
});
