// Patterns of text rules and argument patterns: `*` is any run of characters (newlines too), `?` is one character,
// everything else is itself. Two positions and no recursion: a pattern cannot be made slow.

export function matchWildcard(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    const unit = pattern[p];
    if (unit === '*') {
      star = p++;
      resume = t;
    } else if (unit !== undefined && (unit === '?' || unit === text[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** A text rule: as matchWildcard, and `git *` also matches `git` alone, as agent tools have it. */
export function matchRuleText(pattern: string, text: string): boolean {
  if (matchWildcard(pattern, text)) return true;
  return pattern.endsWith(' *') && matchWildcard(pattern.slice(0, -2), text);
}
