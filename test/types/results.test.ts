// The types of results, checked by `npm run typecheck`; the tests hold the same promises at run time.

import { describe, expect, expectTypeOf, test } from 'vitest';
import { run, runSync, spawn } from '../../lib/index.ts';
import type {
  Argv,
  ExitStatus,
  OutputData,
  Process,
  ResultOf,
  RunOptions,
  RunResult,
  SpawnError,
  StdinOption,
} from '../../lib/index.ts';
import { isSpawnError } from '../../lib/index.ts';

type Out<O> = ResultOf<O>['stdout'];
type Err<O> = ResultOf<O>['stderr'];

describe('the type of an output follows the options', () => {
  test('text when nothing is said, or an encoding is', async () => {
    expectTypeOf<Out<object>>().toEqualTypeOf<string>();
    expectTypeOf<Out<{ timeout: 5 }>>().toEqualTypeOf<string>();
    expectTypeOf<Out<{ encoding: undefined }>>().toEqualTypeOf<string>();
    expectTypeOf<Out<{ encoding: 'latin1' }>>().toEqualTypeOf<string>();
    expectTypeOf<Out<{ stdout: 'pipe' }>>().toEqualTypeOf<string>();
    const result = await run(['echo', 'x']);
    expectTypeOf(result.stdout).toEqualTypeOf<string>();
    expectTypeOf(result.stderr).toEqualTypeOf<string>();
    expect(typeof result.stdout).toBe('string');
  });

  test("bytes with encoding: 'buffer'", async () => {
    expectTypeOf<Out<{ encoding: 'buffer' }>>().toEqualTypeOf<Buffer>();
    expectTypeOf<Err<{ encoding: 'buffer' }>>().toEqualTypeOf<Buffer>();
    const result = await run(['echo', 'x'], { encoding: 'buffer' });
    expectTypeOf(result.stdout).toEqualTypeOf<Buffer>();
    expect(Buffer.isBuffer(result.stdout)).toBe(true);
    const sync = runSync(['echo', 'x'], { encoding: 'buffer' });
    expectTypeOf(sync.stderr).toEqualTypeOf<Buffer>();
    expect(Buffer.isBuffer(sync.stderr)).toBe(true);
  });

  test('null for a stream that goes elsewhere, and only for that one', async () => {
    expectTypeOf<Out<{ stdout: 'ignore' }>>().toEqualTypeOf<null>();
    expectTypeOf<Out<{ stdout: 'inherit' }>>().toEqualTypeOf<null>();
    expectTypeOf<Out<{ stdout: { file: '/x' } }>>().toEqualTypeOf<null>();
    expectTypeOf<Err<{ stderr: 'stdout' }>>().toEqualTypeOf<null>();
    expectTypeOf<Out<{ stderr: 'stdout' }>>().toEqualTypeOf<string>();
    expectTypeOf<Err<{ stdout: 'ignore' }>>().toEqualTypeOf<string>();
    const result = await run(['echo', 'x'], { stderr: 'stdout' });
    expectTypeOf(result.stdout).toEqualTypeOf<string>();
    expectTypeOf(result.stderr).toEqualTypeOf<null>();
    expect(result.stderr).toBe(null);
  });

  test('whatever it may be when the options are not known until run time', async () => {
    expectTypeOf<Out<{ encoding: string }>>().toEqualTypeOf<OutputData>();
    expectTypeOf<Out<RunOptions>>().toEqualTypeOf<OutputData | null>();
    expectTypeOf<Out<{ stdout: 'pipe' | 'ignore' }>>().toEqualTypeOf<string | null>();
    const options: RunOptions = { encoding: 'buffer' };
    const result = await run(['echo', 'x'], options);
    expectTypeOf(result.stdout).toEqualTypeOf<OutputData | null>();
    expect(Buffer.isBuffer(result.stdout)).toBe(true);
  });

  test('the generic result accepts every one of them', () => {
    expectTypeOf<ResultOf<object>>().toExtend<RunResult>();
    expectTypeOf<ResultOf<{ encoding: 'buffer'; stderr: 'ignore' }>>().toExtend<RunResult>();
    expectTypeOf<ResultOf<object>>().toExtend<ExitStatus>();
    expectTypeOf(spawn).returns.toEqualTypeOf<Process>();
    expectTypeOf<Awaited<ReturnType<Process['collect']>>>().toEqualTypeOf<RunResult>();
  });
});

describe('what does not compile', () => {
  // Never called: the compiler is the test. A line that compiled would be an unused @ts-expect-error, which is an error.
  const refused = (): unknown[] => [
    // @ts-expect-error argv is not a command line
    run('ls -l'),
    // @ts-expect-error argv has a program
    run([]),
    // @ts-expect-error the program is text
    run([Buffer.from('ls')]),
    // @ts-expect-error an unknown option
    run(['ls'], { timeuot: 5 }),
    // @ts-expect-error milliseconds are a number
    run(['ls'], { timeout: '5' }),
    // @ts-expect-error not a way to keep
    run(['ls'], { keep: 'middle' }),
    // @ts-expect-error stdout has nothing to be merged into
    run(['ls'], { stdout: 'stdout' }),
    // @ts-expect-error a signal is named in full
    run(['ls'], { killSignal: 'TERM' }),
    // @ts-expect-error there is no shell option
    run(['ls'], { shell: true }),
    // @ts-expect-error variables are text
    run(['ls'], { env: { A: 1 } }),
  ];

  test('is a wrong argv or option', () => expect(refused).toBeTypeOf('function'));

  test('is a change to a result', () => {
    const change = (result: RunResult, argv: Argv): void => {
      // @ts-expect-error results are read-only
      result.code = 0;
      // @ts-expect-error and so is argv
      argv[0] = 'x';
    };
    const result = runSync(['true']);
    expect(() => change(result, result.argv)).toThrow(TypeError);
  });
});

test('arguments may be bytes, stdin may be anything that gives text or bytes', () => {
  expectTypeOf<[string, Uint8Array, string]>().toExtend<Argv>();
  expectTypeOf<
    Buffer | string | AsyncIterable<string> | Iterable<Uint8Array> | { file: URL }
  >().toExtend<StdinOption>();
  expectTypeOf<number>().not.toExtend<StdinOption>();
});

test('a guard narrows an unknown error to its fields', async () => {
  try {
    await run(['/no/such/program']);
    expect.unreachable();
  } catch (error) {
    if (!isSpawnError(error)) throw error;
    expectTypeOf(error).toEqualTypeOf<SpawnError>();
    expectTypeOf(error.index).toEqualTypeOf<number | null>();
    expect(error.stage).toBe('resolve');
  }
});
