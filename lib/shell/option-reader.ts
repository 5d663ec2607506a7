// Skipping the options of a command that runs another: by a table, and never guessing.

import type { ReadWord } from './posix-word.ts';

export interface OptionTable {
  /** Letters without a value. */
  readonly flags?: string;
  /** Letters with a value, glued or in the next word. */
  readonly values?: string;
  readonly longFlags?: readonly string[];
  readonly longValues?: readonly string[];
  /** Long options whose value, if any, is glued. */
  readonly longOptional?: readonly string[];
  /** Other words that are options: `-10` of nice. */
  readonly also?: RegExp;
}

/** Where the operands begin; null when an option is not of the table, or is not fixed. */
export function skipOptions(words: readonly ReadWord[], from: number, table: OptionTable): number | null {
  let at = from;
  for (; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) return null;
    if (word.dynamic || word.replaced) return at; // an operand, or an option: the caller decides
    const text = word.value;
    if (text === '--') return at + 1;
    if (!text.startsWith('-') || text === '-') return at;
    if (table.also?.test(text)) continue;
    const used = text.startsWith('--') ? readLong(text.slice(2), table) : readCluster(text.slice(1), table);
    if (used === null) return null;
    at += used;
    if (at >= words.length) return null;
    if (used > 0 && (words[at]?.dynamic || words[at]?.replaced) && !words[at]?.single) return null;
  }
  return at;
}

/** @returns how many following words it takes; null for an unknown option. */
function readLong(text: string, table: OptionTable): number | null {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  if (table.longOptional?.includes(name)) return 0;
  if (table.longFlags?.includes(name)) return equals < 0 ? 0 : null;
  if (table.longValues?.includes(name)) return equals < 0 ? 1 : 0;
  return null;
}

function readCluster(letters: string, table: OptionTable): number | null {
  for (let i = 0; i < letters.length; i++) {
    const letter = letters.charAt(i);
    if (table.values?.includes(letter)) return i === letters.length - 1 ? 1 : 0;
    if (!table.flags?.includes(letter)) return null;
  }
  return 0;
}
