// Where a call runs, and what can be promised there. A back end turns a checked call into one argv of this machine; it
// starts nothing itself, so every back end shares the executor's one lifecycle.

import type { Containment, Env } from '../command/types.ts';
import type { Shell } from './shell-access.ts';

/** What is true on a back end. Nothing is emulated in silence: what is false is refused. */
export interface Capabilities {
  /** Arguments reach the program as an array the whole way: no shell parses them on either side. */
  readonly argv: boolean;
  /** Process mode works, but a shell on the far side parses the quoted words. Never true together with `argv`. */
  readonly quotedArgv: boolean;
  readonly shell: boolean;
  /** Literal stdin arrives, and end of file when there is none. */
  readonly stdin: boolean;
  /** Additions of `shellEnv` reach the program. */
  readonly env: boolean;
  readonly workdir: boolean;
  /** What is gone when a call is over; `none` where the engine leaves the far side running. */
  readonly treeEnd: Containment;
  readonly background: boolean;
}

/** What a call of either mode has. */
export interface CallBase {
  /** Folder on the back end; null = the back end's own default. */
  readonly workdir: string | null;
  /** Names that are set (or removed, with undefined) for the program. */
  readonly extendEnv: Env;
  /** Something will be written to stdin. */
  readonly stdin: boolean;
}

export type BackendCall =
  | (CallBase & { readonly mode: 'process'; readonly argv: readonly [string, ...string[]] })
  | (CallBase & { readonly mode: 'shell'; readonly command: string });

/** What is started on this machine. */
export interface BackendCommand {
  readonly argv: readonly [string, ...string[]];
  /** Absent: no change of folder. */
  readonly cwd?: string;
  readonly extendEnv: Env;
  /** The shell that reads the command line; null in process mode, and when it is the far side's own and not known. */
  readonly shell: Partial<Shell> | null;
}

export interface Backend {
  readonly name: string;
  readonly capabilities: Capabilities;
  /** Programs and folders are those of this machine, so they can be looked up before the start. */
  readonly local: boolean;
  /** Exit codes that may also mean that the engine itself failed; empty when the code is always the program's. */
  readonly ownExitCodes: readonly number[];
  /** Starts nothing. @throws TypeError for a value the engine would misread, ShellError for a shell that is not there. */
  prepare(call: BackendCall): BackendCommand;
}

/** @throws TypeError for a name that an engine would take for an option, or that has no words. */
export function checkOperand(value: unknown, field: string): string {
  if (typeof value !== 'string' || value === '' || value.startsWith('-') || value.includes('\0')) {
    throw new TypeError(`${field} must be a non-empty string that does not begin with "-"`);
  }
  return value;
}
