// argv-spawn/shell. Re-exports only.

export {
  createProcessCapability,
  getDefaultShell,
  listShells,
  processCapability,
  setDefaultShell,
  shellInvocation,
} from './shell/capability.ts';
export { createShellRegistry } from './shell/registry.ts';
export { ShellError } from './shell/errors.ts';

export type { ProcessCapability } from './shell/capability.ts';
export type { ShellRegistry, ShellRegistryOptions } from './shell/registry.ts';
export type { ShellHost } from './shell/host.ts';
export type { ArgsProfile } from './shell/known-shells.ts';
export type { ShellErrorCode } from './shell/errors.ts';
export type {
  Dialect,
  PosixVariant,
  Shell,
  ShellExtensions,
  ShellInvocation,
  ShellInvocationRequest,
  ShellList,
  ShellSource,
} from './shell/types.ts';
export { scan } from './shell/scan.ts';
export { ScanMismatchError, assertSameRequest } from './shell/digest.ts';
export type {
  CommandScan,
  ExecutionSemantics,
  ExecutionStage,
  IncompleteCode,
  RiskLabel,
  ScanCode,
  ScanDetail,
  ScanRequest,
  ShellRedirect,
  UnresolvedReason,
  UnresolvingCode,
} from './shell/scan-types.ts';
