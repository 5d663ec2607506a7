// A place where a shell may be, before it is looked at.

import type { ShellSource } from './types.ts';

export interface Candidate {
  readonly path: string;
  readonly source: ShellSource;
  readonly label?: string;
  readonly untrusted?: boolean;
  /** Set for an entry of the Windows Subsystem for Linux; `path` is then wsl.exe. */
  readonly wsl?: string;
}
