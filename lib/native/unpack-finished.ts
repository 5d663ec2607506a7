// The `finished` event from what crosses the boundary: numbers in a table, and a short array for what is no number
// (`native/napi/outcome_table.cc`).

import { TREE_STRENGTHS } from './contract.ts';
import type { NativeCapture, NativeFinished, NativeReason, PackedFinished, ParentDeath } from './contract.ts';

// The positions of the words are their numbers; enums of native/core are in the same order.
const REASONS: readonly NativeReason[] = ['exit', 'signal', 'timeout', 'idle-timeout', 'abort', 'stop', 'max-buffer'];
const PARENT_DEATHS: readonly ParentDeath[] = ['none', 'exit-hook', 'keeper', 'job'];

const FLAG = {
  coreDumped: 1,
  statusKnown: 2,
  forced: 4,
  stdinClosedEarly: 8,
  stdout: 16,
  stderr: 32,
  usage: 64,
  stdoutTee: 128,
  stderrTee: 256,
} as const;

function toNullable(number: number): number | null {
  return Number.isNaN(number) ? null : number;
}

/** An index or number that the addon did not write would be a mismatch of the two sides: our own bug. */
function pick<T>(words: readonly T[], index: number | undefined): T {
  const word = words[index ?? -1];
  if (word === undefined) throw new TypeError(`the native addon reported an unknown word: ${String(index)}`);
  return word;
}

/** Valid as long as the row of `numbers` is: to be called before the addon is entered again. */
export function unpackFinished(packed: PackedFinished, numbers: Float64Array): NativeFinished {
  const at = packed[0];
  const number = (index: number): number => numbers[at + index] ?? NaN;
  const flags = number(5);
  const has = (flag: number): boolean => (flags & flag) !== 0;
  const capture = (index: 2 | 5, count: 11 | 13, tee: number): NativeCapture => ({
    head: packed[index] ?? null,
    tail: packed[index === 2 ? 3 : 6] ?? null,
    bytes: number(count),
    tee: has(tee) ? { bytes: number(count + 1), error: packed[index === 2 ? 4 : 7] ?? '' } : null,
  });
  return {
    kind: 'finished',
    id: number(0),
    pid: number(1),
    program: packed[1],
    reason: pick(REASONS, number(2)),
    code: toNullable(number(3)),
    signal: toNullable(number(4)),
    coreDumped: has(FLAG.coreDumped),
    statusKnown: has(FLAG.statusKnown),
    forced: has(FLAG.forced),
    stdout: has(FLAG.stdout) ? capture(2, 11, FLAG.stdoutTee) : null,
    stderr: has(FLAG.stderr) ? capture(5, 13, FLAG.stderrTee) : null,
    stdin: { bytesWritten: number(10), closedEarly: has(FLAG.stdinClosedEarly) },
    leftovers: packed[8] ?? [],
    tree: pick(TREE_STRENGTHS, number(6)),
    parentDeath: pick(PARENT_DEATHS, number(7)),
    startedAt: number(8),
    durationMs: number(9),
    usage: has(FLAG.usage) ? { userMs: number(15), systemMs: number(16), maxRssBytes: toNullable(number(17)) } : null,
  };
}
