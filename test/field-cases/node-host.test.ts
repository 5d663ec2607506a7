// Field cases about what else goes on in the host: F-80 to F-84, F-86, and how a host ends with runs pending.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { run, runSync } from '../../lib/index.ts';
import { child, CHILD, findFixture } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { PACKAGE, PACKAGE_PATH, runHost } from '../helpers/host.ts';
import { countResources, findByCommand } from '../helpers/processes.ts';
import { until } from '../helpers/until.ts';

const folder = makeFolder();
let nextSpan = 9000 + (process.pid % 1000);
const uniqueSpan = (): string => `${nextSpan++}.5`;

describe('F-80: worker threads', () => {
  const start = (span: string): Worker =>
    new Worker(
      `import(${JSON.stringify(PACKAGE)}).then(async ({ spawn }) => {
        const child = spawn(['sleep', '${span}']);
        await child.spawned;
        require('node:worker_threads').parentPort.postMessage('running');
      });`,
      { eval: true },
    );
  const running = (worker: Worker): Promise<unknown> =>
    new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });

  test('a worker that is terminated takes its children with it, 50 times, and nothing else', async () => {
    await run(['true']);
    const mine = run(['sleep', '2']);
    const spans: string[] = [];
    const before = countResources();
    for (let i = 0; i < 50; i++) {
      const span = uniqueSpan();
      spans.push(span);
      const worker = start(span);
      await running(worker);
      await worker.terminate();
    }
    await until('the children are gone', () => spans.every((span) => findByCommand(span).length === 0));
    expect((await mine).ok).toBe(true);
    await until('descriptors and zombies are back', () => {
      const now = countResources();
      return now.descriptors <= before.descriptors && now.zombies === 0;
    });
  });

  test('terminated at any moment of a start, the host lives and nothing stays', async () => {
    const span = uniqueSpan();
    for (let i = 0; i < 30; i++) {
      const worker = new Worker(
        `import(${JSON.stringify(PACKAGE)}).then(({ run }) => {
          require('node:worker_threads').parentPort.postMessage('loaded');
          for (let i = 0; i < 10; i++) run(['sleep', '${span}']).catch(() => {});
        });`,
        { eval: true },
      );
      await running(worker);
      await worker.terminate();
    }
    await until('the children are gone', () => findByCommand(span).length === 0);
  });

  test('several workers and the main thread run programs at the same time', async () => {
    const script = `import(${JSON.stringify(PACKAGE)}).then(async ({ run, runSync }) => {
      let ok = 0;
      await Promise.all(Array.from({ length: 100 }, async (_, i) => {
        const { stdout } = i % 4 === 0 ? runSync(['echo', String(i)]) : await run(['echo', String(i)]);
        if (stdout === i + '\\n') ok++;
      }));
      require('node:worker_threads').parentPort.postMessage(ok);
    });`;
    const counts = Array.from({ length: 4 }, () => running(new Worker(script, { eval: true })));
    const mine = Array.from({ length: 50 }, () => run(['true']));
    expect(await Promise.all(counts)).toEqual([100, 100, 100, 100]);
    expect((await Promise.all(mine)).every(({ ok }) => ok)).toBe(true);
  });
});

test('F-81: 200 starts in one tick keep the loop free', async () => {
  const host = await runHost(`
    await run(['true']);
    const began = performance.now();
    const all = Promise.all(Array.from({ length: 200 }, () => run(['true'])));
    const inCalls = performance.now() - began;
    let longest = 0, last = performance.now(), over = false;
    all.then(() => { over = true; });
    while (!over) {
      await new Promise(setImmediate);
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }
    const results = await all;
    console.log(JSON.stringify({ inCalls, longest, ok: results.every(({ ok }) => ok), total: last - began }));
  `);
  const { inCalls, longest, ok, total } = JSON.parse(host.stdout) as Record<string, number> & { ok: boolean };
  expect(ok).toBe(true);
  // In node:child_process the calls alone are nearly all of the total.
  expect(inCalls).toBeLessThan((total ?? 0) / 4);
  expect(longest).toBeLessThan((total ?? 0) / 2);
});

