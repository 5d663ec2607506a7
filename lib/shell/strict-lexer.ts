// A second reader for the plain subset of shell text: words, quotes, `&& || ; | &`, newline and simple redirects. Written
// without looking at the parser's tree, so that a fault of either shows as a disagreement.

export interface PlainCommand {
  readonly argv: readonly string[];
  /** `OPERATOR DESTINATION`. */
  readonly redirects: readonly string[];
}

/** Words that begin or end a construct in some shell. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    'if then else elif fi case esac for select while until do done in function time coproc { } ! [[ ]] repeat foreach end ' +
    'nocorrect noglob always'
  ).split(' '),
);
const BARE = /[A-Za-z0-9_./:@%+,-]/;

interface Lexeme {
  readonly kind: 'word' | 'operator' | 'redirect';
  readonly text: string;
  readonly quoted: boolean;
}

/** One word from `at`: its value and where it ends; null for anything beyond the subset. */
function readPlainWord(text: string, at: number): { value: string; end: number; quoted: boolean } | null {
  let value = '';
  let quoted = false;
  let i = at;
  while (i < text.length) {
    const character = text.charAt(i);
    if (BARE.test(character) || (character === '=' && i > at)) {
      value += character;
      i++;
    } else if (character === "'") {
      const end = text.indexOf("'", i + 1);
      if (end < 0) return null;
      value += text.slice(i + 1, end);
      quoted = true;
      i = end + 1;
    } else if (character === '"') {
      for (i++; ; i++) {
        const inner = text.charAt(i);
        if (inner === '' || inner === '$' || inner === '`' || inner === '!') return null;
        if (inner === '"') break;
        if (inner === '\\' && /["\\$`]/.test(text.charAt(i + 1))) i++;
        else if (inner === '\\' && text.charAt(i + 1) === '\n') return null;
        value += text.charAt(i);
      }
      quoted = true;
      i++;
    } else if (character === '\\' && i + 1 < text.length && text.charAt(i + 1) !== '\n') {
      value += text.charAt(i + 1);
      quoted = true;
      i += 2;
    } else break;
  }
  return i === at ? null : { value, end: i, quoted };
}

function readLexemes(text: string): Lexeme[] | null {
  const lexemes: Lexeme[] = [];
  for (let i = 0; i < text.length;) {
    const rest = text.slice(i, i + 3);
    if (rest.startsWith(' ') || rest.startsWith('\t')) {
      i++;
      continue;
    }
    const operator = /^(?:&&|\|\||>>|>\||[;&|<>\n])/.exec(rest)?.[0];
    if (operator !== undefined) {
      const after = text.charAt(i + operator.length);
      // Longer operators are beyond the subset: &> >& <& << <> |& ;; and their kin.
      if (/[&|<>;(]/.test(after) && operator !== '\n') return null;
      lexemes.push({ kind: /[<>]/.test(operator) ? 'redirect' : 'operator', text: operator, quoted: false });
      i += operator.length;
      continue;
    }
    const word = readPlainWord(text, i);
    if (word === null) return null;
    const next = text.charAt(word.end);
    if (next !== '' && !/[ \t\n;&|<>]/.test(next)) return null;
    if (/[<>]/.test(next) && /^[0-9]+$/.test(word.value)) return null;
    lexemes.push({ kind: 'word', text: word.value, quoted: word.quoted });
    i = word.end;
  }
  return lexemes;
}

/** The commands of plain text; null when the text has anything beyond the subset, which says nothing. */
export function readStrictly(text: string): PlainCommand[] | null {
  const lexemes = readLexemes(text);
  if (lexemes === null) return null;
  const commands: PlainCommand[] = [];
  let argv: string[] = [];
  let redirects: string[] = [];
  const finish = (): boolean => {
    if (argv.length === 0 && redirects.length === 0) return false;
    commands.push({ argv, redirects });
    argv = [];
    redirects = [];
    return true;
  };
  let needsCommand = false;
  for (let i = 0; i < lexemes.length; i++) {
    const lexeme = lexemes[i];
    if (lexeme === undefined) return null;
    if (lexeme.kind === 'word') {
      if (argv.length === 0 && !lexeme.quoted && (KEYWORDS.has(lexeme.text) || /=/.test(lexeme.text))) return null;
      if (argv.length === 0 && /=/.test(lexeme.text)) return null;
      argv.push(lexeme.text);
      needsCommand = false;
    } else if (lexeme.kind === 'redirect') {
      const target = lexemes[++i];
      if (target?.kind !== 'word') return null;
      redirects.push(`${lexeme.text} ${target.text}`);
      needsCommand = false;
    } else {
      if (!finish() && lexeme.text !== '\n') return null;
      if (!['\n', ';', '&'].includes(lexeme.text)) needsCommand = true;
    }
  }
  finish();
  return needsCommand ? null : commands;
}

export function isSameReading(one: readonly PlainCommand[], other: readonly PlainCommand[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
