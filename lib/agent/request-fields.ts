// The fields of a request, once: they validate, and their descriptions are what a model reads.

import { z } from 'zod';
import { describeText, mustBe } from './validation.ts';

const isExact = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
const EXACT = 'must not contain a NUL character or half a surrogate pair';

const text = (expected: string): z.ZodString => z.string(mustBe(expected)).refine(isExact, EXACT);
const filledText = (expected: string): z.ZodString =>
  z.string(mustBe(expected)).min(1, `must be ${expected}, got an empty string`).refine(isExact, EXACT);

const args: z.ZodArray<z.ZodString> = z.array(text('a string'), {
  error: ({ input }) => {
    const expected = 'an array of strings, one for each argument';
    if (typeof input !== 'string') return mustBe(expected).error({ input });
    return `must be ${expected}, got ${describeText(input)}; an array written as text is not accepted`;
  },
});

export const COMMAND: z.ZodString = filledText('a non-empty string').describe(
  'Shell mode. A command line for the shell of the host. Use it only when shell grammar is needed: pipes, ' +
    'redirections, expansions, several commands, shell built-ins. For one program use process mode.',
);
export const PROGRAM: z.ZodString = filledText('a non-empty string').describe(
  'Process mode, preferred for a single program. Its name (looked up in PATH) or path, without arguments. No shell is ' +
    'inserted. This is not a sandbox: interpreters (sh -c, python -c, node -e) and wrappers (env, xargs) still run ' +
    'what they are given.',
);
export const ARGS: z.ZodArray<z.ZodString> = args.describe(
  'Process mode. The arguments, one array entry each, passed on exactly: spaces, quotes, newlines, *, $ and empty ' +
    'strings are data. Do not quote or escape anything. May be empty.',
);
export const STDIN: z.ZodString = z
  .string(mustBe('a string'))
  .refine((value) => value.isWellFormed(), 'must not contain half a surrogate pair')
  .describe(
    'Process mode only. Text, of a size that the host bounds, written to the standard input of the program, which is then closed. Without it the ' +
      'program reads end of file at once.',
  );
export const WORKDIR: z.ZodString = filledText('a non-empty string').describe(
  'Folder to run in; it must exist. Absent: the folder of the session.',
);
export const TIMEOUT: z.ZodNumber = z
  .number(mustBe('a number of milliseconds'))
  .positive('must be more than 0 milliseconds')
  .describe('Milliseconds until the program and everything it started are ended. Absent: the limit of the host.');

const SHELL_MODE = "'shell', or absent: the command is run by a shell.";
const PROCESS_MODE = "'process': one program is started directly, without a shell.";

export const SHELL_FIELDS: z.ZodObject<{
  mode: z.ZodOptional<z.ZodLiteral<'shell'>>;
  command: z.ZodString;
  workdir: z.ZodOptional<z.ZodString>;
  timeout: z.ZodOptional<z.ZodNumber>;
}> = z
  .strictObject({
    mode: z.literal('shell').optional().describe(SHELL_MODE),
    command: COMMAND,
    workdir: WORKDIR.optional(),
    timeout: TIMEOUT.optional(),
  })
  .describe('Runs a command line in a shell. Not a sandbox.');

export const PROCESS_FIELDS: z.ZodObject<{
  mode: z.ZodLiteral<'process'>;
  program: z.ZodString;
  args: z.ZodArray<z.ZodString>;
  stdin: z.ZodOptional<z.ZodString>;
  workdir: z.ZodOptional<z.ZodString>;
  timeout: z.ZodOptional<z.ZodNumber>;
}> = z
  .strictObject({
    mode: z.literal('process').describe(PROCESS_MODE),
    program: PROGRAM,
    args: ARGS,
    stdin: STDIN.optional(),
    workdir: WORKDIR.optional(),
    timeout: TIMEOUT.optional(),
  })
  .describe('Runs one program with exact arguments, without a shell. Prefer this. Not a sandbox.');

export const MODE: string = `${PROCESS_MODE} ${SHELL_MODE}`;

/** Every field side by side (but for `mode`), for schemas that may not have alternatives. */
export const FLAT_FIELDS: z.ZodObject = z.strictObject({
  program: PROGRAM.optional(),
  args: ARGS.optional(),
  stdin: STDIN.optional(),
  command: COMMAND.optional(),
  workdir: WORKDIR.optional(),
  timeout: TIMEOUT.optional(),
});
