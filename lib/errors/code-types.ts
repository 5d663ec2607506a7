// The shape of the error reference. Types only.

import type { SpawnStage } from '../native/contract.ts';

/** `unix` is Linux and macOS. */
export type CodeSystems = 'all' | 'unix' | 'windows';

/** A `code` of SpawnError at one `stage`. */
export interface StartFailure {
  readonly code: string;
  readonly stage: SpawnStage;
  readonly systems: CodeSystems;
  /** Completes "Nothing was started, since ...". */
  readonly because: string;
  readonly remedy: string;
}

/** A `code` of any other error. */
export interface OtherError {
  readonly code: string;
  /** Class name, and the entry point that throws it. */
  readonly raisedBy: string;
  readonly from: 'argv-spawn' | 'argv-spawn/agent' | 'argv-spawn/shell' | 'argv-spawn/workflow' | 'argv-spawn mcp';
  readonly means: string;
  readonly remedy: string;
}

/** A name the engine gives to an OS error, of which no way to a failed start is known. */
export interface RareName {
  readonly code: string;
  readonly means: string;
}
