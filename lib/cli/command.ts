// What a command of the executable is, and the exit codes all of them share.

import type { Readable, Writable } from 'node:stream';

/** The standard streams of the executable; a test gives its own. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The whole help text, ending in a newline. */
  readonly help: string;
  /** @returns the exit code. @throws UsageError for arguments that mean nothing. */
  run(args: readonly string[], streams: Streams): Promise<number>;
}

/** The arguments of the executable are wrong; shown with a pointer to the help, exit code 125. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** As `timeout(1)` and `env(1)` have them, so that a caller can tell our failures from the program's. */
export const EXIT = {
  success: 0,
  /** A check or a scan said no. */
  failure: 1,
  timeout: 124,
  /** argv-spawn itself failed, wrong usage included. */
  usage: 125,
  /** The program was found but could not be started. */
  notExecutable: 126,
  notFound: 127,
  /** Plus the number of the signal that ended the program. */
  signalBase: 128,
} as const;

/** Writes all of `text` and waits until the stream has taken it. A reader that went away is not an error. */
export function print(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE') reject(error);
      else resolve();
    });
  });
}
