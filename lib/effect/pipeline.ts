// Commands that are piped together: which ones there are, and what joins each to the next.

import type { PlatformError } from 'effect/PlatformError';
import type { Stream } from 'effect/Stream';
import type { Command, PipeOptions, StandardCommand } from 'effect/process/ChildProcess';
import type { ChildProcessHandle } from 'effect/process/ChildProcessSpawner';
import { Refusal } from './command-options.ts';

export interface Pipeline {
  readonly commands: readonly StandardCommand[];
  /** One less than commands. */
  readonly joints: readonly PipeOptions[];
}

export function flattenCommand(command: Command): Pipeline {
  if (command._tag === 'StandardCommand') return { commands: [command], joints: [] };
  const left = flattenCommand(command.left);
  const right = flattenCommand(command.right);
  return {
    commands: [...left.commands, ...right.commands],
    joints: [...left.joints, command.options, ...right.joints],
  };
}

/** @throws Refusal for a descriptor beyond the standard ones. */
export function selectSource(handle: ChildProcessHandle, joint: PipeOptions): Stream<Uint8Array, PlatformError> {
  if (joint.to !== undefined && joint.to !== 'stdin')
    throw new Refusal(`pipeTo(${joint.to}) is not offered: only stdin`);
  switch (joint.from) {
    case undefined:
    case 'stdout':
      return handle.stdout;
    case 'stderr':
      return handle.stderr;
    case 'all':
      return handle.all;
    default:
      throw new Refusal(`pipeTo from ${joint.from} is not offered: only stdout, stderr and all`);
  }
}
