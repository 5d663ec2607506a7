// Other readings of a call, for rules that deny or ask: the programs inside wrappers and shell payloads, and other ways
// to write the same words. A rule that allows never sees these.

import { RESERVED } from './canonical.ts';
import { isShell, isWrapper, toProgramName } from './known-programs.ts';
import { cutShellText } from './shell-text.ts';

const DEEPEST = 4;
/** Readings that are looked at. What has more is not complete, and no text rule may then allow it. */
const MOST = 256;

export interface Readings {
  /** The call itself first, then what may run inside it. */
  readonly argvs: readonly (readonly string[])[];
  /** Ways to write the call itself, the canonical one first. */
  readonly own: readonly string[];
  /** Ways to write anything in `argvs`. */
  readonly texts: ReadonlySet<string>;
  readonly complete: boolean;
}

const PLAIN = /^[\w@%+:,./=-]+$/;
const quoteWith = (mark: string) => (token: string) => (PLAIN.test(token) ? token : `${mark}${token}${mark}`);

/** The words side by side: as they are, and with quotes around those that need them. */
function spell([program = '', ...rest]: readonly string[]): string[] {
  const quoted = ['"', "'"].map((mark) => [program, ...rest.map(quoteWith(mark))].join(' '));
  return [[program, ...rest].join(' '), ...quoted];
}

class Collector implements Readings {
  readonly own: string[] = [];
  readonly argvs: (readonly string[])[] = [];
  readonly texts: Set<string> = new Set<string>();
  complete: boolean = true;

  addArgv(words: readonly string[], depth: number): void {
    const [program, ...rest] = words;
    if (program === undefined || program === '') return;
    if (this.argvs.length >= MOST || depth > DEEPEST) {
      this.complete = false;
      return;
    }
    this.argvs.push(words);
    for (const name of new Set([program, program.toLowerCase(), toProgramName(program)])) {
      for (const text of spell([name, ...rest])) this.texts.add(text);
    }
    if (isShell(program)) rest.forEach((word) => this.addText(word, depth + 1));
    if (RESERVED.has(program) || program.includes('=')) this.addArgv(rest, depth);
    if (isWrapper(program)) this.#addWrapped(rest, depth);
  }

  /** Where the inner program begins depends on the wrapper's options, so every word may be it. */
  #addWrapped(rest: readonly string[], depth: number): void {
    rest.forEach((word, i) => {
      if (word.startsWith('-') || (isWrapper(word) && depth === DEEPEST)) return;
      this.addArgv(rest.slice(i), isWrapper(word) || isShell(word) ? depth + 1 : DEEPEST);
    });
  }

  addText(text: string, depth: number): void {
    this.texts.add(text.trim());
    for (const words of cutShellText(text)) this.addArgv(words, depth);
  }
}

export function readArgv(tokens: readonly string[], canonical: string): Readings {
  const found = new Collector();
  found.addArgv(tokens, 0);
  found.own.push(...new Set([canonical, ...spell(tokens)]));
  found.texts.add(canonical);
  return found;
}

export function readCommand(command: string): Readings {
  const found = new Collector();
  found.addText(command, 0);
  found.own.push(command.trim());
  return found;
}
