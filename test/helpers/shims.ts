// Launchers as package managers write them, and files that only look like one. The same rows are in the native tests.

import { readFileSync } from 'node:fs';

export interface ShimRow {
  readonly name: string;
  readonly content: string;
  /** What runs, and the arguments before the caller's; `<root>` is the folder that has node_modules. */
  readonly program: string;
  readonly argv: readonly string[];
  readonly env?: readonly string[];
}

interface ShimFile {
  readonly shims: readonly (Omit<ShimRow, 'content'> & { readonly lines: readonly string[] })[];
  readonly hostile: readonly { readonly name: string; readonly lines: readonly string[] }[];
}

const FILE = JSON.parse(readFileSync(new URL('../vectors/shims.json', import.meta.url), 'utf8')) as ShimFile;
const join = (lines: readonly string[]): string => lines.map((line) => `${line}\r\n`).join('');

export const SHIMS: readonly ShimRow[] = FILE.shims.map(({ lines, ...row }) => ({ ...row, content: join(lines) }));
export const HOSTILE_SHIMS: readonly { readonly name: string; readonly content: string }[] = FILE.hostile.map(
  ({ name, lines }) => ({ name, content: join(lines) }),
);
