// The public surface. Re-exports only.

export { run } from './process/run.ts';
export { runSync } from './process/run-sync.ts';
export { spawn } from './process/spawn.ts';
export { resolveProgram } from './process/resolve-program.ts';
export { platform } from './process/platform.ts';
export { commandLine } from './command/quote.ts';
export {
  AbortError,
  ExitError,
  SpawnError,
  StdinError,
  isAbortError,
  isExitError,
  isSpawnError,
} from './errors/errors.ts';

export type { ResolvedProgram } from './process/resolve-program.ts';
export type { Platform } from './process/platform.ts';
export type {
  Argv,
  CommonOptions,
  Containment,
  Env,
  FileSource,
  FileTarget,
  Keep,
  Lingering,
  OutputOption,
  RunOptions,
  RunSyncOptions,
  Signal,
  SpawnOptions,
  StderrOption,
  StdinLiteral,
  StdinOption,
  StdinStream,
} from './command/types.ts';
export type {
  Capture,
  ContainmentReport,
  ExitStatus,
  Leftover,
  Line,
  OutputData,
  Process,
  Reason,
  ResultOf,
  RunResult,
  Usage,
} from './process/types.ts';
export type { ExitErrorCode, SpawnErrorFields } from './errors/errors.ts';
export type { NativeTried, ParentDeath, SpawnStage } from './native/contract.ts';
