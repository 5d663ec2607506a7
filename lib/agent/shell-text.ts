// Command lines as far as they can be read without a shell grammar: words, quotes without expansions, and the
// connectors `;` `&&` `||` `|`. Everything else makes the whole line unreadable here, which no text rule can then allow.

import { RESERVED } from './canonical.ts';

/** One simple command of a line. */
export interface SimpleCommand {
  /** As written, without the spaces around it: what a text rule is matched against. */
  readonly text: string;
  /** The words after quotes are removed. */
  readonly words: readonly string[];
}

const CONNECTOR = /^(?:&&|\|\||[;|])/;
const PIECE = /^(?:[A-Za-z0-9_@%+:,./=-]+|'[^'\n\r]*'|"[^"$`\\!\n\r]*")/;
const PROGRAM = /^[A-Za-z0-9_./][A-Za-z0-9_@%+:,./-]*$/;

interface Word {
  readonly raw: string;
  readonly value: string;
}

function readWord(text: string): Word | null {
  let raw = '';
  let value = '';
  for (let piece = PIECE.exec(text)?.[0]; piece !== undefined; piece = PIECE.exec(text.slice(raw.length))?.[0]) {
    raw += piece;
    value += /^['"]/.test(piece) ? piece.slice(1, -1) : piece;
  }
  return raw === '' ? null : { raw, value };
}

/** The commands of a line in order, or null when it holds anything that is not read here. */
export function readShellCommands(line: string): readonly SimpleCommand[] | null {
  const commands: SimpleCommand[] = [];
  let words: Word[] = [];
  let start = 0;
  let at = 0;
  const finish = (): boolean => {
    const program = words[0];
    // The program must be written plainly: `r''m` and `X=1 rm` are left to someone who knows the grammar.
    if (program === undefined || !PROGRAM.test(program.raw) || RESERVED.has(program.raw)) return false;
    commands.push({ text: line.slice(start, at).trim(), words: words.map(({ value }) => value) });
    words = [];
    return true;
  };
  while (at < line.length) {
    const rest = line.slice(at);
    const space = /^[ \t]+/.exec(rest)?.[0];
    const connector = CONNECTOR.exec(rest)?.[0];
    if (space !== undefined) {
      at += space.length;
    } else if (connector !== undefined) {
      if (!finish()) return null;
      at += connector.length;
      start = at;
    } else {
      const word = readWord(rest);
      if (word === null) return null;
      words.push(word);
      at += word.raw.length;
      if (!/^(?:[ \t;|&]|$)/.test(line.slice(at))) return null;
    }
  }
  return finish() ? commands : null;
}

/**
 * Pieces of a line that may be commands, found by cutting at everything that can begin one. Finds too much rather than
 * too little: for rules that forbid.
 */
export function cutShellText(line: string): string[][] {
  return line
    .split(/[;&|(){}<>`\n\r]|\$\(/)
    .map((piece) =>
      piece
        .replace(/["'\\]/g, '')
        .trim()
        .split(/\s+/),
    )
    .filter(([first]) => first !== undefined && first !== '');
}
