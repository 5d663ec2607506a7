// run: start, collect, wait. Only ever rejects.

import { createPlan } from '../command/plan.ts';
import type { Argv, Plan, RunOptions } from '../command/types.ts';
import { AbortError, StdinError } from '../errors/errors.ts';
import { toSpawnError } from '../errors/spawn-message.ts';
import { makeId, startRun, stopRun } from '../native/binding.ts';
import type { NativeEvent, NativeFinished } from '../native/contract.ts';
import { quoteVisibly } from '../util/describe.ts';
import { armAbort } from './abort-listener.ts';
import { InputPump } from './input-pump.ts';
import { toRequest } from './request.ts';
import { checkRequired } from './require.ts';
import { makeExitError, toRunResult } from './result.ts';
import type { ResultOf, RunResult } from './types.ts';

/**
 * Starts a program, feeds it, collects its output and waits for its end.
 *
 * Resolves when the program has ended, its output has been read and its tree is settled; a non-zero exit code, a signal
 * and a timeout are results. With `encoding: 'buffer'` the outputs are bytes, else text.
 *
 * Rejects, and never throws:
 * - TypeError or RangeError (`code`, `field`): an argument or option is wrong. Nothing was started.
 * - SpawnError: nothing was started; `code`, `stage` and `subject` say what is at fault.
 * - AbortError: `signal` was aborted; with `result` when the program had been started, which is over by then.
 * - StdinError: the iterable given as stdin failed; the program has been ended.
 * - ExitError: with `check: true`, whenever `ok` is false.
 */
export function run<const O extends RunOptions = object>(argv: Argv, options?: O): Promise<ResultOf<O>> {
  const result = new Promise<RunResult>((resolve, reject) => {
    carryOut(createPlan('run', argv, options, 'borrowed'), resolve, reject);
  });
  // The options decide which outputs are text, bytes or null; ResultOf says the same in types.
  return result as Promise<ResultOf<O>>;
}

/** Carries out a Plan that was made, and may have been shown and approved, before. */
export function runPlan(plan: Plan): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    carryOut(plan, resolve, reject);
  });
}

/** Inside the promise that it settles: what it throws is the reason of a rejection, too. */
function carryOut(plan: Plan, resolve: (result: RunResult) => void, reject: (reason: unknown) => void): void {
  const signal = plan.signal;
  if (signal?.aborted === true) {
    reject(new AbortError(`${quoteVisibly(plan.program)} was not started: aborted before`, signal.reason));
    return;
  }
  checkRequired(plan);
  const id = makeId();
  let sourceFailure: { readonly error: unknown } | undefined;
  const pump =
    plan.stdin.kind === 'iterable'
      ? new InputPump(id, plan.stdin.source, (error) => {
          sourceFailure = { error };
          stopRun(id, 'stop');
        })
      : undefined;
  let disarm: (() => void) | undefined;
  const release = (): void => {
    disarm?.();
    pump?.close();
  };

  const settle = (finished: NativeFinished): void => {
    const result = toRunResult(finished, plan, finished);
    if (sourceFailure !== undefined) {
      const message = `the source of stdin for ${quoteVisibly(plan.program)} failed`;
      reject(new StdinError(message, sourceFailure.error, result));
    } else if (result.aborted) {
      reject(new AbortError(`${quoteVisibly(plan.program)} was aborted`, signal?.reason, result));
    } else if (plan.check && !result.ok) {
      reject(makeExitError(result, plan));
    } else {
      resolve(result);
    }
  };

  const onEvent = (event: NativeEvent): void => {
    switch (event.kind) {
      case 'spawned':
        void pump?.pump();
        break;
      case 'drain':
        pump?.onDrain();
        break;
      case 'stdin-closed':
      case 'exit':
        pump?.close();
        break;
      case 'failed':
        release();
        reject(toSpawnError(event, plan));
        break;
      case 'cancelled':
        release();
        reject(new AbortError(`${quoteVisibly(plan.program)} was not started: aborted before`, signal?.reason));
        break;
      case 'finished':
        release();
        try {
          settle(event);
        } catch (error) {
          reject(error); // text longer than a string can be
        }
        break;
      case 'data':
      case 'end':
      case 'resolved':
      case 'unresolved':
        break; // nothing is streamed, and nothing was looked up alone
    }
  };

  startRun(toRequest(plan, id, 'collect'), onEvent);
  if (signal !== null) disarm = armAbort(signal, () => stopRun(id, 'abort'));
}
