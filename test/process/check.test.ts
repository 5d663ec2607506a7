// check: true, and what an ExitError says.

import { describe, expect, test } from 'vitest';
import { ExitError, isExitError, run, runSync, spawn } from '../../lib/index.ts';
import type { Argv, RunOptions, RunResult } from '../../lib/index.ts';

async function failure(argv: Argv, options: RunOptions = {}): Promise<ExitError<RunResult>> {
  const error: unknown = await run(argv, { ...options, check: true }).then(
    () => new Error('it did not reject'),
    (reason: unknown) => reason,
  );
  if (!isExitError(error)) throw error;
  return error as ExitError<RunResult>;
}

const SH = (text: string): Argv => ['sh', '-c', text];

test.each<[string, Argv, RunOptions, string, string]>([
  ['an exit code', SH('exit 3'), {}, 'ERR_EXIT', '"sh" exited with code 3'],
  ['a signal', SH('kill -SEGV $$'), {}, 'ERR_SIGNAL', '"sh" was ended by SIGSEGV'],
  ['a timeout', ['sleep', '30'], { timeout: 50 }, 'ERR_TIMEOUT', '"sleep" was ended after its timeout of 50 ms'],
  [
    'an idle timeout',
    ['sleep', '30'],
    { idleTimeout: 50 },
    'ERR_IDLE_TIMEOUT',
    '"sleep" was ended after 50 ms without output',
  ],
  [
    'too much output',
    ['yes'],
    { maxBuffer: 10, onMaxBuffer: 'kill' },
    'ERR_MAX_BUFFER',
    '"yes" was ended because its output passed maxBuffer',
  ],
])('%s has a code and a sentence of its own', async (_name, argv, options, code, message) => {
  // prettier-ignore
  const error = await failure(argv, options);
  expect(error).toBeInstanceOf(ExitError);
  expect([error.name, error.code, error.message]).toEqual(['ExitError', code, message]);
  expect(error.result.ok).toBe(false);
});

describe('the result it carries', () => {
  test('is the one that would have been returned', async () => {
    const argv = SH('echo out; echo err >&2; exit 4');
    const { result } = await failure(argv);
    const plain = await run(argv);
    expect({ ...result, pid: 0, startedAt: 0, durationMs: 0, usage: null }).toEqual({
      ...plain,
      ...{ pid: 0, startedAt: 0, durationMs: 0, usage: null },
    });
  });

  test('is there through runSync and spawn too', async () => {
    const argv = SH('echo out; exit 4');
    const expected = expect.objectContaining({
      code: 'ERR_EXIT',
      result: expect.objectContaining({ code: 4, stdout: 'out\n' }) as unknown,
    }) as Error;
    expect(() => runSync(argv, { check: true })).toThrow(expected);
    await expect(spawn(argv, { check: true }).collect()).rejects.toEqual(expected);
    await expect(spawn(argv, { check: true }).exited).rejects.toMatchObject({ code: 'ERR_EXIT', result: { code: 4 } });
  });
});

describe('the message', () => {
  test('ends with what the program said on stderr', async () => {
    const { message } = await failure(SH('echo not this; echo "fatal: no such ref" >&2; exit 128'));
    expect(message).toBe('"sh" exited with code 128\nfatal: no such ref');
  });

  test('shows the end of a long stderr only', async () => {
    const { message, result } = await failure(SH('seq 1 5000 >&2; echo LAST >&2; exit 1'));
    expect(message.length).toBeLessThan(1200);
    expect(message).toMatch(/^"sh" exited with code 1\n\.\.\.[\s\S]*\nLAST$/);
    expect(result.stderr?.length).toBeGreaterThan(20_000);
  });

  test('does not divide a character where it cuts', async () => {
    for (const pad of ['', 'x']) {
      const { message } = await failure(['sh', '-c', 'printf %s "$0" >&2; exit 1', '😀'.repeat(600) + pad]);
      expect(message.isWellFormed()).toBe(true);
    }
  });

  test('leaves out stderr that is bytes or went elsewhere', async () => {
    const argv = SH('echo hidden >&2; exit 1');
    for (const options of [{ encoding: 'buffer' }, { stderr: 'ignore' }] as const) {
      expect((await failure(argv, options)).message).toBe('"sh" exited with code 1');
    }
  });

  test('shows control characters of the program name', async () => {
    const { message } = await failure(['/bin/../bin/sh', '-c', 'exit 1']);
    expect(message).toBe('"/bin/../bin/sh" exited with code 1');
  });
});

test('a success is a result, with check and without', async () => {
  expect((await run(['true'], { check: true })).ok).toBe(true);
  expect(runSync(['true'], { check: true }).ok).toBe(true);
  expect((await spawn(['true'], { check: true }).exited).ok).toBe(true);
});

test('a program that could not be started is a SpawnError under check too', async () => {
  await expect(run(['/no/such/program'], { check: true })).rejects.toMatchObject({ name: 'SpawnError' });
});
