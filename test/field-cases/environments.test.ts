// Field cases about the JavaScript environments of one host, F-80: workers that end with runs in flight, workers at
// work at once, the addon loaded twice.

import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createPlan } from '../../lib/command/plan.ts';
import { toRequest } from '../../lib/process/request.ts';
import { makeFolder } from '../helpers/folder.ts';
import { PACKAGE, runHost } from '../helpers/host.ts';
import { HELPERS } from '../helpers/host-script.ts';
import { findByCommand } from '../helpers/processes.ts';
import { uniqueSpan } from '../helpers/span.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** In a worker: one run of every kind that can be pending, then `then`. */
const pendingRuns = (span: string, then: string): string => `
  const { parentPort } = require('node:worker_threads');
  import(${JSON.stringify(PACKAGE)}).then(async ({ run, runSync, spawn }) => {
    const ignore = () => undefined;
    async function* endless() { for (;;) yield 'input\\n'; }
    run(['sleep', '${span}']).catch(ignore);
    run(['sh', '-c', "trap '' TERM; sleep ${span} & sleep ${span}"], { timeout: 60000 }).catch(ignore);
    run(['cat'], { stdin: endless() }).catch(ignore);
    run(['/no/such/program']).catch(ignore);
    const flood = spawn(['sh', '-c', 'yes ${span}'], { stdin: 'pipe' });
    const reader = spawn(['sh', '-c', 'yes ${span}']);
    reader.stdout.on('data', ignore);
    const last = spawn(['sleep', '${span}']);
    ${then}
  });`;

describe('F-80: a worker that ends while its runs are in flight', () => {
  interface Stage {
    readonly name: string;
    readonly script: string;
    /** What the main thread sees: the message that makes it terminate the worker, its error, its exit code. */
    readonly seen: readonly [message: string | null, error: string | null, code: number];
  }

  const span = uniqueSpan();
  const TERMINATED = ['go', null, 1] as const;
  const stages: readonly Stage[] = [
    {
      name: 'terminated while it loads the package',
      script: `require('node:worker_threads').parentPort.postMessage('go'); ${pendingRuns(span, '')}`,
      seen: TERMINATED,
    },
    {
      name: 'terminated in the turn that started them',
      script: pendingRuns(span, `parentPort.postMessage('go'); for (;;);`),
      seen: TERMINATED,
    },
    {
      name: 'terminated when they run',
      script: pendingRuns(span, `await last.spawned; await reader.spawned; parentPort.postMessage('go');`),
      seen: TERMINATED,
    },
    {
      name: 'terminated while it waits in a blocking call',
      script: pendingRuns(span, `parentPort.postMessage('go'); runSync(['sleep', '0.1']);`),
      seen: TERMINATED,
    },
    {
      name: 'leaving by process.exit',
      script: pendingRuns(span, `await last.spawned; process.exit(3);`),
      seen: [null, null, 3],
    },
    {
      name: 'leaving by an exception',
      script: pendingRuns(span, `await last.spawned; throw new Error('on purpose');`),
      seen: [null, 'on purpose', 1],
    },
  ];

  test('50 times: the host lives, nothing is left', async () => {
    const end = await runHost(
      `${HELPERS}
      import { Worker } from 'node:worker_threads';
      const stages = ${JSON.stringify(stages)};
      const unexpected = [];
      async function round(i) {
        const { name, script, seen } = stages[i % stages.length];
        const worker = new Worker(script, { eval: true, execArgv: [] });
        let message = null;
        let error = null;
        worker.on('error', (thrown) => (error = thrown.message));
        worker.once('message', (value) => {
          message = value;
          void worker.terminate();
        });
        const code = await new Promise((resolve) => worker.once('exit', resolve));
        if (JSON.stringify([message, error, code]) !== JSON.stringify(seen)) unexpected.push([name, message, error, code]);
      }
      await run(['true']);
      for (let i = 0; i < stages.length; i++) await round(i);
      const gone = () => findByCommand(process.env.SPAN).length === 0;
      await until('the first runs are gone', gone);
      // A worker that is terminated while Node reads a module leaves its file open, whatever module that is.
      const count = () => ({ ...countResources(), descriptors: listOpen().filter((path) => !path.endsWith('.js')).length });
      const before = count();
      for (let i = 0; i < 50; i++) await round(i);
      await until('all runs are gone', gone);
      const settled = () => {
        const now = count();
        return Object.keys(before).every((name) => now[name] <= before[name]);
      };
      await until('nothing is left over', settled, 20000).catch(() => unexpected.push([before, count()]));
      console.log(JSON.stringify([unexpected, (await run(['echo', 'alive'])).stdout]));`,
      { env: { ...process.env, SPAN: span }, timeoutMs: 110_000 },
    );
    expect(end).toMatchObject({ code: 0, signal: null, stderr: '' });
    expect(JSON.parse(end.stdout)).toEqual([[], 'alive\n']);
    expect(findByCommand(span)).toEqual([]);
  }, 120_000);
});

