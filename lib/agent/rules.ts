// Rules as data, and their validation. A rule is told apart by the key that says what it is about.

import { z } from 'zod';
import { findNearestName } from '../util/nearest-name.ts';
import { PolicyError } from './errors.ts';
import type { Issue } from './errors.ts';
import { runsItsArguments, toProgramName } from './known-programs.ts';
import { listIssues, mustBe } from './validation.ts';

export type Effect = 'allow' | 'ask' | 'deny';

interface RuleBase {
  readonly effect: Effect;
  /** deny only: no later rule can take it back. Absent: the last rule that matches wins. */
  readonly final?: boolean | undefined;
}

/** `text`: wildcards over the canonical form of a process, or over each simple command of a command line. */
export interface TextRule extends RuleBase {
  readonly text: string;
}

/** One argument: itself, a wildcard pattern, one of several. `{rest: true}` comes last and stands for any others. */
export type ArgPattern =
  string | { readonly glob: string } | { readonly oneOf: readonly string[] } | { readonly rest: true };

/**
 * A process by its program: a bare name (the call must use that name, and the file found must be called so), or an
 * absolute path (the file found must be it, symbolic links followed). Absent `args`: any arguments.
 */
export interface ProgramRule extends RuleBase {
  readonly program: string;
  readonly args?: readonly ArgPattern[] | undefined;
  /** Of a path: the file behind its links. Not given by the caller; the executor looks it up once. */
  readonly realPath?: string | undefined;
}

/** Exactly this command line in shell mode. */
export interface CommandRule extends RuleBase {
  readonly command: string;
}

/** Every request of a mode. */
export interface ModeRule extends RuleBase {
  readonly mode: 'process' | 'shell';
}

export type Rule = TextRule | ProgramRule | CommandRule | ModeRule;

export interface Policy {
  /** In order; the last one that matches wins, unless a `final` deny matches. */
  readonly rules: readonly Rule[];
  /** When no rule matches. Absent: `'ask'`. */
  readonly otherwise?: Effect | undefined;
  /** Folders the call may name. Absent: paths are not looked at. */
  readonly roots?: readonly string[] | undefined;
  /** For a call with a path outside `roots`: at least this strict. Absent: `'ask'`. */
  readonly outside?: Effect | undefined;
}

const EFFECT = z.enum(['allow', 'ask', 'deny'], mustBe("'allow', 'ask' or 'deny'"));
const filled = (): z.ZodString => z.string(mustBe('a non-empty string')).min(1, 'must not be empty');
const BASE = { effect: EFFECT, final: z.boolean(mustBe('a boolean')).optional() };
const ARG = z.union(
  [
    z.string(),
    z.strictObject({ glob: z.string() }),
    z.strictObject({ oneOf: z.array(z.string()).min(1) }),
    z.strictObject({ rest: z.literal(true) }),
  ],
  mustBe('a string, {glob}, {oneOf: [...]} or {rest: true}'),
);
const KINDS = {
  text: z.strictObject({ ...BASE, text: filled() }),
  program: z.strictObject({ ...BASE, program: filled(), args: z.array(ARG, mustBe('an array')).optional() }),
  command: z.strictObject({ ...BASE, command: filled() }),
  mode: z.strictObject({ ...BASE, mode: z.enum(['process', 'shell'], mustBe("'process' or 'shell'")) }),
} as const;
const KIND_NAMES = Object.keys(KINDS) as (keyof typeof KINDS)[];

const POLICY = z.strictObject({
  rules: z.array(z.unknown(), mustBe('an array of rules')),
  otherwise: EFFECT.optional(),
  roots: z.array(filled(), mustBe('an array of folders')).optional(),
  outside: EFFECT.optional(),
});

const explainKey =
  (known: readonly string[]) =>
  (key: string): string => {
    const nearest = findNearestName(key, known);
    return nearest === undefined ? 'is not a known key' : `is not a known key; did you mean ${nearest}?`;
  };

/** What the shape of a rule alone cannot say. */
function checkMeaning(rule: Rule): Issue[] {
  const issues: Issue[] = [];
  if (rule.final === true && rule.effect !== 'deny')
    issues.push({ path: 'final', message: "is for effect 'deny' only" });
  if (!('program' in rule)) return issues;
  const { program, args } = rule;
  const rest = args?.findIndex((one) => typeof one === 'object' && 'rest' in one) ?? -1;
  if (args && rest >= 0 && rest !== args.length - 1)
    issues.push({ path: 'args', message: 'must have {rest: true} last' });
  if (/[/\\]/.test(program) && !/^(\/|[A-Za-z]:\\|\\\\)/.test(program)) {
    issues.push({ path: 'program', message: 'must be a bare name or an absolute path' });
  }
  if (rule.effect === 'allow' && args === undefined && runsItsArguments(program)) {
    const name = JSON.stringify(toProgramName(program));
    issues.push({
      path: 'args',
      message: `is required: ${name} runs what its arguments say; write [{"rest": true}] to allow any`,
    });
  }
  return issues;
}

function parseRule(value: unknown, index: number): Rule | Issue[] {
  const at = (issue: Issue): Issue => ({ ...issue, path: `rules[${index}]${issue.path && `.${issue.path}`}` });
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const kinds = KIND_NAMES.filter((name) => keys.includes(name));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    return [at({ path: '', message: `must have exactly one of ${KIND_NAMES.join(', ')}` })];
  }
  const outcome = KINDS[kind].safeParse(value);
  if (!outcome.success) {
    return listIssues(outcome.error, explainKey(Object.keys(KINDS[kind].shape))).map(at);
  }
  const issues = checkMeaning(outcome.data).map(at);
  return issues.length > 0 ? issues : Object.freeze(outcome.data);
}

/**
 * A frozen copy with every rule checked.
 *
 * @throws PolicyError with every problem by path; an `allow` for a program that runs its arguments must have `args`.
 */
export function parsePolicy(value: unknown): Policy {
  const outcome = POLICY.safeParse(value);
  const issues = outcome.success ? [] : listIssues(outcome.error, explainKey(Object.keys(POLICY.shape)));
  if (!outcome.success) throw new PolicyError(issues);
  const rules = outcome.data.rules.map(parseRule);
  issues.push(...rules.filter((rule) => Array.isArray(rule)).flat());
  if (issues.length > 0) throw new PolicyError(issues);
  return Object.freeze({ ...outcome.data, rules: Object.freeze(rules as Rule[]) });
}
