// One writer for a run. Each host puts a file with a name of its own beside the journal, then looks for files of others:
// of two that come at the same time at least one sees the other and gives up, and no file is ever taken over or reused,
// so clearing away a dead host's file cannot hit a live one's.
//
// A host is known by its process id together with the start time of that process, the boot of the machine and its
// process id space: a reused number is not mistaken for it. Where the system has no /proc to read these from, a number
// that is in use counts as alive. What cannot be told counts as alive: the run is then refused, and the file named.

import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { JournalError } from './errors.ts';

interface Owner {
  readonly pid: number;
  /** Clock ticks since the boot; null where that cannot be read. */
  readonly started: string | null;
  readonly boot: string | null;
  readonly space: string | null;
  readonly machine: string;
  readonly since: string;
}

function attempt(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null; // not there: no process of that number, or no /proc at all
  }
}

/** Field 22 of /proc/PID/stat (proc(5)); the name in field 2 may hold anything. null for a zombie, which writes no more. */
function readStartTime(pid: number): string | null {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields === undefined || fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
}

const readBoot = (): string | null => attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
const readSpace = (): string | null => attempt(() => readlinkSync('/proc/self/ns/pid'));

function describeMyself(): Owner {
  return {
    pid: process.pid,
    started: readStartTime(process.pid),
    boot: readBoot(),
    space: readSpace(),
    machine: hostname(),
    since: new Date().toISOString(),
  };
}

function numberIsInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** True only when the owner certainly writes no more. */
function isDead(owner: Owner): boolean {
  const me = describeMyself();
  // Another boot: the same machine after a restart, or a machine that cannot be asked.
  if (owner.boot !== me.boot) return owner.boot !== null && me.boot !== null && owner.machine === me.machine;
  // Another container on this machine, or without /proc another machine.
  if (owner.space !== me.space || (owner.boot === null && owner.machine !== me.machine)) return false;
  if (owner.started === null || me.started === null) return !numberIsInUse(owner.pid);
  return readStartTime(owner.pid) !== owner.started;
}

function readOwner(path: string): Owner | 'gone' | 'unreadable' {
  try {
    const owner = JSON.parse(readFileSync(path, 'utf8')) as Partial<Owner>;
    return typeof owner.pid === 'number' && typeof owner.machine === 'string' ? (owner as Owner) : 'unreadable';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'gone' : 'unreadable';
  }
}

/**
 * Takes the run for this host.
 *
 * @returns gives it back.
 * @throws JournalError `ERR_JOURNAL_IN_USE`.
 */
export function lockRun(folder: string, run: string): () => void {
  const prefix = `${run}.lock.`;
  const token = randomUUID();
  const mine = `${prefix}${token}`;
  // Written under another name first: under its own name a file is whole.
  const draft = join(folder, `.draft.${token}`);
  writeFileSync(draft, `${JSON.stringify(describeMyself())}\n`, { flag: 'wx' });
  renameSync(draft, join(folder, mine));
  const release = (): void => rmSync(join(folder, mine), { force: true });
  try {
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(prefix) || name === mine) continue;
      const path = join(folder, name);
      const owner = readOwner(path);
      if (owner === 'gone') continue;
      if (owner === 'unreadable' || !isDead(owner)) {
        const who = owner === 'unreadable' ? 'an unknown host' : `process ${owner.pid} on ${owner.machine}`;
        throw new JournalError('ERR_JOURNAL_IN_USE', path, `run ${run} is being written by ${who}, says`);
      }
      rmSync(path, { force: true });
    }
  } catch (error) {
    release();
    throw error;
  }
  return release;
}
