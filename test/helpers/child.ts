// The fixture program and how to read what it prints.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FIXTURES = new URL('../../build/fixtures/', import.meta.url);

/** Absolute path of a compiled fixture. A missing one is an error, never a reason to skip. */
export function findFixture(name: string): string {
  const path = fileURLToPath(new URL(name, FIXTURES));
  if (!existsSync(path)) throw new Error(`fixture ${name} is not built: run "npm run setup"`);
  return path;
}

export const CHILD: string = findFixture(process.platform === 'win32' ? 'child.exe' : 'child');

export type Word =
  | 'args'
  | 'env'
  | 'cwd'
  | 'fds'
  | 'signals'
  | 'session'
  | 'stdio'
  | 'exit'
  | 'kill-self'
  | 'flood'
  | 'count-stdin'
  | 'say'
  | 'cat'
  | 'wait'
  | 'wait-deaf'
  | 'wait-for-event'
  | 'pipes'
  | 'parse'
  | 'handles'
  | 'count-waiting'
  | 'break-away'
  | 'second-job'
  | 'tree'
  | 'daemons'
  | 'relay'
  | 'escape'
  | 'close-stdin';

/** argv that starts the fixture program. */
export function child(word: Word, ...rest: (string | Uint8Array)[]): [string, ...(string | Uint8Array)[]] {
  return [CHILD, word, ...rest];
}

export function fromHexLines(text: string): Buffer[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => Buffer.from(line, 'hex'));
}

/** The arguments after the word, as the program of `child('args', ...)` saw them. */
export function readArgs(output: string): Buffer[] {
  const end = output.indexOf('\n');
  const args = fromHexLines(output.slice(end + 1));
  if (args.length !== Number(output.slice(0, end))) throw new Error('the program printed another number of arguments');
  return args.slice(2);
}

export const toBytes = (argument: string | Uint8Array): Buffer =>
  typeof argument === 'string' ? Buffer.from(argument) : Buffer.from(argument);
