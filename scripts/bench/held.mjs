// 500 processes with piped output, held by one that is new: where its main thread's time goes. A program of limits.mjs,
// because the first calls of a process are what is measured: later ones are compiled and meet a larger heap.
//
// Prints JSON, for the first 500 and a second: milliseconds of the main thread's CPU in the calls and from there until
// all run, and how long V8 collected garbage during the calls, by the clock.

import { PerformanceObserver } from 'node:perf_hooks';
import { mainCpu, pause } from './clocks.mjs';
import { spawn } from '../../dist/index.js';

const COUNT = 500;
const WARM = 20;

function hold() {
  const child = spawn(['sleep', '1000'], { containment: 'group' });
  child.stdout.resume();
  child.stderr.resume();
  return child;
}

const collections = [];
new PerformanceObserver((list) => collections.push(...list.getEntries())).observe({ entryTypes: ['gc'] });

async function holdMany(count) {
  const [started, begun] = [performance.now(), mainCpu()];
  const held = Array.from({ length: count }, hold);
  const [called, inside] = [performance.now(), mainCpu()];
  await Promise.all(held.map((one) => one.spawned));
  const after = mainCpu();
  await Promise.all(held.map((one) => one.stop()));
  await pause(0);
  const during = collections.filter(({ startTime }) => startTime >= started && startTime < called);
  return {
    calls: (inside - begun) / 1000,
    collections: during.reduce((sum, { duration }) => sum + duration, 0),
    notices: (after - inside) / 1000,
  };
}

await holdMany(WARM);
const first = await holdMany(COUNT);
const second = await holdMany(COUNT);
console.log(JSON.stringify({ first, second }));
