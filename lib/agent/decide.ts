// The decision, as a pure function of rules and target.
//
// A call is read as parts: the process, or each command of a line; what those start in turn (behind `env` or `timeout`,
// in the text given to a shell); and what may be read into them. The last rule that matches a part decides it, but for a
// `final` deny, and the strictest decision of all parts holds.
//
// A text rule allows a part only when its text can be read in one way. So a process with a word that is not plain, and a
// line whose scan is not complete, is allowed by a structured rule or not at all as soon as there is any text rule; with
// structured rules alone `otherwise` applies. Rules that deny or ask see every part in every spelling. Changing the
// representation of a call never widens a rule.

import { readCall } from './call-reading.ts';
import type { Part, Reading } from './call-reading.ts';
import { toProgramName } from './known-programs.ts';
import type { ArgPattern, Effect, ProgramRule, Rule } from './rules.ts';
import type { ShellChoice } from './shell-access.ts';
import { matchRuleText, matchWildcard } from './wildcard.ts';

/** The file that would run; null on a back end whose files cannot be seen from here. */
export interface ProgramFile {
  /** As the lookup found it. */
  readonly path: string;
  /** Symbolic links followed. */
  readonly realPath: string;
}

/** What is decided about. */
export type Target =
  | { readonly mode: 'process'; readonly argv: readonly string[]; readonly file?: ProgramFile | null }
  | {
      readonly mode: 'shell';
      readonly command: string;
      /** The shell that reads it. Absent: unknown, so that no text rule allows. */
      readonly shell?: ShellChoice | null;
      /** The environment it gets, or the part that redefines commands. Absent: nothing is known of it. */
      readonly env?: Readonly<Record<string, string | undefined>>;
    };

export interface Decision {
  readonly effect: Effect;
  /** Index of the rule that decided; null when none did. */
  readonly rule: number | null;
  /** For people: what led here beside the rule. */
  readonly because: readonly string[];
}

const STRICTNESS: readonly Effect[] = ['allow', 'ask', 'deny'];

export function isStricter(one: Effect, other: Effect): boolean {
  return STRICTNESS.indexOf(one) > STRICTNESS.indexOf(other);
}

function matchArg(pattern: ArgPattern, arg: string): boolean {
  if (typeof pattern === 'string') return pattern === arg;
  if ('glob' in pattern) return matchWildcard(pattern.glob, arg);
  return 'oneOf' in pattern && pattern.oneOf.includes(arg);
}

function matchArgs(patterns: readonly ArgPattern[] | undefined, args: readonly string[]): boolean {
  if (patterns === undefined) return true;
  const last = patterns.at(-1);
  const open = typeof last === 'object' && 'rest' in last;
  const fixed = open ? patterns.slice(0, -1) : patterns;
  if (open ? args.length < fixed.length : args.length !== fixed.length) return false;
  return fixed.every((pattern, i) => matchArg(pattern, args[i] ?? ''));
}

const isPath = (program: string): boolean => /[/\\]/.test(program);
const toBase = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);

/** The program that would run, exactly. */
function isProgram(rule: ProgramRule, target: Target): boolean {
  if (target.mode !== 'process') return false;
  const [name = '', ...args] = target.argv;
  const file = target.file ?? null;
  if (!matchArgs(rule.args, args)) return false;
  if (isPath(rule.program)) return file?.realPath === rule.program;
  return name === rule.program && (file === null || toBase(file.realPath) === toBase(rule.program));
}

/** Any name that the program goes by. */
function findsProgram(rule: ProgramRule, { names, args }: Part): boolean {
  const same = isPath(rule.program)
    ? names.includes(rule.program)
    : names.some((one) => toProgramName(one) === toProgramName(rule.program));
  return same && matchArgs(rule.args, args);
}

function matches(rule: Rule, target: Target, part: Part): boolean {
  if ('mode' in rule) return rule.mode === target.mode;
  if ('command' in rule) return target.mode === 'shell' && rule.command === target.command;
  const allows = rule.effect === 'allow';
  if ('text' in rule)
    return [...(allows ? part.allowTexts : part.texts)].some((text) => matchRuleText(rule.text, text));
  return allows ? part.kind === 'call' && isProgram(rule, target) : findsProgram(rule, part);
}

/** Index of the rule that wins among those that match. */
function findWinner(rules: readonly Rule[], target: Target, part: Part): number | null {
  let winner: number | null = null;
  for (const [index, rule] of rules.entries()) {
    if (!matches(rule, target, part)) continue;
    winner = index;
    if (rule.effect === 'deny' && rule.final === true) break;
  }
  return winner;
}

const chooseStricter = (one: Decision, other: Decision): Decision =>
  isStricter(other.effect, one.effect) ? other : one;

function decideOtherwise(rules: readonly Rule[], part: Part, otherwise: Effect): Decision {
  const unseen = part.allowTexts.length === 0 && rules.some((one) => 'text' in one);
  const effect = unseen && otherwise === 'allow' ? 'ask' : otherwise;
  return { effect, rule: null, because: ['no rule matches', ...(unseen && effect === 'ask' ? part.unclear : [])] };
}

/** null: the part adds nothing. @param named - a rule has allowed the process with its arguments, whatever they start. */
function decidePart(
  rules: readonly Rule[],
  target: Target,
  part: Part,
  { otherwise, named }: { readonly otherwise: Effect; readonly named: boolean },
): Decision | null {
  const winner = findWinner(rules, target, part);
  const effect = winner === null ? undefined : rules[winner]?.effect;
  if (winner !== null && effect !== undefined && (part.kind !== 'hint' || effect !== 'allow')) {
    return { effect, rule: winner, because: [`rule ${winner} says ${effect}`] };
  }
  return part.kind === 'hint' || (part.kind === 'inner' && named) ? null : decideOtherwise(rules, part, otherwise);
}

/** Whether the rule that decided spells out this very call. */
function namesExactly(rule: Rule | undefined): boolean {
  if (rule === undefined) return false;
  if ('command' in rule) return true;
  return 'program' in rule && rule.args?.every((arg) => typeof arg === 'string') === true;
}

/** A rule that forbids must not be missed because something could not be read. */
function minded(rules: readonly Rule[], { hidden }: Reading, decision: Decision): Decision {
  const exact = decision.rule !== null && namesExactly(rules[decision.rule]);
  if (hidden.length === 0 || exact || rules.every((rule) => rule.effect === 'allow')) return decision;
  return chooseStricter(decision, { effect: 'ask', rule: null, because: hidden });
}

/**
 * What the rules say about a target.
 *
 * @param otherwise - when no rule matches. A call that text rules cannot read is asked about rather than allowed.
 */
export function decide(rules: readonly Rule[], target: Target, otherwise: Effect = 'ask'): Decision {
  const reading = readCall(target);
  const named = reading.parts.some((part) => {
    const winner = part.kind === 'call' ? findWinner(rules, target, part) : null;
    const rule = winner === null ? undefined : rules[winner];
    return rule !== undefined && 'program' in rule && rule.effect === 'allow';
  });
  const decisions = reading.parts.flatMap((part) => decidePart(rules, target, part, { otherwise, named }) ?? []);
  const strictest = minded(rules, reading, decisions.reduce(chooseStricter));
  return Object.freeze({ ...strictest, because: Object.freeze([...new Set(strictest.because)]) });
}
