// An argument vector as one line of text, for people. What is shown here is never read back and never run.

import { isUtf8 } from 'node:buffer';
import { makeTypeError, makeValueError } from '../errors/option-errors.ts';
import { getInvisible, hasInvisible } from '../util/describe.ts';
import { parseArgv } from './argv.ts';
import { readOptions } from './options.ts';
import type { Argv } from './types.ts';

const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/;
/** Plain words that a shell would not take for the name of a program: an assignment, a reserved word. */
const NOT_A_PROGRAM =
  /^(?:.*=.*|case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|time|until|while|repeat|foreach|end|nocorrect|noglob)$/;

const toOctal = (byte: number): string => '\\' + byte.toString(8).padStart(3, '0');

/** The inside of `$'...'`: `hidden` characters as the octal numbers of their bytes, the others as they are. */
function escapeText(text: string, hidden: RegExp, encoding: 'utf8' | 'latin1'): string {
  let escaped = '';
  for (const character of text) {
    if (character === "'" || character === '\\') escaped += '\\' + character;
    else if (hidden.test(character)) escaped += Array.from(Buffer.from(character, encoding), toOctal).join('');
    else escaped += character;
  }
  return escaped;
}

function quoteBytes(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return quotePosix(Buffer.from(bytes).toString());
  return `$'${escapeText(Buffer.from(bytes).toString('latin1'), /[^ -~]/, 'latin1')}'`;
}

/**
 * One argument for a POSIX shell.
 *
 *   plain        -> plain
 *   a b          -> 'a b'
 *   it's         -> 'it'\''s'
 *   line\nfeed   -> $'line\012feed'
 *
 * The last form (POSIX.1-2024, 2.2.4) is for what cannot be seen, and for bytes that are not text. A shell that does not
 * know it yet (dash 0.5.12) reads it as other text.
 */
function quotePosix(argument: string | Uint8Array): string {
  if (typeof argument !== 'string') return quoteBytes(argument);
  if (PLAIN.test(argument)) return argument;
  if (hasInvisible(argument)) return `$'${escapeText(argument, getInvisible(), 'utf8')}'`;
  return `'${argument.replaceAll("'", "'\\''")}'`;
}

function quotePosixProgram(program: string): string {
  return NOT_A_PROGRAM.test(program) && PLAIN.test(program) ? `'${program}'` : quotePosix(program);
}

/**
 * One argument by the rules of the Microsoft C runtime and CommandLineToArgvW ("Parsing C command-line arguments"):
 * 2n backslashes before a quote stand for n and leave the quote its meaning; 2n+1 stand for n and a literal quote.
 */
function quoteWindows(argument: string): string {
  if (argument !== '' && !/[ \t\n\v"]/.test(argument)) return argument;
  const escaped = argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1');
  return `"${escaped}"`;
}

/** argv[0] has no escapes on Windows: it ends at the next quote. */
function quoteWindowsProgram(program: string): string {
  if (program.includes('"'))
    throw makeValueError('argv[0]', 'has a quote, which cannot be written in a Windows command line');
  return `"${program}"`;
}

function toWindowsLine(argv: Argv): string {
  const [program, ...rest] = argv;
  const quoted = rest.map((argument, i) => {
    if (typeof argument === 'string') return quoteWindows(argument);
    throw makeValueError(`argv[${i + 1}]`, 'is bytes, which have no Windows form', { index: i + 1 });
  });
  return [quoteWindowsProgram(program), ...quoted].join(' ');
}

const NAMES: ReadonlySet<string> = new Set(['platform']);

/**
 * argv as a line to read: quoted for a POSIX shell, or exactly the command line a Windows program would get.
 *
 * @param options.platform - `'win32'` or any other; absent = the platform this runs on.
 * @throws TypeError for an argv that could not be run, and for one without a form on that platform.
 */
export function commandLine(argv: Argv, options?: { readonly platform?: NodeJS.Platform }): string {
  const parsed = parseArgv(argv);
  const platform = readOptions(options, NAMES)['platform'] ?? process.platform;
  if (typeof platform !== 'string') throw makeTypeError('platform', "a platform name like 'win32'", platform);
  if (platform === 'win32') return toWindowsLine(parsed);
  const [program, ...rest] = parsed;
  return [quotePosixProgram(program), ...rest.map(quotePosix)].join(' ');
}
