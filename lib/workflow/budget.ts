// What steps may cost. Counted where steps start and end; what a journal answers costs nothing.

import { makeRangeError, makeUnknownOptionError } from '../errors/option-errors.ts';
import { findNearestName } from '../util/nearest-name.ts';
import { BudgetError } from './errors.ts';
import type { BudgetName } from './errors.ts';

export interface BudgetLimits {
  /** Programs started. Exact: the call is counted before the start. */
  readonly calls?: number;
  /** Milliseconds that steps ran, added up. Counted when a step ends, so that steps in flight may pass the limit. */
  readonly wallTime?: number;
  /** Bytes that programs wrote to stdout and stderr, whether kept or not. Counted when a step ends. */
  readonly outputBytes?: number;
}

export interface Budget {
  readonly limits: Readonly<Record<BudgetName, number>>;
  readonly used: Readonly<Record<BudgetName, number>>;
  /** Counts one call. @throws BudgetError when any limit has been reached; nothing is counted then. */
  start(): void;
  /** Counts what a step took. */
  finish(cost: { readonly wallTime: number; readonly outputBytes: number }): void;
}

const NAMES: readonly BudgetName[] = ['calls', 'wallTime', 'outputBytes'];

/**
 * A budget, which several workflows may share. A limit that is absent is Infinity.
 *
 * @throws TypeError or RangeError naming the limit that is wrong.
 */
export function createBudget(limits: BudgetLimits): Budget {
  for (const name of Object.keys(limits)) {
    if ((NAMES as readonly string[]).includes(name)) continue;
    const nearest = findNearestName(name, NAMES);
    throw makeUnknownOptionError(name, nearest ? `did you mean ${nearest}?` : `known are ${NAMES.join(', ')}`);
  }
  const read = (name: BudgetName): number => {
    const value = limits[name] ?? Infinity;
    if (!(value >= 0)) throw makeRangeError(name, 'a number from 0 to Infinity', value);
    return value;
  };
  const most = Object.freeze({ calls: read('calls'), wallTime: read('wallTime'), outputBytes: read('outputBytes') });
  const used = { calls: 0, wallTime: 0, outputBytes: 0 };
  return Object.freeze({
    limits: most,
    get used() {
      return Object.freeze({ ...used });
    },
    start(): void {
      for (const name of NAMES) if (used[name] >= most[name]) throw new BudgetError(name, used[name], most[name]);
      used.calls++;
    },
    finish(cost: { readonly wallTime: number; readonly outputBytes: number }): void {
      used.wallTime += cost.wallTime;
      used.outputBytes += cost.outputBytes;
    },
  });
}
