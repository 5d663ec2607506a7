// Commands that run other commands beside themselves: find, xargs, trap, env -S. Each stays visible as a stage.

import { skipOptions } from './option-reader.ts';
import type { OptionTable } from './option-reader.ts';
import type { ReadWord } from './posix-word.ts';
import { addStage, within } from './stage-context.ts';
import type { SimpleCommand, StageContext } from './stage-context.ts';
import { splitEnvString } from './wrappers.ts';

const plain = (value: string): ReadWord => ({ value, dynamic: false, single: true, assignment: false });

/** A command that a carrier starts by itself, without a shell. */
const started = (words: readonly ReadWord[]): SimpleCommand => ({
  words,
  assignments: [],
  prefixed: true,
  inShell: false,
});

const RUNS = /^-(exec|execdir|ok|okdir)$/;

/** find(1): each program from its option to `;`, or to `{} +`. Any word that is not fixed may be one of these options. */
export function emitFind(command: SimpleCommand, at: number, context: StageContext): void {
  const words = command.words.slice(at + 1);
  if (words.some((word) => word.dynamic || word.replaced)) {
    context.facts.unresolve('wrapper_options_unknown', 'find');
  }
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (!word || word.dynamic || !RUNS.test(word.value)) continue;
    const child: ReadWord[] = [];
    let ended = false;
    for (i++; i < words.length; i++) {
      const next = words[i];
      if (!next) break;
      if (next.value === ';' || (next.value === '+' && child.at(-1)?.value === '{}')) {
        ended = true;
        break;
      }
      child.push(next.value.includes('{}') ? { ...next, replaced: true } : next);
    }
    if (!ended || child.length === 0) context.facts.unresolve('wrapper_options_unknown', 'find');
    if (child.length > 0) context.emitCommand(started(child), within(command, context));
  }
}

const XARGS: OptionTable = {
  flags: '0rtpxo',
  values: 'ILnPdsEa',
  longFlags: ['null', 'no-run-if-empty', 'verbose', 'interactive', 'exit', 'open-tty'],
  longValues: ['max-args', 'max-procs', 'delimiter', 'max-chars', 'max-lines', 'replace', 'arg-file', 'eof'],
};

/** Its arguments come from standard input, so it is never resolved; the program it starts is a stage all the same. */
export function emitXargs(command: SimpleCommand, at: number, name: string, context: StageContext): void {
  context.facts.unresolve('carrier_input_unknown', name);
  const words = command.words.slice(at + 1);
  const index = skipOptions(words, 0, name === 'xargs' ? XARGS : {});
  if (index === null) return;
  const end = name === 'parallel' ? words.findIndex(({ value }) => /^:::/.test(value)) : -1;
  const child = words.slice(index, end < 0 ? undefined : end);
  if (child.length > 0) context.emitCommand(started(child), within(command, context));
}

/** `trap TEXT SIGNAL...` runs TEXT later; `-l`, `-p`, `- SIGNAL` and `NUMBER SIGNAL...` run nothing (POSIX trap). */
export function emitTrap(command: SimpleCommand, at: number, context: StageContext): void {
  const args = command.words.slice(at + 1);
  const [first] = args;
  if (first === undefined) return;
  if (args.some((word) => word.dynamic)) {
    context.facts.unresolve('evaluated_text', 'trap');
    return;
  }
  if (args.length === 1 && ['-l', '-p', '--'].includes(first.value)) return;
  const text = first.value === '--' ? args[1] : first;
  if (text === undefined || args.length < 2 || (text === first && /^-./.test(first.value))) {
    context.facts.unresolve('builtin_effect_unknown', 'trap');
    return;
  }
  if (text.value === '-' || text.value === '' || /^[0-9]+$/.test(text.value)) return;
  context.scanText(text.value, within(command, context));
}

/** `env -S` has quoting and escapes of its own: what it splits is a hint, listed before the command itself. */
export function emitSplitEnv(command: SimpleCommand, at: number, context: StageContext): void {
  const words = splitEnvString(command.words, at);
  if (words === null || words.length === 0) return;
  const guess: SimpleCommand = {
    words: [plain('env'), ...words.map(plain)],
    assignments: command.assignments,
    prefixed: true,
    inShell: false,
  };
  const before = context.facts.stages.length;
  context.emitCommand(guess, { ...context, depth: context.depth + 1 });
  if (context.facts.stages.length === before) addStage(guess, 0, context);
}
