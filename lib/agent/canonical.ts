// The canonical form: an argument vector as one line of text that string rules can be matched against.
//
// It is deterministic and injective: parseCanonical gives back exactly the argv, so two different argv never share a
// form. A plain token stands for itself, which is why a rule written for command lines matches the same words here.
// Every other token is quoted, and named in `unclear`: text rules must not allow it (decide.ts).
//
//   git status               ->  git status
//   git commit -m 'a b'      ->  git commit -m 'a b'      args[2] is unclear: more than one word
//   echo it's                ->  echo 'it'"'"'s'
//   echo ""                  ->  echo ''

declare const CANONICAL: unique symbol;
/** Text made by canonicalize. */
export type CanonicalText = string & { readonly [CANONICAL]: true };

/** Why text rules cannot see a token as one word, or a program as a program. */
export type UnclearReason =
  | 'empty'
  | 'more than one word'
  | 'newline'
  | 'wildcard'
  | 'operator'
  | 'expansion'
  | 'quote'
  | 'non-ASCII'
  | 'program';

export interface Unclear {
  /** Index in argv. */
  readonly index: number;
  readonly why: UnclearReason;
}

export type Canonical =
  | {
      readonly ok: true;
      readonly text: CanonicalText;
      readonly tokens: readonly string[];
      /** Empty when the text reads as exactly these words in every shell. */
      readonly unclear: readonly Unclear[];
    }
  | { readonly ok: false; readonly reason: 'empty' | 'empty program' | 'bytes' | 'NUL' | 'half a surrogate pair' };

const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+:,./=-]*$/;
/** A program must not look like an assignment or an option either. */
const PLAIN_PROGRAM = /^[A-Za-z0-9_./][A-Za-z0-9_@%+:,./-]*$/;

/** Words that shells read as grammar where a program is expected (POSIX.1-2024 2.4; bash, zsh and ksh add theirs). */
export const RESERVED: ReadonlySet<string> = new Set(
  `! { } [[ ]] . - case coproc do done elif else end esac fi for foreach function if in namespace nocorrect noglob repeat
  select then time until while`.split(/\s+/),
);

const REASONS: readonly (readonly [RegExp, UnclearReason])[] = [
  [/^$/, 'empty'],
  [/[\n\r]/, 'newline'],
  [/\s/, 'more than one word'],
  [/['"\\]/, 'quote'],
  [/[;&|<>()#]/, 'operator'],
  [/[*?[\]]/, 'wildcard'],
  [/[$`{}~!^=]/, 'expansion'],
];

function explain(token: string): UnclearReason {
  return REASONS.find(([pattern]) => pattern.test(token))?.[1] ?? 'non-ASCII';
}

function findUnclear(tokens: readonly string[]): Unclear[] {
  return tokens.flatMap((token, index) => {
    if (!PLAIN.test(token)) return [{ index, why: explain(token) }];
    if (index === 0 && (!PLAIN_PROGRAM.test(token) || RESERVED.has(token))) return [{ index, why: 'program' as const }];
    return [];
  });
}

/** Single quotes around all but single quotes, which get double ones. Nothing is escaped with a backslash. */
function quote(token: string): string {
  if (token === '') return "''";
  return token
    .split(/('+)/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith("'") ? `"${part}"` : `'${part}'`))
    .join('');
}

/** Never throws: what has no canonical form says why. */
export function canonicalize(argv: readonly (string | Uint8Array)[]): Canonical {
  const tokens: string[] = [];
  for (const token of argv) {
    if (typeof token !== 'string') return { ok: false, reason: 'bytes' };
    if (token.includes('\0')) return { ok: false, reason: 'NUL' };
    if (!token.isWellFormed()) return { ok: false, reason: 'half a surrogate pair' };
    tokens.push(token);
  }
  if (tokens.length === 0) return { ok: false, reason: 'empty' };
  if (tokens[0] === '') return { ok: false, reason: 'empty program' };
  const unclear = findUnclear(tokens);
  const quoted = new Set(unclear.map(({ index }) => index));
  const text = tokens.map((token, index) => (quoted.has(index) ? quote(token) : token)).join(' ');
  return Object.freeze({
    ok: true,
    text: text as CanonicalText,
    tokens: Object.freeze(tokens),
    unclear: Object.freeze(unclear),
  });
}

const TOKEN = /(?:'[^']*'|"'+"|[^'" ])+/g;

/**
 * The argv of a canonical text.
 *
 * @throws TypeError for text that canonicalize would not have made.
 */
export function parseCanonical(text: string): string[] {
  const tokens = (text.match(TOKEN) ?? []).map((token) =>
    token.replace(/'([^']*)'|"('+)"/g, (_, inner?: string, quotes?: string) => inner ?? quotes ?? ''),
  );
  const again = canonicalize(tokens);
  if (!again.ok || again.text !== text) throw new TypeError('the text is not a canonical form');
  return tokens;
}
