// The decision, as a pure function of rules and target.
//
// The last rule that matches wins; a matching `final` deny wins over all. A call is read in several ways, and the
// strictest outcome holds:
//
//   as itself   the one canonical text, and the program that would run
//   as written  other ways to write the same words: only rules that deny or ask
//   inside      wrappers, shell payloads, other names of the program: only rules that deny or ask
//
// A text rule allows only what reads as exactly these words everywhere. So a process with an unclear token, or a command
// line that cannot be read, is allowed by a structured rule or not at all as soon as there is any text rule; with
// structured rules alone `otherwise` applies. Changing the representation of a call never widens a rule.
//
// A command line of several commands gets the strictest of their decisions.

import { canonicalize } from './canonical.ts';
import type { Unclear } from './canonical.ts';
import { isShell, isWrapper, toProgramName } from './known-programs.ts';
import type { ArgPattern, Effect, ProgramRule, Rule } from './rules.ts';
import { readShellCommands } from './shell-text.ts';
import { readArgv, readCommand } from './spellings.ts';
import type { Readings } from './spellings.ts';
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
  | { readonly mode: 'shell'; readonly command: string };

export interface Decision {
  readonly effect: Effect;
  /** Index of the rule that decided; null when none did. */
  readonly rule: number | null;
  /** For people: what led here beside the rule. */
  readonly because: readonly string[];
}

/** One thing that rules are matched against; a command line has one for each of its commands. */
interface Part {
  readonly target: Target;
  /** What an allowing text rule may match; null when no text can be trusted. */
  readonly text: string | null;
  /** What rules that deny or ask are matched against. */
  readonly readings: Readings;
  readonly unclear: readonly string[];
}

const STRICTNESS: readonly Effect[] = ['allow', 'ask', 'deny'];

export function isStricter(one: Effect, other: Effect): boolean {
  return STRICTNESS.indexOf(one) > STRICTNESS.indexOf(other);
}

const describeUnclear = ({ index, why }: Unclear): string =>
  index === 0 ? `the program name cannot be classified (${why})` : `args[${index - 1}] is not one plain word (${why})`;

const TOO_MUCH = 'it holds more possible commands than are looked at';

function makePart(target: Target, text: string, readings: Readings, unclear: readonly string[]): Part {
  const all = readings.complete ? unclear : [...unclear, TOO_MUCH];
  return { target, text: all.length === 0 ? text : null, readings, unclear: all };
}

function toParts(target: Target): readonly Part[] {
  if (target.mode === 'shell') {
    const { command } = target;
    const readings = readCommand(command);
    const commands = readShellCommands(command);
    if (commands === null) {
      return [makePart(target, command, readings, ['the command line cannot be read as simple commands'])];
    }
    // What forbids is looked for in the whole line, too: it sees payloads that span the connectors.
    return commands.map(({ text, words }) => makePart(target, text, join(text, words, readings), findPayload(words)));
  }
  const canonical = canonicalize(target.argv);
  if (canonical.ok) {
    const { text, tokens, unclear } = canonical;
    return [makePart(target, text, readArgv(tokens, text), unclear.map(describeUnclear))];
  }
  const words = target.argv.map((word) => word.replaceAll('\0', ' '));
  return [makePart(target, '', readArgv(words, ''), [`it has no canonical form (${canonical.reason})`])];
}

/** A wrapper or shell with an argument that is not one plain word: it may be a program of its own. */
function findPayload(words: readonly string[]): string[] {
  const [program = ''] = words;
  const canonical = canonicalize(words);
  const plain = canonical.ok && canonical.unclear.length === 0;
  return plain || !(isWrapper(program) || isShell(program)) ? [] : [`${program} runs what its arguments say`];
}

