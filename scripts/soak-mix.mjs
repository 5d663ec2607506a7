// The mix of runs of a campaign: one row per kind, with its share and what must come back.
//
// A row's `start` resolves when its promise held and rejects when it did not.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, runSync, spawn } from '../dist/index.js';

const folder = mkdtempSync(join(tmpdir(), 'argv-spawn-soak-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const brokenScript = join(folder, 'broken');
writeFileSync(brokenScript, '#!/no/such/interpreter\n', { mode: 0o755 });

const MIB = 1024 * 1024;
const BLOCK = Buffer.alloc(MIB, 'input ');

/** Rejects unless `promise` is a rejection with this name and code. */
async function refused(promise, expected) {
  await assert.rejects(promise, (error) => {
    assert.deepEqual({ name: error.name, code: error.code, stage: error.stage }, expected);
    return true;
  });
}

/** @type {readonly { name: string, share: number, start(index: number, signal: AbortSignal): Promise<void> }[]} */
export const MIX = [
  {
    name: 'success',
    share: 20,
    async start(index, signal) {
      const { ok, stdout } = await run(['echo', String(index)], { signal });
      assert.deepEqual([ok, stdout], [true, `${index}\n`]);
    },
  },
  {
    name: 'exit code and both streams',
    share: 10,
    async start(index, signal) {
      const result = await run(['sh', '-c', 'echo out; echo err >&2; exit 7'], { signal });
      assert.deepEqual([result.code, result.stdout, result.stderr], [7, 'out\n', 'err\n']);
    },
  },
  {
    name: 'ended by a signal',
    share: 4,
    async start(index, signal) {
      const result = await run(['sh', '-c', 'kill -9 $$'], { signal });
      assert.deepEqual([result.reason, result.signal, result.code], ['signal', 'SIGKILL', null]);
    },
  },
  {
    name: 'missing program',
    share: 8,
    start: (index, signal) =>
      refused(run(['/no/such/program'], { signal, stdin: 'x' }), {
        name: 'SpawnError',
        code: 'ENOENT',
        stage: 'resolve',
      }),
  },
  {
    name: 'missing cwd',
    share: 8,
    start: (index, signal) =>
      refused(run(['true'], { signal, cwd: '/no/such/folder' }), { name: 'SpawnError', code: 'ENOENT', stage: 'cwd' }),
  },
  {
    name: 'missing interpreter',
    share: 3,
    start: (index, signal) =>
      refused(run([brokenScript], { signal }), { name: 'SpawnError', code: 'ENOENT', stage: 'interpreter' }),
  },
  {
    name: 'timeout of a tree',
    share: 8,
    async start(index, signal) {
      const options = { signal, timeout: 30 + (index % 40), forceKillAfter: index % 3 === 0 ? 0 : 2000 };
      const result = await run(['sh', '-c', 'echo up; sleep 600 & sleep 600'], options);
      assert.equal(result.reason, 'timeout');
    },
  },
  {
    name: 'timeout of a program that ignores SIGTERM',
    share: 2,
    async start(index, signal) {
      const argv = ['sh', '-c', "trap '' TERM; sleep 600; sleep 600"];
      const result = await run(argv, { signal, timeout: 100, forceKillAfter: 50 });
      assert.equal(result.reason, 'timeout');
    },
  },
  {
    name: 'abort',
    share: 8,
    async start(index) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), index % 20);
      await assert.rejects(run(['sleep', '600'], { signal: controller.signal }), { name: 'AbortError' });
    },
  },
  {
    name: 'stdin that is not read',
    share: 5,
    async start(index, signal) {
      const result = await run(['true'], { signal, stdin: BLOCK });
      assert.equal(result.ok, true);
    },
  },
  {
    name: 'stdin there and back',
    share: 3,
    async start(index, signal) {
      const { stdout } = await run(['cat'], { signal, stdin: BLOCK, encoding: 'buffer' });
      assert.ok(stdout.equals(BLOCK));
    },
  },
  {
    name: 'large output under a cap',
    share: 5,
    async start(index, signal) {
      const { capture } = await run(['head', '-c', String(3 * MIB), '/dev/zero'], { signal, maxBuffer: 64 * 1024 });
      assert.deepEqual([capture.stdout.bytes, capture.stdout.kept], [3 * MIB, 64 * 1024]);
    },
  },
  {
    name: 'ended by the cap',
    share: 2,
    async start(index, signal) {
      const { reason } = await run(['yes'], { signal, maxBuffer: 10_000, onMaxBuffer: 'kill' });
      assert.equal(reason, 'max-buffer');
    },
  },
  {
    name: 'tee to a file',
    share: 2,
    async start(index, signal) {
      const file = join(folder, `tee-${index}`);
      await run(['seq', '1', '20000'], { signal, tee: { stdout: file }, maxBuffer: 100 });
      assert.equal(readFileSync(file).length, 108_894);
      rmSync(file);
    },
  },
  {
    name: 'background holder of the pipe',
    share: 3,
    async start(index, signal) {
      const { stdout, leftovers } = await run(['sh', '-c', 'sleep 600 & echo done'], { signal });
      assert.equal(stdout, 'done\n');
      // A fork that has not come to its exec yet is still called sh.
      assert.match(leftovers.map(({ name, fate }) => `${name} ${fate}`).join(), /^(sleep|sh) ended$/);
    },
  },
  {
    name: 'grandchild in a session of its own that holds the pipe',
    share: 5,
    async start(index, signal) {
      // Forked twice and without an environment: neither group, session, parent nor a variable leads to it.
      const text = "trap '' TERM HUP; (env -i setsid sh -c 'sleep 600' &) & echo done";
      const { stdout, leftovers, containment } = await run(['sh', '-c', text], { signal });
      assert.deepEqual([stdout, containment.tree], ['done\n', 'tree']);
      assert.ok(
        leftovers.every(({ fate }) => fate === 'ended'),
        JSON.stringify(leftovers),
      );
    },
  },
  {
    name: 'lines of a stream',
    share: 3,
    async start(index, signal) {
      const lines = [];
      for await (const { text } of spawn(['seq', '1', '500'], { signal }).lines()) lines.push(text);
      assert.equal(lines.length, 500);
    },
  },
  {
    name: 'a handle that is stopped unread',
    share: 3,
    async start(index, signal) {
      const child = spawn(['yes'], { signal, stdin: 'pipe' });
      if (index % 2 === 0) await child.spawned;
      // Stopped before it began, it is not a status.
      const end = await child.stop().then(
        (status) => status.reason,
        (error) => error.name,
      );
      assert.ok(['stop', 'AbortError'].includes(end), end);
    },
  },
  {
    name: 'blocking call',
    share: 1,
    start: (index) => {
      assert.equal(runSync(['echo', String(index)]).stdout, `${index}\n`);
      return Promise.resolve();
    },
  },
];

/** A fixed sequence of numbers in [0, 1) for a seed (mulberry32). */
export function makeRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const TOTAL = MIX.reduce((sum, { share }) => sum + share, 0);

/** A row, by its share. */
export function pick(random) {
  let at = random() * TOTAL;
  for (const row of MIX) {
    at -= row.share;
    if (at < 0) return row;
  }
  return MIX[0];
}
