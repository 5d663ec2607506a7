// Reading the command line: options by node:util, and the words after `--` byte for byte.

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import type { Argv } from '../command/types.ts';
import { UsageError } from './command.ts';

type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O; strict: true }>>['values'];

function complain<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** `parseArgs` without positionals, its complaints as UsageError. */
export function parseOptions<const O extends Options>(args: readonly string[], options: O): Parsed<O> {
  return complain(() => parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values);
}

/** The same with words beside the options. */
export function parseOptionsAndWords<const O extends Options>(
  args: readonly string[],
  options: O,
): { readonly values: Parsed<O>; readonly words: readonly string[] } {
  const { values, positionals } = complain(() =>
    parseArgs({ args: [...args], options, strict: true, allowPositionals: true }),
  );
  return { values, words: positionals };
}

/** `undefined` when absent, else a number; its range is the option's own business. */
export function parseNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) throw new UsageError(`${option} takes a number, got '${text}'`);
  return value;
}

/**
 * The program and its arguments as this process was given them. Node decodes its own arguments as UTF-8 and puts
 * U+FFFD where that fails, so a word that holds one is read again from the kernel (`/proc/self/cmdline`, proc(5)).
 *
 * @throws UsageError where that cannot be done: a changed argument is never passed on.
 */
export function readExactArgv(words: readonly string[]): Argv {
  const [program, ...rest] = words;
  if (program === undefined) throw new UsageError('no program given after --');
  if (!words.some((word) => word.includes('\uFFFD'))) return [program, ...rest];
  const raw = readOwnArguments()?.slice(-words.length);
  if (raw?.length !== words.length || raw.some((bytes, at) => bytes.toString() !== words[at])) {
    throw new UsageError('an argument is not valid UTF-8, or holds U+FFFD, and this system cannot tell which');
  }
  if (program.includes('\uFFFD')) throw new UsageError('the program name is not valid UTF-8, or holds U+FFFD');
  return [program, ...rest.map((word, at) => (word.includes('\uFFFD') ? (raw[at + 1] ?? word) : word))];
}

function readOwnArguments(): Buffer[] | undefined {
  let text: Buffer;
  try {
    text = readFileSync('/proc/self/cmdline');
  } catch {
    return undefined; // no procfs: the caller refuses
  }
  const found: Buffer[] = [];
  for (let start = 0; start < text.length;) {
    const end = text.indexOf(0, start);
    found.push(text.subarray(start, end < 0 ? text.length : end));
    start = end < 0 ? text.length : end + 1;
  }
  return found;
}
