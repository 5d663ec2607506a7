// The file behind an approval: the one that was looked at must be the one that runs.
//
// Where the host can name its own descriptors under /proc (Linux), a compiled program is started through the descriptor
// that was checked: the kernel then runs that file, whatever has become of its path. A script cannot be (its interpreter
// opens the path a second time, and `$0` would be a descriptor's name), nor can any program where there is no such name:
// these are checked right before the start and again after the end.

import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { AllowlistError } from './errors.ts';

export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly nlink: bigint;
  readonly mode: bigint;
}

const toIdentity = ({ dev, ino, size, mtimeNs, ctimeNs, nlink, mode }: FileIdentity): FileIdentity => ({
  dev,
  ino,
  size,
  mtimeNs,
  ctimeNs,
  nlink,
  mode,
});

export async function identify(path: string): Promise<FileIdentity> {
  return toIdentity(await stat(path, { bigint: true }));
}

export const identifySync = (path: string): FileIdentity => toIdentity(statSync(path, { bigint: true }));

/**
 * Same file with the same content, as far as its times tell. A changed ctime alone counts unless the number of links
 * changed with it: a package manager that replaces the file unlinks the one that runs.
 */
export function isSameFile(a: FileIdentity, b: FileIdentity): boolean {
  if (a.dev !== b.dev || a.ino !== b.ino || a.size !== b.size || a.mtimeNs !== b.mtimeNs) return false;
  return a.ctimeNs === b.ctimeNs || a.nlink !== b.nlink;
}

/** The identity as text, for a step's key: a change of it is another program. */
export const describeIdentity = ({ dev, ino, size, mtimeNs }: FileIdentity): string =>
  [dev, ino, size, mtimeNs].join(':');

function lookAt(path: string): FileIdentity | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && toIdentity(found);
}

function isScript(descriptor: number): boolean {
  const head = Buffer.alloc(2);
  return readSync(descriptor, head, 0, 2, 0) === 2 && head.toString('latin1') === '#!';
}

export interface PinnedProgram {
  /** What to start. */
  readonly path: string;
  /** Started through a descriptor: a replaced path cannot change what runs. */
  readonly pinned: boolean;
  /** @throws AllowlistError `changed` when what ran may not have been what was approved. */
  verify(): void;
  close(): void;
}

const changed = (path: string, when: string): AllowlistError =>
  new AllowlistError('changed', `${path} is not the file that was approved (${when})`);

/** A file that may be executed but not read has no descriptor here, and is started by its path. */
function openForReading(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return null;
    throw changed(path, `before the start: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
  }
}

/**
 * Opens the approved file right before the start. `close` when it has ended.
 *
 * @throws AllowlistError `changed` when `path` no longer leads to the approved file.
 */
export function pinProgram(path: string, approved: FileIdentity): PinnedProgram {
  const descriptor = openForReading(path);
  const close = (): void => {
    if (descriptor !== null) closeSync(descriptor);
  };
  try {
    const found = descriptor === null ? lookAt(path) : toIdentity(fstatSync(descriptor, { bigint: true }));
    if (!found || !isSameFile(found, approved)) throw changed(path, 'before the start');
    const name = `/proc/${process.pid}/fd/${descriptor}`;
    const named = descriptor !== null && !isScript(descriptor) ? lookAt(name) : undefined;
    const pinned = named !== undefined && isSameFile(named, approved);
    const verify = (): void => {
      const now = pinned ? toIdentity(fstatSync(descriptor as number, { bigint: true })) : lookAt(path);
      if (!now || !isSameFile(now, approved)) throw changed(path, 'after the start');
    };
    return { path: pinned ? name : path, pinned, verify, close };
  } catch (error) {
    close();
    throw error;
  }
}
