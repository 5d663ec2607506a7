// What a process can say about itself on Linux, the same way in Node, Bun and Deno.

import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

export const now = () => performance.now();
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** CPU time of this process in microseconds, all its threads, ended ones included. */
export function hostCpu() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** CPU time of the main thread in microseconds. The first number of schedstat is nanoseconds on a processor. */
export function mainCpu() {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1000;
}

function statusBytes(field) {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'latin1'));
  if (!match) throw new Error(`/proc/self/status has no ${field}`);
  return Number(match[1]) * 1024;
}

export const residentBytes = () => statusBytes('VmRSS');

/** Starts a new peak, see proc(5) on clear_refs. @returns a function that says how far the peak rose since. */
export function watchPeak() {
  writeFileSync('/proc/self/clear_refs', '5');
  const before = residentBytes();
  return () => statusBytes('VmHWM') - before;
}

export const countDescriptors = () => readdirSync('/proc/self/fd').length;
export const countThreads = () => readdirSync('/proc/self/task').length;

/** Holds touched memory, so that this process is as big as `bytes` and a fork has its page tables to copy. */
export function holdResident(bytes) {
  const held = [];
  for (let left = bytes - residentBytes(); left > 0; left -= 64 << 20) {
    held.push(Buffer.alloc(Math.min(left, 64 << 20), 1));
  }
  if (bytes > 0 && residentBytes() < bytes * 0.95) throw new Error(`only ${residentBytes()} bytes became resident`);
  return held;
}

/** A tight loop of setImmediate; `stop` resolves with the longest time between two turns, in microseconds. */
export function watchGaps() {
  let longest = 0;
  let last = now();
  let running = true;
  let ended;
  const turn = () => {
    const time = now();
    longest = Math.max(longest, time - last);
    last = time;
    if (running) setImmediate(turn);
    else ended(longest * 1000);
  };
  setImmediate(turn);
  return () =>
    new Promise((resolve) => {
      ended = resolve;
      running = false;
    });
}
