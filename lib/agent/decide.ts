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
import { isSystemProgram } from '../util/system-folder.ts';
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
  if (isPath(rule.program)) return file !== null && file.realPath === (rule.realPath ?? rule.program);
  return name === rule.program && (file === null || isCalled(file, name));
}

/** A link of the system's own (`python3`, `awk`) is what it is called; one elsewhere may lead to anything. */
const isCalled = ({ path, realPath }: ProgramFile, name: string): boolean =>
  toBase(realPath) === name || (toBase(path) === name && isSystemProgram(path));

/** Any name that the program goes by. */
function findsProgram(rule: ProgramRule, { names, args, file }: Part): boolean {
  if (!matchArgs(rule.args, args)) return false;
  const base = toProgramName(rule.program);
  if (!isPath(rule.program)) return names.some((one) => toProgramName(one) === base);
  if (names.some((one) => one === rule.program || one === rule.realPath)) return true;
  // A bare name may find that very file.
  return file === null && names.some((one) => !isPath(one) && toProgramName(one) === base);
}

/** `exactly`: as written and by the name that is used. Else a rule that denies or asks sees every reading. */
function matches(rule: Rule, target: Target, part: Part, exactly: boolean): boolean {
  if ('mode' in rule) return rule.mode === target.mode;
  if ('command' in rule) return target.mode === 'shell' && rule.command === target.command;
  const allows = rule.effect === 'allow';
  if ('text' in rule) {
    const texts = allows ? part.allowTexts : exactly ? part.ownTexts : [...part.texts];
    return texts.some((text) => matchRuleText(rule.text, text));
  }
  if (!allows && !exactly) return findsProgram(rule, part);
  if (target.mode === 'process' && part.kind === 'call') return isProgram(rule, target);
  return !allows && part.names[0] === rule.program && matchArgs(rule.args, part.args);
}

/** Index of the rule that wins among those that match. */
function findWinner(rules: readonly Rule[], match: (rule: Rule) => boolean): number | null {
  let winner: number | null = null;
  for (const [index, rule] of rules.entries()) {
    if (!match(rule)) continue;
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

interface Context {
  readonly rules: readonly Rule[];
  readonly target: Target;
  readonly calls: readonly Part[];
  readonly otherwise: Effect;
  /** A rule has allowed the process with its arguments, whatever they start. */
  readonly named: boolean;
}

function toDecision(rules: readonly Rule[], winner: number | null): Decision | null {
  const effect = winner === null ? undefined : rules[winner]?.effect;
  return effect === undefined ? null : { effect, rule: winner, because: [`rule ${winner} says ${effect}`] };
}

/** Every reading that forbids. A rule about the whole call (`*`) has had its say there. */
function decideHint({ rules, target, calls }: Context, part: Part): Decision | null {
  const winner = findWinner(
    rules,
    (rule) => matches(rule, target, part, false) && !calls.every((call) => matches(rule, target, call, false)),
  );
  const decision = toDecision(rules, winner);
  return decision?.effect === 'allow' ? null : decision;
}

/** null: the part adds nothing. */
function decidePart(context: Context, part: Part): Decision | null {
  if (part.kind === 'hint') return decideHint(context, part);
  const { rules, target, otherwise, named } = context;
  const wide = toDecision(
    rules,
    findWinner(rules, (rule) => matches(rule, target, part, false)),
  );
  const exact = toDecision(
    rules,
    findWinner(rules, (rule) => matches(rule, target, part, true)),
  );
  const own = exact ?? (part.kind === 'inner' && named ? null : decideOtherwise(rules, part, otherwise));
  return own === null ? wide : wide === null ? own : chooseStricter(own, wide);
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
  const calls = reading.parts.filter(({ kind }) => kind === 'call');
  const named = calls.some((part) => {
    const winner = findWinner(rules, (rule) => matches(rule, target, part, true));
    const rule = winner === null ? undefined : rules[winner];
    return rule !== undefined && 'program' in rule && rule.effect === 'allow';
  });
  const context = { rules, target, calls, otherwise, named };
  const decisions = reading.parts.flatMap((part) => decidePart(context, part) ?? []);
  const strictest = minded(rules, reading, decisions.reduce(chooseStricter));
  return Object.freeze({ ...strictest, because: Object.freeze([...new Set(strictest.because)]) });
}
