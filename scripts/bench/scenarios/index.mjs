// All scenarios by name.
//
// A scenario has the operation that it needs of a contender (`needs`), its metrics, what it does (`run`, in the
// contender's process) and how a contender that is a program of its own is asked for the same (`program`). It takes the
// settings `full` or `quick`, and is not run in more than `rounds` rounds.

import load from './load.mjs';
import starts from './starts.mjs';
import streams from './streams.mjs';
import trees from './trees.mjs';

export const SCENARIOS = { ...starts, ...streams, ...trees, ...load };

/** Names of the scenarios meant by a name, by its part before the dash, or by a letter. */
export function selectScenarios(word) {
  const found = Object.entries(SCENARIOS)
    .filter(([name, { letter }]) => name === word || letter === word || name.split('-')[0] === word)
    .map(([name]) => name);
  if (found.length === 0) throw new Error(`no scenario '${word}'; there are ${Object.keys(SCENARIOS).join(', ')}`);
  return found;
}
