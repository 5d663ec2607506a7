// Argument rules: checked and compiled when the policy is built, so that a wrong rule never waits for its first use.

import { makeTypeError, makeValueError } from '../errors/option-errors.ts';
import type { ArgPattern, ArgsGuard } from './policy-types.ts';

type Matcher = (argument: string) => boolean;

interface Compiled {
  readonly fixed: readonly Matcher[];
  readonly rest: Matcher | null;
}

/** Anchored, and without the flags that would give a pattern a memory or let `^` and `$` match inside the text. */
function compileExpression(pattern: RegExp): Matcher {
  const whole = new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gmy]/g, ''));
  return (argument) => whole.test(argument);
}

function compilePattern(pattern: unknown, field: string): Matcher {
  if (typeof pattern === 'string') return (argument) => argument === pattern;
  if (pattern instanceof RegExp) return compileExpression(pattern);
  if (Array.isArray(pattern) && pattern.every((one) => typeof one === 'string')) {
    const words: ReadonlySet<string> = new Set(pattern);
    return (argument) => words.has(argument);
  }
  throw makeTypeError(field, 'a string, an array of strings, a RegExp, or {rest} in the last place', pattern);
}

const isRest = (pattern: unknown): pattern is { readonly rest: RegExp } =>
  typeof pattern === 'object' && pattern !== null && (pattern as { rest?: unknown }).rest instanceof RegExp;

function compileList(list: unknown, field: string): Compiled {
  if (!Array.isArray(list)) throw makeTypeError(field, 'an array of patterns', list);
  const patterns: readonly unknown[] = list;
  const last = patterns.at(-1);
  const rest = isRest(last) ? compileExpression(last.rest) : null;
  const fixed = rest ? patterns.slice(0, -1) : patterns;
  return { fixed: fixed.map((pattern, i) => compilePattern(pattern, `${field}[${i}]`)), rest };
}

function matches({ fixed, rest }: Compiled, args: readonly string[]): boolean {
  if (args.length < fixed.length || (rest === null && args.length > fixed.length)) return false;
  return args.every((argument, i) => (fixed[i] ?? rest)?.(argument) ?? false);
}

/** @throws TypeError naming the pattern that is wrong. */
export function compilePatterns(lists: readonly (readonly ArgPattern[])[], field: string): ArgsGuard {
  if (lists.length === 0) throw makeValueError(field, 'is empty: no arguments would ever be accepted');
  const compiled = lists.map((list, i) => compileList(list, `${field}[${i}]`));
  return (args) => compiled.some((one) => matches(one, args)) || 'no pattern of the rule matches the arguments';
}
