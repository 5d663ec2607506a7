// Arguments of a nested shell: which word is its command text. Options may come after -c, and the text is the first
// operand (bash(1) "Options", POSIX sh).

import type { ReadWord } from './posix-word.ts';
import type { PosixVariant } from './types.ts';

export type NestedShell =
  | { readonly kind: 'payload'; readonly index: number; readonly interactive: boolean }
  /** `--help` and `--version` alone. */
  | { readonly kind: 'introspection' }
  /** Standard input, or a file. */
  | { readonly kind: 'script' }
  | { readonly kind: 'unknown' };

const LETTERS: Readonly<Record<PosixVariant, RegExp>> = {
  bash: /^[abcefhlnpruvxtoBCPT]+$/,
  sh: /^[abcefhlnuvxoC]+$/,
  zsh: /^[cefluvxno]+$/,
};
const OPTION_NAMES = /^(errexit|nounset|pipefail|xtrace|noglob|noclobber|verbose|noexec)$/;
const LONG = /^--(norc|noprofile|login|restricted|verbose)$/;

const LOOKS_LIKE_TEXT = /^-[a-zA-Z]*c[a-zA-Z]*$/;

export function readShellOptions(words: readonly ReadWord[], at: number, variant: PosixVariant): NestedShell {
  let hasCommand = false;
  let interactive = false;
  let index = at + 1;
  const only = words[index];
  if (words.length === at + 2 && only && !only.dynamic && /^--(help|version)$/.test(only.value)) {
    return { kind: 'introspection' };
  }
  for (; index < words.length; index++) {
    const word = words[index];
    if (word === undefined || word.dynamic || word.replaced) break;
    const text = word.value;
    if (text === '--') {
      index++;
      break;
    }
    if (!/^[-+]./.test(text)) {
      if (text === '-') return { kind: 'unknown' };
      break;
    }
    // zsh may take the word after -c itself, whatever it looks like.
    if (variant === 'zsh' && hasCommand) return { kind: 'unknown' };
    if (text.startsWith('--')) {
      if (variant !== 'bash' || !LONG.test(text)) return { kind: 'unknown' };
      continue;
    }
    const letters = text.slice(1);
    if (letters.includes('s')) return { kind: 'script' };
    if (letters.includes('i')) interactive = true;
    const known = letters.replaceAll('i', '');
    if (known !== '' && !LETTERS[variant].test(known)) return { kind: 'unknown' };
    if (letters.includes('c')) {
      if (!text.startsWith('-')) return { kind: 'unknown' };
      hasCommand = true;
    }
    for (const letter of letters) {
      if (letter !== 'o') continue;
      const name = words[++index];
      if (name === undefined || name.dynamic || !OPTION_NAMES.test(name.value)) return { kind: 'unknown' };
    }
  }
  if (!hasCommand) return { kind: 'script' };
  return index < words.length ? { kind: 'payload', index, interactive } : { kind: 'unknown' };
}

/** For a shell whose options are not known: the word after the first cluster with a `c`, good enough for a hint. */
export function guessPayload(words: readonly ReadWord[], at: number): number | null {
  const flag = words.findIndex((word, i) => i > at && !word.dynamic && LOOKS_LIKE_TEXT.test(word.value));
  return flag < 0 || flag + 1 >= words.length ? null : flag + 1;
}
