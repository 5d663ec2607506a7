// scan: what a request will run, as far as that can be known from its text. Pure: no file is read, nothing is started,
// nothing is thrown for any request, and the answer does not depend on the clock.

import { digestRequest } from './digest.ts';
import { Facts } from './facts.ts';
import { scanCmd } from './cmd-hints.ts';
import { findKnownShell, toShellName } from './known-shells.ts';
import { scanPowerShell } from './powershell-hints.ts';
import { scanText } from './posix-walk.ts';
import type { ReadWord } from './posix-word.ts';
import type { CommandScan, ExecutionSemantics, RiskLabel, ScanRequest, UnresolvedReason } from './scan-types.ts';
import { emitCommand } from './stage.ts';
import type { StageContext } from './stage-context.ts';
import { limitText } from './text-limits.ts';
import type { Dialect, PosixVariant } from './types.ts';
import { findRedefiningVariable } from './variables.ts';

interface Identity {
  readonly dialect: Dialect | null;
  readonly variant: PosixVariant | null;
  readonly source: ExecutionSemantics['source'];
  readonly shell_id: string | null;
  readonly reason: UnresolvedReason | null;
}

/** A numbered id (`bash-2`) is the same program at another place. */
const toIdName = (id: string): string => toShellName(id).replace(/-[0-9]+$/, '');

function identifyShell(request: ScanRequest): Identity {
  const { shell } = request;
  const unknown = { dialect: null, variant: null } as const;
  if (shell === undefined || shell === null) {
    return { ...unknown, source: 'host_default', shell_id: null, reason: 'shell_resolution_failed' };
  }
  const { id, path, source, available } = typeof shell === 'string' ? { id: shell } : { ...shell };
  const named = [id, path].filter((one) => typeof one === 'string');
  const shellId = named[0] === undefined ? null : toShellName(named[0]);
  const base = { source: source ?? ('request' as const), shell_id: shellId };
  if (shellId === null || request.shell_resolution_error === true) {
    return { ...unknown, ...base, reason: 'shell_resolution_failed' };
  }
  const names = [
    typeof id === 'string' ? toIdName(id) : undefined,
    typeof path === 'string' ? toShellName(path) : undefined,
  ];
  const [first, second] = names.filter((name) => name !== undefined);
  const known = findKnownShell(second ?? first ?? '');
  // An id that says one shell and a path that says another: neither is believed.
  const conflict = second !== undefined && first !== second;
  if (known.dialect === null || conflict) return { ...unknown, ...base, reason: 'shell_dialect_unknown' };
  const reason = available === false ? 'shell_not_available' : null;
  return { dialect: known.dialect, variant: known.variant, ...base, reason };
}

function createContext(facts: Facts, variant: PosixVariant): StageContext {
  return { facts, variant, depth: 0, via: [], scanText, emitCommand };
}

function scanArgv(argv: unknown, facts: Facts): UnresolvedReason | null {
  if (!Array.isArray(argv) || argv.length === 0) return 'argv_missing_or_invalid';
  const texts: readonly unknown[] = argv;
  if (!texts.every((one) => typeof one === 'string' && !one.includes('\0') && one.isWellFormed()) || texts[0] === '') {
    return 'argv_missing_or_invalid';
  }
  const words = (texts as readonly string[]).map((value): ReadWord => ({
    value,
    dynamic: false,
    single: true,
    assignment: false,
  }));
  emitCommand({ words, assignments: [], prefixed: false, inShell: false }, createContext(facts, 'sh'));
  return null;
}

function scanShell(request: ScanRequest, identity: Identity, facts: Facts): void {
  const { command } = request;
  if (typeof command !== 'string') {
    facts.unresolve('syntax_error', 'command is not text');
    return;
  }
  if (request.interactive === true) {
    facts.leaveOpen('interactive_shell', identity.shell_id ?? '');
    facts.unresolve('shell_reads_script', 'interactive');
  }
  const context = createContext(facts, identity.variant ?? 'bash');
  if (identity.dialect === 'powershell' || identity.dialect === 'cmd') {
    const { readable, excess } = limitText(command);
    if (excess !== null) facts.unresolve('limit_reached', excess);
    if (identity.dialect === 'cmd') scanCmd(readable, context);
    else scanPowerShell(readable, context);
  } else scanText(command, context);
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

function listLabels(reason: UnresolvedReason | null): readonly RiskLabel[] {
  if (reason === null) return [];
  const unknownShell: readonly RiskLabel[] = reason === 'shell_dialect_unknown' ? ['shell_dialect_unknown'] : [];
  return ['execution_semantics_unresolved', ...unknownShell];
}

function scanFacts(request: ScanRequest): Omit<CommandScan, 'request_digest'> {
  const facts = new Facts();
  const mode = request.mode ?? (request.argv !== undefined && request.argv !== null ? 'argv' : 'shell');
  let identity: Identity = { dialect: null, variant: null, source: 'request', shell_id: null, reason: null };
  if (mode === 'argv') identity = { ...identity, reason: scanArgv(request.argv, facts) };
  else if (mode === 'shell') {
    identity = identifyShell(request);
    // Text of an unknown shell is not read as if it were another's.
    if (identity.reason !== 'shell_dialect_unknown') scanShell(request, identity, facts);
  } else identity = { ...identity, reason: 'execution_mode_unknown' };

  if (mode === 'shell' && request.env && request.startup !== 'trusted') {
    const name = findRedefiningVariable(request.env);
    if (name !== null) facts.leaveOpen('environment_may_redefine', name);
  }
  const reason = identity.reason ?? (facts.resolved ? null : 'dynamic_or_invalid_execution_syntax');
  return {
    execution_semantics: {
      mode: mode === 'argv' || mode === 'shell' ? mode : 'unknown',
      dialect: identity.dialect,
      source: identity.source,
      shell_id: identity.shell_id,
      resolved: reason === null,
      unresolved_reason: reason,
    },
    shell_redirects: facts.redirects,
    execution_stages: facts.stages,
    shell_io_complete: reason === null && facts.complete,
    details: facts.details,
    risk_labels: listLabels(reason),
  };
}

/**
 * What `request` will run, and which files its shell opens, with a statement of whether that is all.
 *
 * Completeness speaks of what the shell does and of literal payloads of known carriers (`sh -c`, `find -exec`). It never
 * speaks of what a started program does (`dd of=x`, `python -c`). It is no sandbox.
 *
 * Never throws, whatever the request is; a request that cannot be understood is unresolved. The result is frozen.
 */
export function scan(request: ScanRequest): CommandScan {
  const given: ScanRequest =
    typeof request === 'object' && (request as unknown) !== null ? request : { mode: 'unknown' };
  return deepFreeze({ ...scanFacts(given), request_digest: digestRequest(given) });
}
