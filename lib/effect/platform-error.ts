// From errors of ours to the PlatformError that effect's own spawner fails with.

import * as PlatformError from 'effect/PlatformError';
import type { PipedCommand, StandardCommand } from 'effect/process/ChildProcess';
import * as CommandLine from 'effect/process/CommandLine';
import { SpawnError, isSpawnError } from '../errors/errors.ts';
import type { SpawnErrorFields } from '../errors/errors.ts';
import { platform } from '../process/platform.ts';
import { Refusal, toShownArgv } from './command-options.ts';

/** The reasons that effect's own layer gives (its handleErrnoException). */
const REASONS: Readonly<Record<string, PlatformError.SystemErrorTag>> = {
  ENOENT: 'NotFound',
  EACCES: 'PermissionDenied',
  EPERM: 'PermissionDenied',
  EEXIST: 'AlreadyExists',
  EISDIR: 'BadResource',
  ENOTDIR: 'BadResource',
  ELOOP: 'BadResource',
  EBUSY: 'Busy',
};

function listCommands(command: StandardCommand | PipedCommand): readonly StandardCommand[] {
  if (command._tag === 'StandardCommand') return [command];
  return [...listCommands(command.left), ...listCommands(command.right)];
}

const describeCommand = (command: StandardCommand | PipedCommand): string => {
  const format = platform.os === 'win32' ? 'windows' : 'posix';
  return listCommands(command)
    .map((one) => CommandLine.display([one.command, ...one.args], { format }))
    .join(' | ');
};

/** A SpawnError holds argv, in which a redacted argument is plain text. */
function hideArguments(error: SpawnError, command: StandardCommand): SpawnError {
  const fields: SpawnErrorFields = error;
  return new SpawnError(error.message, { ...fields, argv: toShownArgv(command) });
}

export function toPlatformError(method: string, error: unknown, command: StandardCommand): PlatformError.PlatformError {
  if (error instanceof Refusal || error instanceof TypeError || error instanceof RangeError) {
    return PlatformError.badArgument({ module: 'ChildProcess', method, description: error.message });
  }
  const cause = isSpawnError(error) ? hideArguments(error, command) : error;
  return PlatformError.systemError({
    _tag: (isSpawnError(error) ? REASONS[error.code] : undefined) ?? 'Unknown',
    module: 'ChildProcess',
    method,
    description: error instanceof Error ? error.message : String(error),
    pathOrDescriptor: describeCommand(command),
    ...(isSpawnError(error) && error.syscall !== null ? { syscall: error.syscall } : {}),
    cause,
  });
}
