// Many processes: ending a tree, and keeping 500 children.

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countDescriptors, countThreads, mainCpu, now, pause, residentBytes } from '../clocks.mjs';

const START_LIMIT = 60_000;
const END_LIMIT = 2000;

function isAlive(pid) {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return false;
    throw error;
  }
}

async function waitFor(what, limit, condition, every = 10) {
  const started = now();
  while (!condition()) {
    if (now() - started > limit) throw new Error(`${what}: not within ${limit} ms`);
    await pause(every);
  }
}

async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'argv-spawn-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readPids(file) {
  try {
    return readFileSync(file, 'latin1').trim().split('\n').map(Number);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/** One tree: from the request to end it until none of it is alive, and until the contender says that it is over. */
async function endOne(contender, program, size, folder) {
  const list = join(folder, 'pids');
  const child = contender.tree([program, String(size), list]);
  await waitFor('the tree runs', START_LIMIT, () => readPids(list).length === size + 1);
  let alive = readPids(list);
  const started = now();
  let said = null;
  const ending = Promise.resolve(child.end());
  const call = now() - started;
  ending.then(
    () => (said = now() - started),
    () => (said = now() - started),
  );
  let gone = null;
  while (now() - started < END_LIMIT && (gone === null || said === null)) {
    while (alive.length > 0 && !isAlive(alive[0])) alive.shift();
    if (alive.length === 0) gone ??= now() - started;
    await pause(1);
  }
  const over = said; // what is said after the cleaning below does not count
  const left = alive.filter(isAlive);
  for (const pid of left) process.kill(pid, 'SIGKILL');
  await waitFor('what was left is gone', START_LIMIT, () => !left.some(isAlive));
  rmSync(list);
  return { gone: left.length === 0 ? gone : null, said: over, call, left: left.length };
}

const tree = (contender, { size, repeats }, helpers) =>
  inFolder(async (folder) => {
    const all = [];
    for (let i = 0; i < repeats; i++) all.push(await endOne(contender, helpers.tree, size, folder));
    return {
      left: all.map((one) => one.left),
      gone_ms: all.map((one) => one.gone).filter((ms) => ms !== null),
      said_ms: all.map((one) => one.said).filter((ms) => ms !== null),
      silent: all.map((one) => (one.said === null ? 1 : 0)),
      call_ms: all.map((one) => one.call),
    };
  });

const bytesIn = (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

async function holdMany(contender, program, count, file) {
  const before = bytesIn(file);
  const children = Array.from({ length: count }, () => contender.hold([program, file]));
  return { children, running: () => bytesIn(file) === before + count };
}

async function endAll(children) {
  for (const child of children) void child.kill();
  await Promise.all(children.map((child) => child.ended));
}

const footprint = () => {
  const collect = globalThis.gc ?? globalThis.Bun?.gc;
  if (collect) for (let i = 0; i < 3; i++) collect(true);
  const { heapTotal, external } = process.memoryUsage();
  const resident = residentBytes();
  const script = heapTotal + (globalThis.Bun ? 0 : external);
  return { resident, native: resident - script, descriptors: countDescriptors(), threads: countThreads() };
};

const alive = (contender, { count, warm }, { waiter }) =>
  inFolder(async (folder) => {
    const file = join(folder, 'running');
    const first = await holdMany(contender, waiter, warm, file);
    await waitFor('the first run', START_LIMIT, first.running);
    await endAll(first.children);
    const before = footprint();
    const started = now();
    const begun = mainCpu();
    const many = await holdMany(contender, waiter, count, file);
    const calls = now() - started;
    const inside = mainCpu();
    await waitFor('all run', START_LIMIT, many.running, 100); // each look is time of the main thread, too
    const after = mainCpu();
    const held = footprint();
    const ended = now();
    await endAll(many.children);
    return {
      // The time in the calls, and the CPU of the main thread after them.
      busy_ms: [calls + (after - inside) / 1000],
      calls_ms: [calls],
      main_cpu_ms: [(after - begun) / 1000],
      resident_kib: [(held.resident - before.resident) / 1024 / count],
      native_kib: [(held.native - before.native) / 1024 / count],
      descriptors: [(held.descriptors - before.descriptors) / count],
      threads: [held.threads - before.threads],
      end_ms: [now() - ended],
    };
  });

export default {
  tree: {
    letter: 'E',
    needs: 'tree',
    title: 'a tree of 51, half in sessions of their own',
    run: tree,
    metrics: {
      left: { title: 'processes left', unit: '' },
      gone_ms: { title: 'until none is alive', unit: 'ms' },
      said_ms: { title: 'until the contender says that it is over', unit: 'ms' },
      silent: { title: 'share of trees of which it never says so', unit: '' },
      call_ms: { title: 'main thread inside the call', unit: 'ms' },
    },
    full: { size: 50, repeats: 5 },
    quick: { size: 6, repeats: 1 },
  },
  alive: {
    letter: 'F',
    needs: 'hold',
    title: '500 children, stdout and stderr piped',
    run: alive,
    metrics: {
      busy_ms: { title: 'main thread busy until all run', unit: 'ms' },
      calls_ms: { title: 'time in the calls', unit: 'ms' },
      resident_kib: { title: 'memory for a child', unit: 'KiB' },
      native_kib: { title: 'memory for a child outside of the JavaScript heap', unit: 'KiB' },
      descriptors: { title: 'descriptors for a child', unit: '' },
      threads: { title: 'threads added by all', unit: '' },
      end_ms: { title: 'all killed and seen to end', unit: 'ms' },
    },
    full: { count: 500, warm: 20 },
    quick: { count: 10, warm: 2 },
    rounds: 2,
  },
};
