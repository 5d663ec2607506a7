// Waiting for a condition, with a deadline that is far beyond what is expected.

import { setTimeout as pause } from 'node:timers/promises';

/** Polls `condition` until it holds; fails with `what` after `withinMs`. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(5);
  }
}
