// Much output and much input: how fast, at what cost for the host, in how much memory.

import { execFileSync } from 'node:child_process';
import { hostCpu, mainCpu, now, watchPeak } from '../clocks.mjs';

const MIB = 2 ** 20;
const TRUE = ['/bin/true'];

/**
 * Runs `work` once, after one start that loads the code; `work` says how many bytes there were.
 *
 * `fresh` bytes of the machine's memory are touched just before. The host of a virtual machine takes back what is free
 * within seconds, and then gives it at about 200 MiB/s: that is no matter of any contender.
 */
async function measured(contender, { bytes, fresh = 0 }, { touch }, work) {
  await contender.start(TRUE);
  if (fresh > 0) execFileSync(touch, [String(fresh)]);
  const peak = watchPeak();
  const [cpu, main, started] = [hostCpu(), mainCpu(), now()];
  const got = await work();
  const seconds = (now() - started) / 1000;
  if (got !== bytes) throw new Error(`${got} of ${bytes} bytes`);
  const grown = peak();
  return {
    mib_per_s: [bytes / MIB / seconds],
    host_cpu_ms: [(hostCpu() - cpu) / 1000],
    main_cpu_ms: [(mainCpu() - main) / 1000],
    peak_mib: [grown / MIB],
    peak_ratio: [grown / bytes],
  };
}

const capture = (contender, settings, helpers) =>
  measured(contender, settings, helpers, async () => {
    const argv = [helpers.writer, settings.bytes, settings.chunk].map(String);
    return (await contender.capture(argv)).length;
  });

const reduce = (operation) => async (contender, settings, helpers) =>
  measured(contender, settings, helpers, async () => {
    const { bytes, keep } = settings;
    const found = await contender[operation]([helpers.writer, String(bytes), '65536'], keep);
    if (operation !== 'count' && found.kept !== keep) throw new Error(`${found.kept} of ${keep} bytes kept`);
    return found.bytes;
  });

async function sink(contender, settings, helpers) {
  const { bytes } = settings;
  const data = Buffer.alloc(bytes, 'x');
  return measured(
    contender,
    settings,
    helpers,
    async () => bytes + (await contender.sink([helpers.sink], data)).length,
  );
}

async function echo(contender, settings, helpers) {
  const data = Buffer.alloc(settings.bytes, 'x');
  return measured(contender, settings, helpers, async () => (await contender.echo(['/bin/cat'], data)).length);
}

const SPEED = { title: 'speed', unit: 'MiB/s', more: true };
const COST = {
  host_cpu_ms: { title: 'CPU of the host', unit: 'ms' },
  main_cpu_ms: { title: 'CPU of the main thread', unit: 'ms' },
};
const PEAK = { peak_mib: { title: 'peak growth of memory', unit: 'MiB' } };
const RATIO = { peak_ratio: { title: 'peak growth of memory, in sizes of the output', unit: '' } };
const ALL = { mib_per_s: SPEED, ...COST, ...PEAK };

const captureArgs = ({ bytes, chunk }, { writer }) => ['capture', writer, bytes, chunk];
const GIB = 1024 * MIB;
const TEN = { bytes: 10 * GIB, keep: 30 * 1024 };
const TINY = { bytes: 4 * MIB, keep: 30 * 1024 };

export default {
  'capture-256mib': {
    letter: 'C',
    needs: 'capture',
    title: '256 MiB of output into one Buffer',
    run: capture,
    metrics: { ...ALL, ...RATIO },
    full: { bytes: 256 * MIB, chunk: 65536, fresh: GIB, memory: GIB },
    quick: { bytes: 2 * MIB, chunk: 65536 },
    program: captureArgs,
    rounds: 3,
  },
  'capture-1gib': {
    letter: 'C',
    needs: 'capture',
    title: '1 GiB of output into one Buffer',
    run: capture,
    metrics: { ...ALL, ...RATIO },
    full: { bytes: GIB, chunk: 65536, fresh: 2 * GIB, memory: 3 * GIB },
    quick: { bytes: 4 * MIB, chunk: 65536 },
    program: captureArgs,
    rounds: 1,
  },
  writes: {
    letter: 'C',
    needs: 'capture',
    title: 'a million writes of 100 bytes, into one Buffer',
    run: capture,
    metrics: ALL,
    full: { bytes: 100_000_000, chunk: 100, fresh: GIB / 2, memory: GIB },
    quick: { bytes: 100_000, chunk: 100 },
    program: captureArgs,
    rounds: 2,
  },
  'discard-count': {
    letter: 'C',
    needs: 'count',
    title: '10 GiB of output counted',
    run: reduce('count'),
    metrics: ALL,
    full: TEN,
    quick: TINY,
    program: ({ bytes }, { writer }) => ['count', writer, bytes],
    rounds: 2,
  },
  'discard-head': {
    letter: 'C',
    needs: 'head',
    title: 'the first 30 KiB of 10 GiB',
    run: reduce('head'),
    metrics: ALL,
    full: TEN,
    quick: TINY,
    rounds: 2,
  },
  'discard-tail': {
    letter: 'C',
    needs: 'tail',
    title: 'the last 30 KiB of 10 GiB',
    run: reduce('tail'),
    metrics: ALL,
    full: TEN,
    quick: TINY,
    rounds: 2,
  },
  'stdin-sink': {
    letter: 'D',
    needs: 'sink',
    title: '1 GiB of literal stdin, read and forgotten',
    run: sink,
    metrics: ALL,
    full: { bytes: GIB, memory: 3 * GIB },
    quick: { bytes: 4 * MIB },
    program: ({ bytes }, helpers) => ['feed', helpers.sink, bytes, 'sink'],
    rounds: 2,
  },
  'stdin-echo': {
    letter: 'D',
    needs: 'echo',
    title: '1 GiB of literal stdin through cat into one Buffer',
    run: echo,
    metrics: ALL,
    full: { bytes: GIB, fresh: 2 * GIB, memory: 4 * GIB },
    quick: { bytes: 4 * MIB },
    program: ({ bytes }) => ['feed', '/bin/cat', bytes, 'echo'],
    rounds: 1,
  },
};
