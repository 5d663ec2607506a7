// The argument-boundary matrix: every row, through every way of starting, from the main thread and from a worker,
// against a C program that prints what it got in hex.

import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { run, runSync, spawn } from '../../lib/index.ts';
import type { Argv } from '../../lib/index.ts';
import { CHILD, child, readArgs, toBytes } from '../helpers/child.ts';
import { PACKAGE, runHost } from '../helpers/host.ts';
import { ARGUMENTS, LONG_ARGUMENTS, REFUSED } from '../helpers/vectors.ts';

const ROUTES: Readonly<Record<string, (argv: Argv) => Promise<string>>> = {
  run: async (argv) => (await run(argv)).stdout,
  runSync: (argv) => Promise.resolve(runSync(argv).stdout),
  spawn: async (argv) => String((await spawn(argv).collect()).stdout),
};
const ROUTE_NAMES = Object.keys(ROUTES);
const IS_WINDOWS = process.platform === 'win32';
/** Every row by itself. On Windows windows/argv does that, with every parser there. */
const SINGLY = IS_WINDOWS ? [] : ROUTE_NAMES;

async function echoThrough(route: string, args: readonly (string | Uint8Array)[]): Promise<Buffer[]> {
  const start = ROUTES[route];
  if (start === undefined) throw new Error(`no route ${route}`);
  return readArgs(await start(child('args', ...args)));
}

test('the matrix has its rows, each with a name of its own', () => {
  expect(ARGUMENTS.length).toBeGreaterThanOrEqual(120);
  expect(new Set(ARGUMENTS.map((row) => row.name)).size).toBe(ARGUMENTS.length);
  expect(new Set(ARGUMENTS.map((row) => toBytes(row.value).toString('hex'))).size).toBeGreaterThan(120);
});

for (const route of SINGLY) {
  describe(`one by one through ${route}`, () => {
    test.each(ARGUMENTS)('argument "$name" arrives unchanged', async ({ value }) => {
      expect(await echoThrough(route, ['first', value, 'last'])).toEqual([
        Buffer.from('first'),
        toBytes(value),
        Buffer.from('last'),
      ]);
    });

    test.each(LONG_ARGUMENTS)('$name arrive unchanged', async ({ value }) => {
      const [arrived] = await echoThrough(route, [value]);
      expect(arrived?.equals(toBytes(value))).toBe(true);
    });
  });
}

describe.each(ROUTE_NAMES)('through %s', (route) => {
  test('all rows arrive side by side, in order', async () => {
    const values = ARGUMENTS.map((row) => row.value);
    expect(await echoThrough(route, values)).toEqual(values.map(toBytes));
  });
});

describe('from a worker', () => {
  // Workers load the compiled package: the test's own module loader is not theirs.
  const SCRIPT = `
    const { workerData, parentPort } = require('node:worker_threads');
    import(workerData.package).then(async ({ run, runSync, spawn }) => {
      const argv = [workerData.child, 'args', ...workerData.values];
      parentPort.postMessage([
        (await run(argv)).stdout,
        runSync(argv).stdout,
        (await spawn(argv).collect()).stdout,
      ]);
    });`;

  test('all rows arrive through run, runSync and spawn', async () => {
    const values = ARGUMENTS.map((row) => row.value);
    const outputs = await new Promise<string[]>((resolve, reject) => {
      const worker = new Worker(SCRIPT, { eval: true, workerData: { package: PACKAGE, child: CHILD, values } });
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    for (const output of outputs) expect(readArgs(output)).toEqual(values.map(toBytes));
    expect(outputs).toHaveLength(3);
  });
});

test('arguments keep their boundaries on a second hop', async () => {
  const values = ARGUMENTS.flatMap((row) => (typeof row.value === 'string' ? [row.value] : []));
  const inner = `import { run } from ${JSON.stringify(PACKAGE)};
    process.stdout.write((await run([${JSON.stringify(CHILD)}, 'args', ...process.argv.slice(1)])).stdout);`;
  const end = await runHost(
    `const inner = await run([process.execPath, '--input-type=module', '-e', ${JSON.stringify(inner)},
      '--', ...JSON.parse(process.env.VALUES)]);
    process.stdout.write(inner.stdout + inner.stderr);`,
    { env: { ...process.env, VALUES: JSON.stringify(values) } },
  );
  expect(end.stderr).toBe('');
  expect(readArgs(end.stdout)).toEqual(values.map(toBytes));
});

describe('refused before anything starts', () => {
  test.each(REFUSED)('$name: $field', async (row) => {
    const argv = row.argv as Argv;
    const { index, offset } = row;
    const expected = {
      code: row.code,
      field: row.field,
      ...(index !== undefined && { index }),
      ...(offset !== undefined && { offset }),
    };
    await expect(run(argv)).rejects.toMatchObject(expected);
    expect(() => runSync(argv)).toThrow(TypeError);
    expect(() => spawn(argv)).toThrow(TypeError);
  });

  test('a NUL byte in a bytes argument names its index and offset; on Windows all bytes are refused', async () => {
    const expected = IS_WINDOWS ? { index: 1, code: 'ERR_INVALID_ARG_TYPE' } : { index: 1, offset: 1 };
    await expect(run(['true', Buffer.from([1, 0, 2])])).rejects.toMatchObject(expected);
  });
});
