// Binding a scan to the request it was made for.

import { createHash } from 'node:crypto';
import type { CommandScan, ScanRequest } from './scan-types.ts';

/** Longer text is hashed by itself, in two-byte units: as JSON it would take longer than the whole scan. */
const LONG = 65_536;

/** A value that is not text stands for its type only: no request with one is ever resolved. */
function toText(value: unknown): string | null | readonly string[] {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') return [typeof value];
  return value.length <= LONG ? value : ['long', createHash('sha256').update(value, 'utf16le').digest('hex')];
}
const toTexts = (values: unknown): unknown => (Array.isArray(values) ? values.map(toText) : toText(values));

const sortEntries = (env: Readonly<Record<string, unknown>>): unknown[] =>
  Object.entries(env)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, toText(value)]);

function toIdentity(shell: ScanRequest['shell']): unknown {
  if (typeof shell !== 'object' || shell === null) return toText(shell);
  return [toText(shell.id), toText(shell.path), toTexts(shell.default_args), toTexts(shell.login_args)];
}

/** SHA-256 over everything that decides what is run: mode, argv or text, shell with its arguments, environment, folder. */
export function digestRequest(request: ScanRequest): string {
  const { mode, argv, command, shell, env, cwd, login, interactive } = request;
  const facts = [
    toText(mode),
    toTexts(argv),
    toText(command),
    toIdentity(shell),
    env ? sortEntries(env) : null,
    toText(cwd),
    login === true,
    interactive === true,
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

/** The request is not the one that was scanned. Nothing was started. */
export class ScanMismatchError extends Error {
  override readonly name: string = 'ScanMismatchError';
  readonly code: string = 'ERR_SCAN_MISMATCH';
}

/**
 * To be called right before the start, with the request that is about to be carried out.
 *
 * @throws ScanMismatchError when any of its parts differs from what `scan` was given.
 */
export function assertSameRequest(scan: CommandScan, request: ScanRequest): void {
  if (digestRequest(request) !== scan.request_digest) {
    throw new ScanMismatchError('the command, its shell, environment or folder is not the one that was scanned');
  }
}
