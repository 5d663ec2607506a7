// Events from what crosses the boundary: numbers in a table, a row for each, and one array of what is no number
// (`native/napi/event_table.cc`).

import { TREE_STRENGTHS } from './contract.ts';
import type {
  NativeCapture,
  NativeEvent,
  NativeFailure,
  NativeFinished,
  NativeLeftover,
  NativeReason,
  PackedValues,
  ParentDeath,
} from './contract.ts';

/** Numbers of a row: the kind, the id, and those of the kind. */
const WIDTH = 20;
/** Of the answer to a blocking call, behind the rows of a batch. */
const SYNC_ROW = 64;

// The positions of the words are their numbers; enums of native/core are in the same order.
const KINDS: readonly NativeEvent['kind'][] = [
  'failed',
  'cancelled',
  'spawned',
  'data',
  'end',
  'drain',
  'stdin-closed',
  'exit',
  'finished',
  'resolved',
  'unresolved',
];
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
  values: 512,
} as const;
/** Of a finished run that has more values than its program. */
const VALUE_COUNT = 8;

function toNullable(number: number): number | null {
  return Number.isNaN(number) ? null : number;
}

/** An index or number that the addon did not write would be a mismatch of the two sides: our own bug. */
function pick<T>(words: readonly T[], index: number | undefined): T {
  const word = words[index ?? -1];
  if (word === undefined) throw new TypeError(`the native addon reported an unknown word: ${String(index)}`);
  return word;
}

function unpackFinished(at: number, numbers: Float64Array, values: PackedValues, next: number): NativeFinished {
  const number = (index: number): number => numbers[at + index] ?? NaN;
  const flags = number(6);
  const has = (flag: number): boolean => (flags & flag) !== 0;
  const value = (index: number): unknown => (has(FLAG.values) ? values[next + index] : null);
  const capture = (index: 1 | 4, count: 12 | 14, tee: number): NativeCapture => ({
    head: value(index) as Uint8Array | null,
    tail: value(index + 1) as Uint8Array | null,
    bytes: number(count),
    tee: has(tee) ? { bytes: number(count + 1), error: value(index + 2) as string } : null,
  });
  return {
    kind: 'finished',
    id: number(1),
    pid: number(2),
    program: values[next] as string,
    reason: pick(REASONS, number(3)),
    code: toNullable(number(4)),
    signal: toNullable(number(5)),
    coreDumped: has(FLAG.coreDumped),
    statusKnown: has(FLAG.statusKnown),
    forced: has(FLAG.forced),
    stdout: has(FLAG.stdout) ? capture(1, 12, FLAG.stdoutTee) : null,
    stderr: has(FLAG.stderr) ? capture(4, 14, FLAG.stderrTee) : null,
    stdin: { bytesWritten: number(11), closedEarly: has(FLAG.stdinClosedEarly) },
    leftovers: has(FLAG.values) ? (values[next + 7] as readonly NativeLeftover[]) : [],
    tree: pick(TREE_STRENGTHS, number(7)),
    parentDeath: pick(PARENT_DEATHS, number(8)),
    startedAt: number(9),
    durationMs: number(10),
    usage: has(FLAG.usage) ? { userMs: number(16), systemMs: number(17), maxRssBytes: toNullable(number(18)) } : null,
  };
}

function unpack(first: number, count: number, values: PackedValues, numbers: Float64Array): NativeEvent[] {
  const events: NativeEvent[] = [];
  let next = 0;
  for (let row = first; row < first + count; row++) {
    const at = row * WIDTH;
    const id = numbers[at + 1] ?? NaN;
    const number = numbers[at + 2] ?? NaN;
    const kind = pick(KINDS, numbers[at]);
    switch (kind) {
      case 'finished':
        events.push(unpackFinished(at, numbers, values, next));
        next += ((numbers[at + 6] ?? 0) & FLAG.values) === 0 ? 1 : VALUE_COUNT;
        break;
      case 'spawned':
        events.push({ kind, id, pid: number, program: values[next++] as string });
        break;
      case 'data':
        events.push({ kind, id, stream: number as 1 | 2, chunk: values[next++] as Uint8Array });
        break;
      case 'end':
        events.push({ kind, id, stream: number as 1 | 2 });
        break;
      case 'exit':
        events.push({ kind, id, code: toNullable(number), signal: toNullable(numbers[at + 3] ?? NaN) });
        break;
      case 'resolved':
        events.push({ kind, id, path: values[next++] as string });
        break;
      case 'failed':
      case 'unresolved':
        events.push({ kind, id, ...(values[next++] as NativeFailure) });
        break;
      case 'cancelled':
      case 'drain':
      case 'stdin-closed':
        events.push({ kind, id });
        break;
    }
  }
  return events;
}

/** One batch. To be called before the addon is entered again. */
export function unpackEvents(count: number, values: PackedValues, numbers: Float64Array): NativeEvent[] {
  return unpack(0, count, values, numbers);
}

/** The answer to a blocking call: the last event of its run. Likewise. */
export function unpackAnswer(values: PackedValues, numbers: Float64Array): NativeEvent | undefined {
  return unpack(SYNC_ROW, 1, values, numbers)[0];
}
