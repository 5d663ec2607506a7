// What is measured. Each scenario runs in a process that holds one contender and returns named lists of samples.

import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('../../build/fixtures/child', import.meta.url));
const now = () => performance.now();

/** CPU of this process in microseconds, all its threads. */
const hostCpu = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Memory that belongs to a host with a life of its own: touched, so that a fork has to copy its page tables. */
function makeResident(bytes) {
  const held = [];
  for (let left = bytes; left > 0; left -= 64 << 20) held.push(Buffer.alloc(Math.min(left, 64 << 20), 1));
  return held;
}

async function latency(contender, { count, residentMb = 0 }) {
  const held = makeResident(residentMb * 2 ** 20);
  const total = [];
  const call = [];
  for (let i = 0; i < count + 20; i++) {
    const started = now();
    const promise = contender.run(['/bin/true']);
    const returned = now();
    await promise;
    if (i < 20) continue; // warm
    total.push(now() - started);
    call.push((returned - started) * 1000);
  }
  if (held.length * 64 < residentMb) throw new Error('memory was not held');
  return { 'start to exit, ms': total, 'call blocks, µs': call };
}

async function blocking(contender, { count }) {
  const total = [];
  for (let i = 0; i < count + 20; i++) {
    const started = now();
    contender.runSync(['/bin/true']);
    if (i >= 20) total.push(now() - started);
  }
  return { 'blocking call, ms': total };
}

async function parallel(contender, { count, width }) {
  const cpu = hostCpu();
  const started = now();
  let next = 0;
  const worker = async () => {
    while (next++ < count) await contender.run(['/bin/true']);
  };
  await Promise.all(Array.from({ length: width }, worker));
  const used = hostCpu() - cpu;
  return {
    [`ms per start, ${width} at once`]: [(now() - started) / count],
    [`host CPU per start, µs, ${width} at once`]: [used / count],
  };
}

async function capture(contender, { bytes }) {
  const cpu = hostCpu();
  const started = now();
  const received = await contender.run([CHILD, 'flood', String(bytes)]);
  const seconds = (now() - started) / 1000;
  const used = hostCpu() - cpu;
  if (received !== bytes) throw new Error(`${received} of ${bytes} bytes arrived`);
  return {
    'ms per MiB captured': [(seconds * 1000) / (bytes / 2 ** 20)],
    'host CPU per MiB, µs': [used / (bytes / 2 ** 20)],
  };
}

/** Samples are times or costs: smaller is better everywhere, so every ratio reads the same way. */
export const SCENARIOS = {
  latency: { run: latency, full: { count: 200 }, short: { count: 30 } },
  'latency at 1 GB resident': {
    run: latency,
    full: { count: 40, residentMb: 1024 },
    short: { count: 5, residentMb: 256 },
  },
  blocking: { run: blocking, full: { count: 200 }, short: { count: 30 } },
  '8 at once': { run: parallel, full: { count: 400, width: 8 }, short: { count: 60, width: 8 } },
  '64 at once': { run: parallel, full: { count: 800, width: 64 }, short: { count: 120, width: 64 } },
  'capture 256 MiB': { run: capture, full: { bytes: 2 ** 28 }, short: { bytes: 2 ** 24 } },
};
