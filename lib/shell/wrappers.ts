// Programs and built-ins that run the rest of their words as another command. README.md has the table for readers.

import { skipOptions } from './option-reader.ts';
import type { OptionTable } from './option-reader.ts';
import type { ReadWord } from './posix-word.ts';
import type { PosixVariant } from './types.ts';

/**
 * `next`: index of the wrapped command. `none`: this form runs nothing. `unknown`: which words are the command cannot be
 * told; `guess`, when there is one, is good enough for a hint.
 */
export type Unwrapped =
  | { readonly kind: 'next'; readonly index: number; readonly keepsShell: boolean }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown'; readonly guess: number | null };

interface Wrapper extends OptionTable {
  /** Words between the options and the command. */
  readonly operands?: number;
  /** Accepts `NAME=value` before the command. */
  readonly assignments?: boolean;
}

/** sudo(8) 1.9, doas(1), nice, timeout, nohup, stdbuf, time (GNU and POSIX), setsid(1), ionice(1). */
const PROGRAMS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    flags: 'AbBEHknNPS',
    values: 'CDghpRtTuU',
    longFlags: [
      'askpass',
      'background',
      'bell',
      'set-home',
      'no-update',
      'non-interactive',
      'preserve-groups',
      'stdin',
    ],
    longValues: ['user', 'group', 'host', 'prompt', 'chdir', 'chroot', 'close-from', 'command-timeout'],
    longOptional: ['preserve-env'],
    assignments: true,
  },
  doas: { flags: 'n', values: 'Cu' },
  nohup: {},
  nice: { values: 'n', longValues: ['adjustment'], also: /^-\d+$/ },
  timeout: {
    flags: 'fpv',
    values: 'ks',
    longFlags: ['foreground', 'preserve-status', 'verbose'],
    longValues: ['kill-after', 'signal'],
    operands: 1,
  },
  time: { flags: 'p', longFlags: ['portability'] },
  stdbuf: { values: 'ioe', longValues: ['input', 'output', 'error'] },
  setsid: { flags: 'cfw', longFlags: ['ctty', 'fork', 'wait'] },
  ionice: { flags: 't', values: 'cn', longValues: ['class', 'classdata'], longFlags: ['ignore'] },
};

const ASSIGNMENT = /^[^=]+=/;
const INTROSPECTION = /^--(?:help|version)$/;

function finish(words: readonly ReadWord[], index: number, keepsShell: boolean): Unwrapped {
  return index < words.length ? { kind: 'next', index, keepsShell } : { kind: 'none' };
}

function unwrapProgram(words: readonly ReadWord[], at: number, wrapper: Wrapper): Unwrapped {
  const only = words[at + 1];
  if (words.length === at + 2 && only && !only.dynamic && INTROSPECTION.test(only.value)) return { kind: 'none' };
  let index = skipOptions(words, at + 1, wrapper);
  if (index === null) return { kind: 'unknown', guess: null };
  if (wrapper.assignments) {
    while (words[index] && !words[index]?.dynamic && ASSIGNMENT.test(words[index]?.value ?? '')) index++;
  }
  for (let n = 0; n < (wrapper.operands ?? 0); n++, index++) {
    const operand = words[index];
    if (operand === undefined) return { kind: 'none' };
    if (operand.dynamic || operand.replaced) return { kind: 'unknown', guess: index + 1 };
  }
  return finish(words, index, false);
}

/** env(1). Long options differ between GNU, BSD and uutils, so each is unknown; `-S` splits text by rules of its own. */
function unwrapEnv(words: readonly ReadWord[], at: number): Unwrapped {
  let index = at + 1;
  for (; index < words.length; index++) {
    const word = words[index];
    if (word === undefined || word.dynamic || word.replaced) break;
    const text = word.value;
    if (text === '-') continue;
    if (text === '--') {
      index++;
      break;
    }
    if (!text.startsWith('-')) break;
    if (words.length === at + 2 && INTROSPECTION.test(text)) return { kind: 'none' };
    const match = /^-([iv]*)(?:([uC])(.*))?$/s.exec(text);
    if (!match) return { kind: 'unknown', guess: null };
    if (match[2] !== undefined && match[3] === '' && ++index >= words.length) return { kind: 'unknown', guess: null };
  }
  while (words[index] && !words[index]?.dynamic && ASSIGNMENT.test(words[index]?.value ?? '')) index++;
  return finish(words, index, false);
}

/** @returns the words that `env -S` splits its text into, for hints; null when the text has escapes or expansions. */
export function splitEnvString(words: readonly ReadWord[], at: number): string[] | null {
  for (let index = at + 1; index < words.length; index++) {
    const word = words[index];
    if (word === undefined || word.dynamic) return null;
    if (word.value === '-') continue;
    const match = /^-[iv]*S(.*)$/s.exec(word.value);
    const long = /^--split-string=(.*)$/s.exec(word.value);
    if (!match && !long) {
      if (/^-[iv]+$/.test(word.value)) continue;
      return null;
    }
    const glued = match?.[1] ?? long?.[1] ?? '';
    const rest = words.slice(index + 1);
    const text = glued !== '' ? glued : (rest.shift()?.value ?? '');
    if (/["'\\$#]/.test(text)) return null;
    return [...text.split(/[ \t\n\v\f\r]+/).filter((part) => part !== ''), ...rest.map(({ value }) => value)];
  }
  return null;
}

/** bash(1), zshbuiltins(1). In sh `exec` may take no option at all: dash reads one as the program. */
function unwrapBuiltin(words: readonly ReadWord[], at: number, variant: PosixVariant): Unwrapped | null {
  const name = words[at]?.value;
  if (name === 'command') {
    const index = skipOptions(words, at + 1, { flags: 'pvV' });
    if (index === null) return { kind: 'unknown', guess: null };
    const options = words.slice(at + 1, index).map(({ value }) => value);
    if (options.some((text) => /^-[pvV]*[vV]/.test(text))) return { kind: 'none' };
    return finish(words, index, true);
  }
  if (name === 'builtin' && variant !== 'sh') {
    const index = skipOptions(words, at + 1, {});
    return index === null ? { kind: 'unknown', guess: null } : finish(words, index, true);
  }
  if (name === 'exec') {
    const index = skipOptions(words, at + 1, variant === 'sh' ? {} : { flags: 'cl', values: 'a' });
    return index === null ? { kind: 'unknown', guess: null } : finish(words, index, false);
  }
  return null;
}

/** @param inShell - a shell reads `words[at]`, so that its built-ins count. @returns null for what is no wrapper. */
export function unwrap(
  words: readonly ReadWord[],
  at: number,
  name: string,
  inShell: boolean,
  variant: PosixVariant,
): Unwrapped | null {
  if (inShell) {
    const builtin = unwrapBuiltin(words, at, variant);
    if (builtin) return builtin;
  }
  if (name === 'env') return unwrapEnv(words, at);
  if (name === 'busybox' || name === 'toybox') {
    const applet = words[at + 1];
    if (applet === undefined || (!applet.dynamic && applet.value.startsWith('-'))) return { kind: 'none' };
    return { kind: 'next', index: at + 1, keepsShell: false };
  }
  const wrapper = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  return wrapper ? unwrapProgram(words, at, wrapper) : null;
}
