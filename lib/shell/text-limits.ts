// Whether a text is small and flat enough to be parsed: the parser's time and stack grow with what is counted here.
// Quotes are not looked at, so quoted brackets count too: a text may be refused that need not be, never the other way.

import { LIMITS } from './facts.ts';

const TOKEN_LIMIT = 6000;
const NESTING_LIMIT = 64;
const KEYWORD_LIMIT = 128;
/** How much of a refused text is still read, for hints. */
const HINT_LENGTH = 2048;

const KEYWORDS = /\b(?:if|elif|while|until|for|case|select|function)\b/g;

function findExcess(text: string): string | null {
  if (text.length > LIMITS.text) return `${LIMITS.text} characters`;
  let tokens = 0;
  let nesting = 0;
  let inBlank = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    const blank = character === ' ' || character === '\t';
    if (blank ? !inBlank : ';&|\n$`<>(){}[]*?\'"'.includes(character)) tokens++;
    inBlank = blank;
    if ('({['.includes(character)) nesting++;
    else if (')}]'.includes(character)) nesting--;
    if (nesting > NESTING_LIMIT) return `${NESTING_LIMIT} open brackets`;
    if (tokens > TOKEN_LIMIT) return `${TOKEN_LIMIT} words and operators`;
  }
  // Only a text of some length can hold that many.
  const keywords = text.length > KEYWORD_LIMIT * 3 ? (text.match(KEYWORDS)?.length ?? 0) : 0;
  return keywords > KEYWORD_LIMIT ? `${KEYWORD_LIMIT} compound commands` : null;
}

/** `excess` names the limit that `text` is over; `readable` is what may be parsed: all of it, or a beginning, or nothing. */
export function limitText(text: string): { readonly readable: string; readonly excess: string | null } {
  const excess = findExcess(text);
  if (excess === null) return { readable: text, excess };
  const end = Math.max(text.lastIndexOf('\n', HINT_LENGTH), text.lastIndexOf(';', HINT_LENGTH), 0);
  const beginning = text.slice(0, end);
  return { readable: findExcess(beginning) === null ? beginning : '', excess };
}
