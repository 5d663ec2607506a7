// Looking at processes through /proc. A zombie is not alive: signal 0 would still reach it.

import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

interface Stat {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
}

function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state = '', parent = '', group = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { pid, state, parent: Number(parent), group: Number(group) };
  } catch {
    return undefined; // gone
  }
}

function listPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

export function isAlive(pid: number): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.state !== 'Z' && stat.state !== 'X';
}

/** Process group of a live process. */
export function readGroup(pid: number): number | undefined {
  return readStat(pid)?.group;
}

/** Live processes that have `text` in their command line. */
export function findByCommand(text: string): number[] {
  return listPids().filter((pid) => {
    try {
      return isAlive(pid) && pid !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}

/** Parent of a process, dead or alive. */
export function readParent(pid: number): number | undefined {
  return readStat(pid)?.parent;
}

/** Dead or alive. */
export function countChildren(parent: number): number {
  return listPids().filter((pid) => readStat(pid)?.parent === parent).length;
}

export function countZombies(parent: number): number {
  return listPids().filter((pid) => {
    const stat = readStat(pid);
    return stat?.parent === parent && stat.state === 'Z';
  }).length;
}

export interface Resources {
  readonly descriptors: number;
  readonly threads: number;
  readonly zombies: number;
}

export function countResources(pid: number = process.pid): Resources {
  return {
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: readdirSync(`/proc/${pid}/task`).length,
    zombies: countZombies(pid),
  };
}

/** What each descriptor of a process is open to: a path, or for example `pipe:[4711]`. */
export function listOpen(pid: number = process.pid): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)];
    } catch {
      return []; // that of the folder itself, closed by now
    }
  });
}

/** Resident bytes of a process. */
export function readRss(pid: number = process.pid): number {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  return Number(line?.[1] ?? Number.NaN) * 1024;
}

/** Bytes a process has written so far, to whatever: `wchar` of proc_pid_io(5). */
export function readWritten(pid: number): number {
  return Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1] ?? Number.NaN);
}
