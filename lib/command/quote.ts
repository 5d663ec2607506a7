// An argument vector as one line of text, for people. What is shown here is never read back and never run.

import { makeValueError } from '../errors/option-errors.ts';
import { parseArgv } from './argv.ts';
import type { Argv } from './types.ts';

const PLAIN = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/;
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const NEEDS_ESCAPES = /[\u0000-\u001f\u007f]/;

/** `$'...'` (POSIX.1-2024, 2.2.4): every byte outside printable ASCII as `\xHH`... of the UTF-8 form. */
function quoteBytes(bytes: Uint8Array): string {
  let quoted = "$'";
  for (const byte of bytes) {
    if (byte === 0x27 || byte === 0x5c) quoted += '\\' + String.fromCharCode(byte);
    else if (byte >= 0x20 && byte < 0x7f) quoted += String.fromCharCode(byte);
    else quoted += '\\' + byte.toString(8).padStart(3, '0');
  }
  return quoted + "'";
}

/**
 * One argument for a POSIX shell.
 *
 *   plain        -> plain
 *   a b          -> 'a b'
 *   it's         -> 'it'\''s'
 *   line\nfeed   -> $'line\012feed'
 */
function quotePosix(argument: string | Uint8Array): string {
  if (typeof argument !== 'string') return quoteBytes(argument);
  if (PLAIN.test(argument)) return argument;
  if (NEEDS_ESCAPES.test(argument)) return quoteBytes(Buffer.from(argument));
  return `'${argument.replaceAll("'", "'\\''")}'`;
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

/**
 * argv as a line to read: quoted for a POSIX shell, or exactly the command line a Windows program would get.
 *
 * @param options.platform - `'win32'` or any other; absent = the platform this runs on.
 * @throws TypeError for an argv that could not be run, and for one without a form on that platform.
 */
export function commandLine(argv: Argv, options: { readonly platform?: NodeJS.Platform } = {}): string {
  const parsed = parseArgv(argv);
  if ((options.platform ?? process.platform) === 'win32') return toWindowsLine(parsed);
  return parsed.map(quotePosix).join(' ');
}
