// Folders and files that options name: absolute before anything is started.

import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTypeError, makeValueError } from '../errors/option-errors.ts';
import { makeFailure, toSpawnError } from '../errors/spawn-message.ts';
import { checkText } from './argv.ts';
import type { Argv } from './types.ts';

/** A file: URL may still name no path here: another host, an encoded slash or NUL. */
function fromFileUrl(url: URL, field: string): string {
  try {
    return fileURLToPath(url);
  } catch (error) {
    throw makeValueError(field, `is no path here: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @throws TypeError when `value` is neither a non-empty string nor a `file:` URL. */
export function parsePath(value: unknown, field: string): string {
  let path: string;
  if (typeof value === 'string') {
    path = value;
  } else if (value instanceof URL) {
    if (value.protocol !== 'file:') throw makeValueError(field, `must be a file: URL, got ${value.protocol}`);
    path = fromFileUrl(value, field);
  } else {
    throw makeTypeError(field, 'a string or a file: URL', value);
  }
  if (path === '') throw makeValueError(field, 'is empty');
  checkText(path, field);
  return path;
}

/**
 * The host's current folder, asked for only when a relative path needs it: a host whose folder has been removed can
 * still start programs by absolute path.
 */
function readHostFolder(argv: Argv): string {
  try {
    return process.cwd();
  } catch {
    const failure = makeFailure({ stage: 'cwd', code: 'ENOENT', errno: 2, subject: 'cwd', call: 'getcwd', path: '.' });
    throw toSpawnError(failure, { argv, program: argv[0], cwd: null });
  }
}

/** Absolute form of a path from the options; relative ones start at the host's folder, as in Node. */
export function toAbsolute(path: string, argv: Argv): string {
  return isAbsolute(path) ? path : resolve(readHostFolder(argv), path);
}

const IS_WINDOWS = process.platform === 'win32';

/** A path, not a name to look up. `\tool` is one and still depends on a drive. */
function isRelativeOnWindows(program: string): boolean {
  const complete = /^(?:[a-z]:)?[\\/]{2}|^[a-z]:[\\/]/i.test(program);
  return !complete && /[\\/:]/.test(program);
}

/** The folder a relative program path starts from: the child's. null when the name does not need one. */
export function findBase(program: string, cwd: string | null, argv: Argv): string | null {
  const isRelative = IS_WINDOWS ? isRelativeOnWindows(program) : program[0] !== '/' && program.includes('/');
  if (!isRelative) return null;
  return cwd ?? readHostFolder(argv);
}
