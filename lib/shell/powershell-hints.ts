// Stages of PowerShell text, as hints. Literal words, `;`, newline, `|`, `&&`, `||` and redirects are read; anything
// else leaves the scan unresolved, and even what is read is never complete.

import type { StageContext } from './stage-context.ts';

/** Typographic quotes and dashes are quotes and dashes to PowerShell; next line and byte order mark are blanks. */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const LOOKALIKE = /[\u0000\u0085\u2013-\u2015\u2018-\u201e\ufeff\r]/;
/** Expansion, script blocks, expressions, splatting, casts and .NET calls, the stop-parsing token, escapes. */
const BEYOND = /[$`@{}()[\]]|--%|(?:^|[;|&\n])\s*[.&](?=\s)|^\s*(?:using|param|configuration)\b/im;

interface Token {
  readonly kind: 'word' | 'separator' | 'redirect';
  readonly text: string;
}

const TOKEN =
  /[ \t]+|(?<comment>#[^\n]*)|(?<separator>;|\n|\|\||&&|\||&)|(?<redirect>(?:[1-6*]?>>?)(?:&[12])?|<)|(?<word>(?:'(?:[^']|'')*'|"(?:[^"]|"")*"|[^\s;|&<>'"])+)/gy;

function readTokens(text: string): Token[] | null {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) return null;
    if (groups['separator'] !== undefined) tokens.push({ kind: 'separator', text: groups['separator'] });
    else if (groups['redirect'] !== undefined) tokens.push({ kind: 'redirect', text: groups['redirect'] });
    else if (groups['word'] !== undefined) tokens.push({ kind: 'word', text: unquote(groups['word']) });
  }
  return tokens;
}

const unquote = (word: string): string =>
  word.replace(/'((?:[^']|'')*)'|"((?:[^"]|"")*)"/g, (_, single?: string, double?: string) =>
    single === undefined ? (double ?? '').replaceAll('""', '"') : single.replaceAll("''", "'"),
  );

export function addHintStage(argv: readonly string[], context: StageContext): void {
  if (argv.length === 0) return;
  context.facts.addStage({ argv, dynamic: argv.map(() => false), source_argv: argv, via: context.via });
}

export function scanPowerShell(text: string, context: StageContext): void {
  const { facts } = context;
  facts.leaveOpen('windows_dialect', 'powershell');
  if (LOOKALIKE.test(text)) facts.unresolve('forbidden_character', 'powershell');
  if (BEYOND.test(text)) facts.unresolve('unknown_syntax', 'powershell');
  const tokens = readTokens(text.replace(/[\u2018-\u201b]/g, "'").replace(/[\u201c-\u201e]/g, '"'));
  if (tokens === null) {
    facts.unresolve('syntax_error', 'powershell');
    return;
  }
  let argv: string[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === undefined) break;
    if (token.kind === 'word') argv.push(token.text);
    else if (token.kind === 'separator') {
      addHintStage(argv, context);
      argv = [];
    } else if (!/&[12]$/.test(token.text)) {
      const target = tokens[i + 1]?.kind === 'word' ? tokens[++i]?.text : undefined;
      const operator = token.text.replace(/^[1-6*]/, '');
      facts.addRedirect({ operator, destination: target ?? null, dynamic: false, writes_file: operator !== '<' });
      if (target === undefined) facts.unresolve('syntax_error', 'powershell');
    }
  }
  addHintStage(argv, context);
}
