// The shared rows of test/vectors, as arguments.

import { readFileSync } from 'node:fs';

interface ArgRow {
  readonly name: string;
  readonly value?: string;
  readonly hex?: string;
}

interface LongRow {
  readonly name: string;
  readonly unit: string;
  readonly count: number;
}

export interface RefusedRow {
  readonly name: string;
  readonly argv: unknown;
  readonly code: string;
  readonly field: string;
  readonly index?: number;
  readonly offset?: number;
}

export interface WindowsRow {
  readonly argv: readonly [string, ...string[]];
  readonly line: string;
}

function readRows(name: string): readonly unknown[] {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')) as unknown[];
}

export interface Argument {
  readonly name: string;
  readonly value: string | Uint8Array;
}

export const ARGUMENTS: readonly Argument[] = (readRows('args') as ArgRow[]).map(({ name, value, hex }) => ({
  name,
  value: hex === undefined ? (value ?? '') : Buffer.from(hex, 'hex'),
}));

export const LONG_ARGUMENTS: readonly Argument[] = (readRows('long-args') as LongRow[]).map(
  ({ name, unit, count }) => ({
    name,
    value: unit.repeat(count),
  }),
);

export const REFUSED: readonly RefusedRow[] = readRows('refused') as RefusedRow[];
export const WINDOWS_LINES: readonly WindowsRow[] = readRows('windows-lines') as WindowsRow[];
