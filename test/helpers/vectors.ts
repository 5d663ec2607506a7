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

const IS_WINDOWS = process.platform === 'win32';

/** Rows of bytes are for Unix: Windows has no arguments that are not text. */
export const ARGUMENTS: readonly Argument[] = (readRows('args') as ArgRow[])
  .filter(({ hex }) => !IS_WINDOWS || hex === undefined)
  .map(({ name, value, hex }) => ({ name, value: hex === undefined ? (value ?? '') : Buffer.from(hex, 'hex') }));

/** A Windows command line has 32,767 characters at most, and quoting may double one. */
const LONGEST = IS_WINDOWS ? 16_000 : Infinity;

export const LONG_ARGUMENTS: readonly Argument[] = (readRows('long-args') as LongRow[]).map(
  ({ name, unit, count }) => ({
    name,
    value: unit.repeat(Math.min(count, LONGEST)),
  }),
);

/** Half a surrogate pair is refused where text is sent as UTF-8. Windows takes it, and it arrives. */
export const REFUSED: readonly RefusedRow[] = (readRows('refused') as RefusedRow[]).filter(
  ({ argv }) =>
    !IS_WINDOWS || !Array.isArray(argv) || argv.every((one) => typeof one !== 'string' || one.isWellFormed()),
);
export const WINDOWS_LINES: readonly WindowsRow[] = readRows('windows-lines') as WindowsRow[];
