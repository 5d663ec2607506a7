// Lines that go on after a backslash. A shell joins them before it looks for `$(`, `>>` or a keyword, and the parser after.

import { KEYWORDS } from './strict-lexer.ts';

const JOINT = /(?<before>[^]?)(?<backslashes>\\+)\n(?<after>[^]?)/g;
const JOINED_LETTERS = /[A-Za-z]+(?:\\\n[A-Za-z]+)+/g;
const LETTER = /[A-Za-z]/;

/** Behind a blank, and between two letters of a word that is no keyword, the order of the two makes no difference. */
function isHarmless(before: string, backslashes: string, after: string): boolean {
  if (backslashes.length % 2 === 0) return true; // each is quoted by the one before it: the line ends here
  if (backslashes.length > 1) return false;
  return /[ \t\n]/.test(before) || (LETTER.test(before) && LETTER.test(after));
}

/** Whether the parser may have read `text` otherwise than a shell does because of a line that goes on. */
export function hasUnsafeJoint(text: string): boolean {
  if (!text.includes('\\\n')) return false;
  for (const { groups } of text.matchAll(JOINT)) {
    if (!isHarmless(groups?.['before'] ?? '', groups?.['backslashes'] ?? '', groups?.['after'] ?? '')) return true;
  }
  for (const [word] of text.matchAll(JOINED_LETTERS)) if (KEYWORDS.has(word.replaceAll('\\\n', ''))) return true;
  return text.includes("$'"); // keeps both characters
}
