// Rejections that nobody handled, while something runs.

import { setImmediate as turn } from 'node:timers/promises';

/** Node reports a rejection after the microtasks of its turn; two more turns make sure of it. */
export async function collectUnhandled(action: () => Promise<void>): Promise<unknown[]> {
  const seen: unknown[] = [];
  const note = (reason: unknown): void => void seen.push(reason);
  const others = process.listeners('unhandledRejection');
  // The test runner's own listeners would fail the run before the test can say what it saw.
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', note);
  try {
    await action();
    await turn();
    await turn();
  } finally {
    process.off('unhandledRejection', note);
    for (const listener of others) process.on('unhandledRejection', listener);
  }
  return seen;
}
