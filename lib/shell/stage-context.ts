// What the parts of a scan that make stages share.

import type { Facts } from './facts.ts';
import type { ReadWord } from './posix-word.ts';
import type { PosixVariant } from './types.ts';

export interface StageContext {
  readonly facts: Facts;
  readonly variant: PosixVariant;
  readonly depth: number;
  readonly via: readonly { readonly argv: readonly string[] }[];
  /** Reads text as a script of that variant: the walk, handed in so that the two files do not import each other. */
  readonly scanText: (text: string, context: StageContext) => void;
  /** Adds the stages of one command; handed in for the same reason. */
  readonly emitCommand: (command: SimpleCommand, context: StageContext) => void;
}

export interface SimpleCommand {
  readonly words: readonly ReadWord[];
  /** As written, before the words. */
  readonly assignments: readonly string[];
  /** Has assignments or redirects of its own. */
  readonly prefixed: boolean;
  /** A shell reads it, so that a built-in's name means the built-in. */
  readonly inShell: boolean;
}

export const toSource = (command: SimpleCommand): string[] => [
  ...command.assignments,
  ...command.words.map(({ value }) => value),
];

/** The stage of `words[at]` and what follows it. */
export function addStage(command: SimpleCommand, at: number, context: StageContext): void {
  const words = command.words.slice(at);
  context.facts.addStage({
    argv: words.map(({ value }) => value),
    dynamic: words.map(({ dynamic }) => dynamic),
    source_argv: toSource(command),
    via: context.via,
  });
}

export const within = (command: SimpleCommand, context: StageContext): StageContext => ({
  ...context,
  via: [...context.via, { argv: toSource(command) }],
  depth: context.depth + 1,
});
