// Where in the script a step stands. Two equal calls are two steps, so a step needs a place that is the same in every
// run: a counter for calls in a row, and a branch number inside parallel() and pipeline(), whose branches may interleave
// differently each time.
//
//   sh(a)                               0
//   parallel([() => sh(b), () => {      1.0.0
//     sh(c); sh(d);                     1.1.0  1.1.1
//   }])
//   sh(e)                               2
//
// Even parts count, odd parts are branches.

import { AsyncLocalStorage } from 'node:async_hooks';

export type Position = readonly number[];

interface Scope {
  readonly path: Position;
  next: number;
}

export const formatPosition = (position: Position): string => position.join('.');

/** Whether `other` comes after `position` in the order of the script, or is `position`. Branches are side by side. */
export function isAtOrAfter(other: Position, position: Position): boolean {
  for (let i = 0; i < position.length; i++) {
    const [mine = 0, theirs] = [position[i], other[i]];
    if (theirs === undefined) return false;
    if (theirs === mine) continue;
    return i % 2 === 0 && theirs > mine;
  }
  return true;
}

export class Scopes {
  readonly #current = new AsyncLocalStorage<Scope>();
  readonly #root: Scope = { path: [], next: 0 };

  /** The place of a call that is being made now. */
  take(): Position {
    const scope = this.#current.getStore() ?? this.#root;
    return [...scope.path, scope.next++];
  }

  /** Runs all branches, each with a scope of its own, and waits for every one of them, also when one fails. */
  async branch<T>(tasks: readonly (() => T | Promise<T>)[]): Promise<T[]> {
    const place = this.take();
    const ends = await Promise.allSettled(
      tasks.map((task, i) => this.#current.run({ path: [...place, i], next: 0 }, async () => task())),
    );
    return ends.map((end) => {
      if (end.status === 'rejected') throw end.reason;
      return end.value;
    });
  }
}
