// Many runs of every kind leave the host as it was.

import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { isAbortError, isSpawnError, run, spawn } from '../../lib/index.ts';
import { child } from '../helpers/child.ts';
import { countResources } from '../helpers/processes.ts';
import { until } from '../helpers/until.ts';

const RUNS = 3000;
const AT_ONCE = 16;

const shared = new AbortController();

/** Each kind asserts its own outcome; the names are what a failure prints. */
const KINDS: readonly (readonly [name: string, start: (index: number) => Promise<boolean>])[] = [
  ['success', async (i) => (await run(['echo', String(i)], { signal: shared.signal })).stdout === `${i}\n`],
  ['exit code', async (i) => (await run(child('exit', String(i % 256)))).code === i % 256],
  [
    'missing program',
    () =>
      run(['no-such-program']).then(
        () => false,
        (error: unknown) => isSpawnError(error) && error.code === 'ENOENT',
      ),
  ],
  [
    'missing folder',
    () =>
      run(['true'], { cwd: '/no/such' }).then(
        () => false,
        (error: unknown) => isSpawnError(error) && error.stage === 'cwd',
      ),
  ],
  ['timeout', async () => (await run(['sleep', '30'], { timeout: 20 })).timedOut],
  [
    'abort',
    () => {
      const signal = AbortSignal.timeout(20);
      return run(['sleep', '30'], { signal }).then(() => false, isAbortError);
    },
  ],
  ['ignored stdin', async () => (await run(['true'], { stdin: Buffer.alloc(300_000) })).ok],
  [
    'large output',
    async () => (await run(child('flood', '2000000'), { maxBuffer: 1000 })).capture.stdout?.bytes === 2_000_000,
  ],
  [
    'streams left unread',
    async () => {
      await using started = spawn(['cat', '/dev/zero'], { stdin: 'pipe', forceKillAfter: 0, signal: shared.signal });
      await started.spawned;
      return true;
    },
  ],
];

test(`${RUNS} mixed runs, ${AT_ONCE} at once: descriptors, threads, zombies and listeners are back`, async () => {
  await Promise.all(Array.from({ length: 64 }, () => run(['true']))); // every thread there will be
  const before = countResources();
  const failures: string[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < RUNS) {
      const index = next++;
      const [name, start] = KINDS[index % KINDS.length] ?? [];
      if ((await start?.(index)) !== true) failures.push(`${name ?? '?'} (run ${index})`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  expect(failures).toEqual([]);
  expect(getEventListeners(shared.signal, 'abort')).toEqual([]);
  await until('resources are back', () => {
    const now = countResources();
    return now.descriptors <= before.descriptors && now.threads <= before.threads && now.zombies === 0;
  });
}, 180_000);
