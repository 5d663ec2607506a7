// The in-flight cap. First come, first served; a waiter whose signal aborts leaves the queue.

import { makeRangeError } from '../errors/option-errors.ts';

/** What a workflow needs of a cap. A host gives its own object to count its other work under the same cap. */
export interface Semaphore {
  /** Resolves with the function that gives the place back. Rejects with the signal's reason, and then holds nothing. */
  acquire(signal?: AbortSignal): Promise<() => void>;
}

/**
 * @param limit - how many may be held at once: a whole number from 1, or Infinity.
 * @throws RangeError for another limit.
 */
export function createSemaphore(limit: number): Semaphore {
  if (limit !== Infinity && !(Number.isInteger(limit) && limit >= 1)) {
    throw makeRangeError('concurrency', 'a whole number from 1, or Infinity', limit);
  }
  let free = limit;
  const waiting = new Set<() => void>();

  const makeRelease = (): (() => void) => {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const [next] = waiting;
      if (next) next();
      else free++;
    };
  };

  return Object.freeze({
    acquire(signal?: AbortSignal): Promise<() => void> {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason as Error);
          return;
        }
        if (free > 0) {
          free--;
          resolve(makeRelease());
          return;
        }
        const onAbort = (): void => {
          waiting.delete(start);
          reject(signal?.reason as Error);
        };
        const start = (): void => {
          waiting.delete(start);
          signal?.removeEventListener('abort', onAbort);
          resolve(makeRelease());
        };
        waiting.add(start);
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
  });
}
