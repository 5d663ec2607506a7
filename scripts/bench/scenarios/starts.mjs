// Starting a small program: how long it takes, how long the main thread stands still, how many per second.
//
// The program is /bin/true with stdout and stderr captured and no stdin.

import { holdResident, hostCpu, mainCpu, now, watchGaps } from '../clocks.mjs';

const TRUE = ['/bin/true'];
const MIB = 2 ** 20;

async function latency(contender, { count, resident, warm }) {
  const held = holdResident(resident);
  const exit = [];
  const call = [];
  for (let i = -warm; i < count; i++) {
    const started = now();
    const promise = contender.start(TRUE);
    const returned = now();
    await promise;
    if (i < 0) continue;
    exit.push(now() - started);
    call.push((returned - started) * 1000);
  }
  return { exit_ms: exit, call_us: call, held_mib: [held.reduce((sum, one) => sum + one.length, 0) / MIB] };
}

function blocking(contender, { count, resident, warm }) {
  const held = holdResident(resident);
  const exit = [];
  for (let i = -warm; i < count; i++) {
    const started = now();
    contender.startSync(TRUE);
    if (i >= 0) exit.push(now() - started);
  }
  return { exit_ms: exit, held_mib: [held.reduce((sum, one) => sum + one.length, 0) / MIB] };
}

async function rate(contender, { count, width, warm }) {
  const many = async (total) => {
    let next = 0;
    const lane = async () => {
      while (next++ < total) await contender.start(TRUE);
    };
    await Promise.all(Array.from({ length: width }, lane));
  };
  await many(Math.max(warm, width));
  const [cpu, main, started] = [hostCpu(), mainCpu(), now()];
  await many(count);
  const seconds = (now() - started) / 1000;
  return {
    starts_per_s: [count / seconds],
    host_cpu_us: [(hostCpu() - cpu) / count],
    main_cpu_us: [(mainCpu() - main) / count],
  };
}

async function gap(contender, { count, resident, warm }) {
  const held = holdResident(resident);
  const gaps = [];
  for (let i = -warm; i < count; i++) {
    const stop = watchGaps();
    await contender.start(TRUE);
    const longest = await stop();
    if (i >= 0) gaps.push(longest);
  }
  return { gap_us: gaps, held_mib: [held.reduce((sum, one) => sum + one.length, 0) / MIB] };
}

async function burst(contender, { count, repeats }) {
  const gaps = [];
  const spans = [];
  for (let i = -1; i < repeats; i++) {
    const stop = watchGaps();
    const started = now();
    const all = Array.from({ length: count }, () => contender.start(TRUE));
    const returned = now();
    await Promise.all(all);
    const longest = await stop();
    if (i < 0) continue;
    gaps.push(longest / 1000);
    spans.push(returned - started);
  }
  return { gap_ms: gaps, calls_ms: spans };
}

const EXIT = { title: 'start to exit', unit: 'ms' };
const CALL = { title: 'main thread inside the call', unit: 'µs' };
const START_METRICS = { exit_ms: EXIT, call_us: CALL };
const RATE_METRICS = {
  starts_per_s: { title: 'starts per second', unit: '/s', more: true },
  host_cpu_us: { title: 'CPU of the host per start', unit: 'µs' },
  main_cpu_us: { title: 'CPU of the main thread per start', unit: 'µs' },
};
const BURST_METRICS = {
  gap_ms: { title: 'longest gap of the event loop', unit: 'ms' },
  calls_ms: { title: 'the 200 calls', unit: 'ms' },
};
const GAP_METRICS = { gap_us: { title: 'longest gap of the loop in one start', unit: 'µs' } };

const startArgs = ({ count, resident, warm }) => ['latency', count, resident, warm];
const rateArgs = ({ count, width, warm }) => ['rate', count, width, warm];
const SIZES = { '60mb': 60 * MIB, '1gb': 1024 * MIB, '4gb': 4096 * MIB };

const TINY = { count: 3, resident: 0, warm: 1 };
const WARM = { warm: 20 };

export default {
  'latency-60mb': {
    letter: 'A',
    needs: 'start',
    title: '/bin/true, 60 MB resident',
    run: latency,
    metrics: START_METRICS,
    full: { ...WARM, count: 60, resident: SIZES['60mb'] },
    quick: TINY,
    program: startArgs,
  },
  'latency-1gb': {
    letter: 'A',
    needs: 'start',
    title: '/bin/true, 1 GB resident',
    run: latency,
    metrics: START_METRICS,
    full: { ...WARM, count: 20, resident: SIZES['1gb'] },
    quick: TINY,
    program: startArgs,
    rounds: 3,
  },
  'latency-4gb': {
    letter: 'A',
    needs: 'start',
    title: '/bin/true, 4 GB resident',
    run: latency,
    metrics: START_METRICS,
    full: { ...WARM, count: 20, resident: SIZES['4gb'] },
    quick: TINY,
    program: startArgs,
    rounds: 2,
  },
  'blocking-60mb': {
    letter: 'AS',
    needs: 'startSync',
    title: 'the blocking call, 60 MB resident',
    run: blocking,
    metrics: { exit_ms: EXIT },
    full: { ...WARM, count: 60, resident: SIZES['60mb'] },
    quick: TINY,
    program: startArgs,
  },
  'blocking-1gb': {
    letter: 'AS',
    needs: 'startSync',
    title: 'the blocking call, 1 GB resident',
    run: blocking,
    metrics: { exit_ms: EXIT },
    full: { ...WARM, count: 20, resident: SIZES['1gb'] },
    quick: TINY,
    program: startArgs,
    rounds: 3,
  },
  'rate-1': {
    letter: 'B',
    needs: 'start',
    title: '/bin/true, one at a time',
    run: rate,
    metrics: RATE_METRICS,
    full: { ...WARM, count: 150, width: 1 },
    quick: { count: 5, width: 1, warm: 1 },
    program: rateArgs,
  },
  'rate-8': {
    letter: 'B',
    needs: 'start',
    title: '/bin/true, 8 at once',
    run: rate,
    metrics: RATE_METRICS,
    full: { ...WARM, count: 320, width: 8 },
    quick: { count: 16, width: 8, warm: 1 },
    program: rateArgs,
  },
  'rate-64': {
    letter: 'B',
    needs: 'start',
    title: '/bin/true, 64 at once',
    run: rate,
    metrics: RATE_METRICS,
    full: { ...WARM, count: 384, width: 64 },
    quick: { count: 16, width: 8, warm: 1 },
    program: rateArgs,
  },
  burst: {
    letter: 'H',
    needs: 'start',
    title: '200 started in one tick',
    run: burst,
    metrics: BURST_METRICS,
    full: { count: 200, repeats: 2 },
    quick: { count: 5, repeats: 1 },
    rounds: 3,
  },
  'gap-60mb': {
    letter: 'L',
    needs: 'start',
    title: 'a busy event loop, 60 MB resident',
    run: gap,
    metrics: GAP_METRICS,
    full: { ...WARM, count: 60, resident: SIZES['60mb'] },
    quick: TINY,
  },
  'gap-1gb': {
    letter: 'L',
    needs: 'start',
    title: 'a busy event loop, 1 GB resident',
    run: gap,
    metrics: GAP_METRICS,
    full: { ...WARM, count: 20, resident: SIZES['1gb'] },
    quick: TINY,
    rounds: 2,
  },
};
