// Which calls stay with Node's own engine, and how one sees it.

import { channel } from 'node:diagnostics_channel';
import { getFeatures } from '../native/binding.ts';
import type { StartOptions } from './internals.ts';

/** One row each in README.md of this folder. */
export type HandOverReason =
  | 'windows'
  | 'ipc'
  | 'extra-stdio'
  | 'stdio-kind'
  | 'user'
  | 'raw-call'
  | 'removed-folder'
  | 'permission'
  | 'not-started';

/** What is published on the `argv-spawn:child_process` channel for every start. */
export interface StartRecord {
  readonly engine: 'argv-spawn' | 'node';
  readonly blocking: boolean;
  readonly file: string;
  /** Why it is Node's; null when it is ours. */
  readonly reason: HandOverReason | null;
}

const records = channel('argv-spawn:child_process');

export function record(options: StartOptions, blocking: boolean, reason: HandOverReason | null): void {
  if (!records.hasSubscribers) return;
  const engine = reason === null ? 'argv-spawn' : 'node';
  const message: StartRecord = { engine, blocking, file: String(options.file), reason };
  records.publish(message);
}

function isStandardStdio(options: StartOptions): boolean {
  const { stdio } = options;
  return stdio !== undefined && stdio.length >= 3 && stdio.slice(3).every((entry) => entry.type === 'ignore');
}

function mayStartChildren(): boolean {
  const { permission } = process as unknown as { permission?: { has?(scope: string): boolean } };
  return permission?.has?.('child') !== false;
}

/** Decided before anything is started. null: ours. */
export function findHandOverReason(options: StartOptions): HandOverReason | null {
  if (getFeatures().os === 'win32') return 'windows';
  if (!mayStartChildren()) return 'permission';
  if (options.stdio?.some((entry) => entry.ipc === true)) return 'ipc';
  if (!isStandardStdio(options)) return 'extra-stdio';
  if (options.uid != null || options.gid != null) return 'user';
  const { file, args } = options;
  // Only a caller of ChildProcess#spawn itself comes here unchecked.
  if (typeof file !== 'string' || file === '' || !Array.isArray(args) || args.length === 0) return 'raw-call';
  if (file.includes('\0') || args.some((argument) => String(argument).includes('\0'))) return 'raw-call';
  return null;
}
