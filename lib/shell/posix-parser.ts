// The only place that knows which parser reads POSIX shell text. It is tolerant by design: whether its tree may be
// believed is decided by the walk over it.

import { parse } from 'unbash';
import type { ParsedScript } from 'unbash';

export type * from 'unbash';

/** Never throws: a parser that gives up is a script with an error. */
export function parsePosix(text: string): ParsedScript | null {
  try {
    return parse(text);
  } catch {
    return null; // an exception of the parser is a syntax we cannot read
  }
}