describe('F-82: a sandbox that refuses system calls', () => {
  /** Started unrefused, with its streams open: what Node itself needs is not the point. */
  const refuse = (call: string, error: string, log: string): string => `
    process.stdout.write(''); process.stderr.write('');
    const { spawn: start } = await import('node:child_process');
    const inject = ['-e', 'trace=${call}', '-e', 'inject=${call}:error=${error}'];
    const strace = start('strace', ['-f', '-o', '${log}', ...inject, '-p', String(process.pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
    await new Promise((resolve) => strace.stderr.on('data', (text) => { if (String(text).includes('attached')) resolve(); }));
    try {
      const done = await run(['${CHILD}', 'count-stdin'], { stdin: 'in' });
      const timed = await run(['sleep', '30'], { timeout: 100 });
      process.stdout.write(JSON.stringify([done.ok, done.stdout, timed.reason, runSync(['echo', 'sync']).stdout]));
    } catch (error) {
      process.stdout.write(JSON.stringify([error.name, error.code]));
    }
    process.exit();
  `;
  // True: the engine, or the C library under it, makes this call, so the refusal is really met.
  test.each([
    ['shutdown', false],
    ['socketpair', false],
    ['getsockopt', false],
    ['pidfd_open', true],
    ['pidfd_send_signal', true],
    ['close_range', true],
    ['clone3', true],
    ['vfork', false],
  ] as const)('%s', async (call, used) => {
    for (const error of ['EPERM', 'ENOSYS']) {
      const log = join(folder, `strace-${call}-${error}`);
      const host = await runHost(refuse(call, error, log));
      const met = readFileSync(log, 'latin1').includes('INJECTED');
      if (used) expect(met, `${call} was refused`).toBe(true);
      const worked = [true, '2\n', 'timeout', 'sync\n'];
      const refused = ['SpawnError', error];
      expect(used ? [worked, refused] : [worked]).toContainEqual(JSON.parse(host.stdout));
    }
  });
});

test('F-83: a wrapper that fails is a result; a start that fails is an error with its own code', async () => {
  const wrapped = await run(['sh', '-c', 'echo "sandbox: cannot set up" >&2; exit 1']);
  expect(wrapped).toMatchObject({ ok: false, reason: 'exit', code: 1, stderr: 'sandbox: cannot set up\n' });
  await expect(run(['/no/such/wrapper', 'true'])).rejects.toMatchObject({ name: 'SpawnError', code: 'ENOENT' });
});

test('F-84: the end of a command is its exit, whatever its output looks like', async () => {
  for (const text of ['', 'no newline', '\u001b]133;D;0\u0007', '\u001b[2J$ ', 'PS1> \r']) {
    const result = await run(['printf', '%s', text]);
    expect([result.reason, result.stdout]).toEqual(['exit', text]);
  }
});

describe('F-86: others that wait for children', () => {
  test('node:child_process and this package side by side, 200 each', async () => {
    const theirs = (code: number): Promise<number | null> =>
      new Promise((resolve) => {
        const started = execFile('sh', ['-c', `exit ${code}`], () => resolve(started.exitCode));
      });
    const codes = Array.from({ length: 200 }, (_, i) => i % 100);
    const [ours, node] = await Promise.all([
      Promise.all(codes.map(async (code) => (await run(child('exit', String(code)))).code)),
      Promise.all(codes.map(theirs)),
    ]);
    expect(ours).toEqual(codes);
    expect(node).toEqual(codes);
  });

  test('a library that reaps everything: every call settles, and no status is made up', async () => {
    const host = await runHost(
      `const results = await Promise.all(Array.from({ length: 100 }, (_, i) => run(['${CHILD}', 'exit', String(i % 50 + 1)])));
       const killed = await run(['sleep', '30'], { timeout: 200 });
       console.log(JSON.stringify({
         wrong: results.filter((r, i) => r.ok || (r.statusKnown ? r.code !== i % 50 + 1 : r.code !== null || r.signal !== null)).length,
         reasons: [...new Set(results.map((r) => r.reason))], timed: killed.timedOut,
       }));`,
      { env: { ...process.env, LD_PRELOAD: findFixture('libreaper.so') } },
    );
    expect([host.stderr, host.code]).toEqual(['', 0]);
    expect(JSON.parse(host.stdout)).toMatchObject({ wrong: 0, timed: true });
  });
});