test('several workers and the main thread run programs at once, each its own', async () => {
  const worker = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(${JSON.stringify(PACKAGE)}).then(async ({ run, runSync, spawn }) => {
      const results = await Promise.all(Array.from({ length: 40 }, async (_, i) => {
        const text = workerData + ':' + i;
        if (i % 10 === 9) return runSync(['echo', text]).stdout === text + '\\n';
        if (i % 3 === 1) return (await spawn(['cat'], { stdin: text }).collect()).stdout === text;
        const { stdout, code } = await run(['sh', '-c', 'cat; exit ' + (i + 1)], { stdin: text });
        return stdout === text && code === i + 1;
      }));
      const late = await run(['sleep', '60'], { timeout: 50 });
      parentPort.postMessage(results.every(Boolean) && late.reason === 'timeout');
    });`;
  const end = await runHost(`
    import { Worker } from 'node:worker_threads';
    const answers = Promise.all([1, 2, 3, 4, 5].map((name) => new Promise((resolve, reject) => {
      const worker = new Worker(${JSON.stringify(worker)}, { eval: true, execArgv: [], workerData: name });
      let answer;
      worker.once('message', (value) => (answer = value));
      worker.once('error', reject);
      worker.once('exit', (code) => resolve([answer, code]));
    })));
    const own = await Promise.all(Array.from({ length: 40 }, async (_, i) => (await run(['echo', String(i)])).stdout === i + '\\n'));
    console.log(JSON.stringify([await answers, own.every(Boolean)]));`);
  expect(end.stderr).toBe('');
  expect(JSON.parse(end.stdout)).toEqual([Array(5).fill([true, 0]), true]);
});

describe('the addon in one process twice', () => {
  test('as two copies of the package, both of them at work', async () => {
    const copy = join(makeFolder(), 'copy');
    for (const part of ['dist', 'package.json', 'build/Release/argv_spawn.node']) {
      cpSync(join(ROOT, part), join(copy, part), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const end = await runHost(`
      import { readFileSync } from 'node:fs';
      const other = await import(${JSON.stringify(pathToFileURL(join(copy, 'dist/index.js')).href)});
      const both = [run, other.run];
      const results = await Promise.all(Array.from({ length: 60 }, (_, i) => both[i % 2](['sh', '-c', 'exit ' + i])));
      const late = await Promise.all(both.map((one) => one(['sleep', '60'], { timeout: 50 })));
      const loaded = new Set(readFileSync('/proc/self/maps', 'utf8').match(/\\S+argv_spawn\\.node/g));
      console.log(JSON.stringify([
        other.run === run, loaded.size, results.every(({ code }, i) => code === i), late.map((one) => one.reason),
      ]));`);
    expect(end.stderr).toBe('');
    expect(JSON.parse(end.stdout)).toEqual([false, 2, true, ['timeout', 'timeout']]);
  });

  test('as one file loaded again after the require cache was cleared', async () => {
    const { text, numbers } = toRequest(createPlan('run', ['sh'], {}), 0, 'collect');
    const end = await runHost(`
      import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      const path = ${JSON.stringify(join(ROOT, 'build/Release/argv_spawn.node'))};
      await run(['true']);
      const load = () => {
        delete require.cache[path];
        const addon = require(path);
        const waiting = new Map();
        const FINISHED = 8;
        const table = addon.open((count) => {
          for (let row = 0; row < count; row++) {
            const [kind, id, , , code] = table.subarray(row * 20);
            if (kind === FINISHED) waiting.get(id)({ code });
          }
        });
        const start = (code, id) => new Promise((resolve) => {
          waiting.set(id, resolve);
          const numbers = Float64Array.from(${JSON.stringify([...numbers])});
          numbers[0] = id;
          addon.start(${JSON.stringify(text)}, numbers, 'sh\\0-c\\0exit ' + code + '\\0', '', null);
        });
        return { addon, start };
      };
      const [first, second] = [load(), load()];
      const codes = await Promise.all([1, 2, 3, 4].map((code) => (code % 2 ? first : second).start(code, code)));
      console.log(JSON.stringify([
        first.addon === second.addon, codes.map(({ code }) => code), (await run(['sh', '-c', 'exit 9'])).code,
      ]));`);
    expect(end.stderr).toBe('');
    expect(JSON.parse(end.stdout)).toEqual([false, [1, 2, 3, 4], 9]);
  });
});
