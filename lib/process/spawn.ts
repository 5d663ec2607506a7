// spawn: a handle at once, streams, and promises for the rest.

import { createPlan } from '../command/plan.ts';
import type { Argv, SpawnOptions } from '../command/types.ts';
import { RunningProcess } from './process.ts';
import type { Process } from './types.ts';

/**
 * Starts a program and returns its handle at once; the program itself is started on another thread.
 *
 * stdout and stderr are streams that hold the program back while nobody reads. Use `collect()` to gather them under
 * `maxBuffer`, or `lines()` to go through them.
 *
 * @throws TypeError or RangeError for a wrong argument or option. Everything else arrives through `spawned` and
 * `exited`: SpawnError, AbortError, StdinError, and ExitError with `check: true`.
 */
export function spawn(argv: Argv, options?: SpawnOptions): Process {
  return new RunningProcess(createPlan('spawn', argv, options, 'borrowed'));
}