describe('a host that ends with runs pending', () => {
  test.each([
    ['process.exit', 'process.exit(3)', 3, null],
    ['an uncaught exception', 'throw new Error("on purpose")', 1, null],
    ['an unhandled rejection', 'Promise.reject(new Error("on purpose")); await new Promise(() => {})', 1, null],
    [
      'SIGTERM, handled',
      'process.on("SIGTERM", () => process.exit(4)); process.kill(process.pid, "SIGTERM"); await new Promise(() => {})',
      4,
      null,
    ],
  ])('%s ends them too', async (_, ending, code, signal) => {
    const span = uniqueSpan();
    const host = await runHost(`
      for (let i = 0; i < 5; i++) run(['sh', '-c', 'trap "" TERM; sleep ${span}; true'], i % 2 ? {} : { stdin: 'x' }).catch(() => {});
      await spawn(['sleep', '${span}'], { stdin: 'pipe' }).spawned;
      ${ending};
    `);
    expect([host.code, host.signal]).toEqual([code, signal]);
    await until('the children are gone', () => findByCommand(span).length === 0);
  });

  test('a run that is not awaited keeps the host alive until it ends; an unreferenced one does not', async () => {
    const awaited = await runHost(`run(['sh', '-c', 'sleep 0.2; echo end']).then(({ stdout }) => console.log(stdout))`);
    expect(awaited.stdout).toBe('end\n\n');
    const span = uniqueSpan();
    const free = await runHost(`const child = spawn(['sleep', '${span}']); await child.spawned; child.unref();`);
    expect([free.code, findByCommand(span)]).toEqual([0, []]);
  });
});

describe('the addon twice in one process', () => {
  test('a second copy of the package works beside the first', async () => {
    const root = join(PACKAGE_PATH, '..', '..');
    const copy = join(folder, 'copy');
    mkdirSync(join(copy, 'build', 'Release'), { recursive: true });
    for (const part of ['package.json', 'dist', 'node_modules/node-gyp-build', 'build/Release/argv_spawn.node']) {
      cpSync(join(root, part), join(copy, part), { recursive: true });
    }
    const host = await runHost(`
      const other = await import(${JSON.stringify(join(copy, 'dist', 'index.js'))});
      const results = await Promise.all([run(['echo', 'one']), other.run(['echo', 'two']), run(['echo', 'three'])]);
      const failed = await other.run(['no-such-program']).catch((error) => error);
      const { isSpawnError } = await import(${JSON.stringify(PACKAGE)});
      console.log(results.map((r) => r.stdout.trim()).join(), other.run === run, isSpawnError(failed));
    `);
    expect([host.stderr, host.stdout]).toEqual(['', 'one,two,three false true\n']);
  });

  test('a cleared require cache loads the same addon again', async () => {
    const host = await runHost(`
      const { createRequire } = await import('node:module');
      const require = createRequire(import.meta.url);
      const first = require(${JSON.stringify(PACKAGE_PATH)});
      const pending = first.run(['sleep', '0.2']);
      for (const key of Object.keys(require.cache)) delete require.cache[key];
      const second = require(${JSON.stringify(PACKAGE_PATH)});
      console.log((await second.run(['echo', 'again'])).stdout.trim(), (await pending).ok, first === second);
    `);
    expect([host.stderr, host.stdout]).toMatchObject([
      expect.not.stringMatching(/Error/),
      expect.stringMatching(/^again true/),
    ]);
  });
});

test('F-87: the record of a call is plain, frozen and the same for the same call', async () => {
  const call = (): Promise<{ argv: unknown; program: string; cwd: string | null }> =>
    run(['git', 'diff', '--no-index', '--', 'a b', '*'], { cwd: folder });
  const [one, two] = [await call(), await call()];
  const record = ({ argv, program, cwd }: Awaited<ReturnType<typeof call>>): string =>
    JSON.stringify({ argv, program, cwd });
  expect(record(one)).toBe(record(two));
  expect(Object.isFrozen(one.argv)).toBe(true);
  expect(Object.keys(one)).toEqual(Object.keys(two));
  expect(Object.keys(one)).toEqual(Object.keys(runSync(['true'])));
});
