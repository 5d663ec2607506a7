// A host in which the kernel refuses, or delays, certain calls: strace(1), --inject. Children are traced too.

import { spawn as spawnForeign } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './until.ts';

export interface Tampered {
  /** Words before node. */
  readonly prefix: readonly string[];
  /** How often a call was tampered with: a test that never met its fault has shown nothing. */
  readonly count: () => number;
}

let next = 0;

function tamper(folder: string, calls: string, fault: string): Tampered & { readonly attach: readonly string[] } {
  const log = join(folder, `strace-${next++}`);
  const attach = ['-f', '-qq', '-o', log, '-e', `trace=${calls}`, '-e', `inject=${calls}:${fault}`];
  return {
    attach,
    prefix: ['strace', '--seccomp-bpf', ...attach],
    count: () => readFileSync(log, 'latin1').match(/\((?:INJECTED|DELAYED)\)/g)?.length ?? 0,
  };
}

/**
 * The same for a host that runs already: Node itself cannot start where no thread can be made.
 */
export async function refuseFromNowOn(pid: number, folder: string, calls: string, error: string) {
  const { attach, count } = tamper(folder, calls, `error=${error}`);
  const tracer = spawnForeign('strace', [...attach, '-p', String(pid)], { stdio: 'ignore' });
  const isTraced = (thread: string): boolean =>
    !/^TracerPid:\t0$/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, 'latin1'));
  await until('every thread is traced', () => readdirSync(`/proc/${pid}/task`).every(isTraced));
  return { count, ended: new Promise((resolve) => tracer.once('exit', resolve)) };
}

/** These calls, separated by commas, fail with this error. The log goes to `folder`. */
export const refusing = (folder: string, calls: string, error: string): Tampered =>
  tamper(folder, calls, `error=${error}`);

/** These calls begin so many milliseconds later. */
export const delaying = (folder: string, calls: string, ms: number): Tampered =>
  tamper(folder, calls, `delay_enter=${ms * 1000}`);
