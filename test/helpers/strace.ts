// A host in which the kernel refuses, or delays, certain calls: strace(1), --inject. Children are traced too.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Tampered {
  /** Words before node. */
  readonly prefix: readonly string[];
  /** How often a call was tampered with: a test that never met its fault has shown nothing. */
  count(): number;
}

let next = 0;

function tamper(folder: string, calls: string, fault: string): Tampered {
  const log = join(folder, `strace-${next++}`);
  return {
    prefix: [
      'strace',
      '-f',
      '-qq',
      '--seccomp-bpf',
      '-o',
      log,
      '-e',
      `trace=${calls}`,
      '-e',
      `inject=${calls}:${fault}`,
    ],
    count: () => readFileSync(log, 'latin1').match(/\((?:INJECTED|DELAYED)\)/g)?.length ?? 0,
  };
}

/** These calls, separated by commas, fail with this error. The log goes to `folder`. */
export const refusing = (folder: string, calls: string, error: string): Tampered =>
  tamper(folder, calls, `error=${error}`);

/** These calls begin so many milliseconds later. */
export const delaying = (folder: string, calls: string, ms: number): Tampered =>
  tamper(folder, calls, `delay_enter=${ms * 1000}`);