function join(text: string, words: readonly string[], line: Readings): Readings {
  const one = readArgv(words, text);
  return {
    argvs: [...one.argvs, ...line.argvs],
    own: [text],
    texts: new Set([...one.texts, ...line.texts]),
    complete: one.complete && line.complete,
  };
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

/** The program that would run, exactly. */
function isProgram(rule: ProgramRule, target: Target): boolean {
  if (target.mode !== 'process') return false;
  const [name = '', ...args] = target.argv;
  const file = target.file ?? null;
  if (!matchArgs(rule.args, args)) return false;
  if (isPath(rule.program)) return file?.realPath === rule.program;
  return name === rule.program && (file === null || toBase(file.realPath) === toBase(rule.program));
}

/** Any name that the program, or one inside it, goes by. */
function findsProgram(rule: ProgramRule, { target, readings }: Part): boolean {
  const file = (target.mode === 'process' ? target.file : null) ?? null;
  return readings.argvs.some(([name = '', ...args], i) => {
    const names = i === 0 && file !== null ? [name, file.path, file.realPath] : [name];
    const same = isPath(rule.program)
      ? names.includes(rule.program)
      : names.some((one) => toProgramName(one) === toProgramName(rule.program));
    return same && matchArgs(rule.args, args);
  });
}

const isPath = (program: string): boolean => /[/\\]/.test(program);
const toBase = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);

/** `text` is one way to write the call; only the way that cannot be misread may allow. */
function matchesText(rule: Rule, part: Part, text: string): boolean {
  const { target } = part;
  if ('text' in rule) {
    if (rule.effect === 'allow' && part.text !== text) return false;
    return matchRuleText(rule.text, text);
  }
  if ('mode' in rule) return rule.mode === target.mode;
  if ('command' in rule) return target.mode === 'shell' && rule.command === target.command;
  return isProgram(rule, target);
}

function matchesInside(rule: Rule, part: Part): boolean {
  if (rule.effect !== 'allow') {
    if ('text' in rule) return [...part.readings.texts].some((text) => matchRuleText(rule.text, text));
    if ('program' in rule) return findsProgram(rule, part);
  }
  return matchesText(rule, part, part.text ?? '');
}

/** Index of the rule that wins among those that match. */
function findWinner(rules: readonly Rule[], matches: (rule: Rule) => boolean): number | null {
  let winner: number | null = null;
  for (const [index, rule] of rules.entries()) {
    if (!matches(rule)) continue;
    winner = index;
    if (rule.effect === 'deny' && rule.final === true) break;
  }
  return winner;
}

function decidePart(rules: readonly Rule[], part: Part, otherwise: Effect): Decision {
  const [first = '', ...others] = part.readings.own;
  const own = findWinner(rules, (rule) => matchesText(rule, part, first));
  const winners = [
    ...others.map((text) => findWinner(rules, (rule) => matchesText(rule, part, text))),
    findWinner(rules, (rule) => matchesInside(rule, part)),
  ];
  const decision = winners
    .filter((winner) => winner !== null)
    .map((winner) => toDecision(rules, winner))
    .reduce(chooseStricter, own === null ? decideOtherwise(rules, part, otherwise) : toDecision(rules, own));
  const unseen = !part.readings.complete && rules.some((rule) => rule.effect !== 'allow');
  return unseen ? chooseStricter(decision, { effect: 'ask', rule: null, because: [TOO_MUCH] }) : decision;
}

const chooseStricter = (one: Decision, other: Decision): Decision =>
  isStricter(other.effect, one.effect) ? other : one;

function toDecision(rules: readonly Rule[], winner: number): Decision {
  const effect = rules[winner]?.effect ?? 'deny';
  return { effect, rule: winner, because: [`rule ${winner} says ${effect}`] };
}

function decideOtherwise(rules: readonly Rule[], part: Part, otherwise: Effect): Decision {
  const hidden = part.text === null && rules.some((one) => 'text' in one);
  const effect = hidden && otherwise === 'allow' ? 'ask' : otherwise;
  const unclear = hidden && effect === 'ask' ? part.unclear : [];
  return { effect, rule: null, because: ['no rule matches', ...unclear] };
}

/**
 * What the rules say about a target.
 *
 * @param otherwise - when no rule matches. A call that text rules cannot read is asked about rather than allowed.
 */
export function decide(rules: readonly Rule[], target: Target, otherwise: Effect = 'ask'): Decision {
  const decisions = toParts(target).map((part) => decidePart(rules, part, otherwise));
  const strictest = decisions.reduce(chooseStricter);
  return Object.freeze({ ...strictest, because: Object.freeze(strictest.because) });
}
