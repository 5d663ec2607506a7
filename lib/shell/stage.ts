// One simple command: from its words to the stages it stands for. Wrappers are removed, literal payloads expanded.

import { isBuiltin, isPlainBuiltin, isReserved } from './builtins.ts';
import { emitFind, emitSplitEnv, emitTrap, emitXargs } from './carriers.ts';
import { LIMITS } from './facts.ts';
import { toShellName } from './known-shells.ts';
import { guessPayload, readShellOptions } from './shell-options.ts';
import { addStage, within } from './stage-context.ts';
import type { SimpleCommand, StageContext } from './stage-context.ts';
import type { PosixVariant } from './types.ts';
import { emitWindowsPayload } from './windows-payload.ts';
import { unwrap } from './wrappers.ts';
import { isSystemProgram } from '../util/system-folder.ts';

const POSIX_SHELLS: Readonly<Record<string, PosixVariant>> = {
  sh: 'sh',
  dash: 'sh',
  ash: 'sh',
  bash: 'bash',
  zsh: 'zsh',
};
/** Read alike in the main, but not enough to vouch for. */
const SIMILAR_SHELLS = /^(ksh|ksh93|rksh93|mksh|lksh|pdksh|yash|rbash|hush)$/;
const OTHER_SHELLS = /^(fish|nu|elvish|xonsh|csh|tcsh|rc|es)$/;
const WINDOWS_SHELLS = /^(powershell|pwsh|cmd)$/;

export function emitCommand(command: SimpleCommand, context: StageContext): void {
  const { facts } = context;
  const { words } = command;
  if (context.depth > LIMITS.depth) {
    facts.unresolve('limit_reached', `${LIMITS.depth} payloads inside each other`);
    return;
  }
  let { inShell } = command;
  let wrapped = false;
  for (let at = 0; ;) {
    const head = words[at];
    if (head === undefined) return;
    if (head.dynamic || head.replaced) {
      facts.unresolve('dynamic_program', head.value);
      addStage(command, at, context);
      return;
    }
    const path = head.value;
    const named = !/[\\/]/.test(path);
    // A shell at any other path is an unknown program.
    const trusted = named || isSystemProgram(path);
    const name = named ? path : toShellName(path);
    if (inShell && named && isReserved(name, context.variant)) facts.unresolve('variant_syntax', name);
    const unwrapped = trusted ? unwrap(words, at, name, inShell && named, context.variant) : null;
    if (unwrapped?.kind === 'next') {
      at = unwrapped.index;
      inShell = inShell && unwrapped.keepsShell;
      wrapped = true;
      continue;
    }
    if (unwrapped?.kind === 'unknown') {
      facts.unresolve('wrapper_options_unknown', name);
      if (name === 'env') emitSplitEnv(command, at, context);
      if (unwrapped.guess !== null && unwrapped.guess < words.length) {
        addStage(command, unwrapped.guess, context);
        return;
      }
    }
    if (unwrapped) {
      addStage(command, at, context);
      return;
    }
    emitHead(command, { at, name, inShell: inShell && named, trusted, prefixed: command.prefixed || wrapped }, context);
    return;
  }
}

interface Head {
  readonly at: number;
  readonly name: string;
  readonly inShell: boolean;
  readonly trusted: boolean;
  readonly prefixed: boolean;
}

function emitHead(command: SimpleCommand, head: Head, context: StageContext): void {
  const { at, name, inShell } = head;
  const { facts } = context;
  if (Object.hasOwn(POSIX_SHELLS, name) || SIMILAR_SHELLS.test(name) || OTHER_SHELLS.test(name)) {
    emitShell(command, head, context);
    return;
  }
  if (WINDOWS_SHELLS.test(name)) {
    emitWindowsPayload(command, at, name, context);
    return;
  }
  addStage(command, at, context);
  if (inShell && isBuiltin(name, context.variant)) {
    const args = command.words.slice(at + 1);
    if (name === 'eval') {
      facts.unresolve('evaluated_text', name);
      if (args.every((word) => !word.dynamic)) {
        context.scanText(args.map(({ value }) => value).join(' '), within(command, context));
      }
    } else if (name === 'source' || name === '.') facts.unresolve('shell_reads_script', name);
    else if (name === 'trap') emitTrap(command, at, context);
    else if (!isPlainBuiltin(name, args, context.variant)) facts.unresolve('builtin_effect_unknown', name);
    return;
  }
  if (name === 'find') emitFind(command, at, context);
  if (name === 'xargs' || name === 'parallel') emitXargs(command, at, name, context);
}

function emitShell(command: SimpleCommand, head: Head, context: StageContext): void {
  const { at, name } = head;
  const { facts } = context;
  const { words } = command;
  const known = head.trusted && Object.hasOwn(POSIX_SHELLS, name) ? POSIX_SHELLS[name] : undefined;
  if (known === undefined) {
    addStage(command, at, context);
    facts.unresolve(head.trusted ? 'shell_dialect_unknown' : 'shell_file_unknown', name);
    const guess = OTHER_SHELLS.test(name) ? null : guessPayload(words, at);
    const payload = guess === null ? undefined : words[guess];
    if (payload && !payload.dynamic) {
      const variant = POSIX_SHELLS[name] ?? 'sh';
      context.scanText(payload.value, { ...within(command, context), variant });
    }
    return;
  }
  const options = readShellOptions(words, at, known);
  if (options.kind !== 'payload') {
    addStage(command, at, context);
    if (options.kind === 'script') facts.unresolve('shell_reads_script', name);
    if (options.kind === 'unknown') facts.unresolve('shell_options_unknown', name);
    return;
  }
  const payload = words[options.index];
  if (options.interactive) facts.unresolve('shell_reads_script', `${name} -i`);
  if (payload === undefined || payload.dynamic || (payload.replaced && payload.value.includes('{}'))) {
    facts.unresolve('dynamic_payload', name);
    addStage(command, at, context);
    return;
  }
  if (head.prefixed) facts.leaveOpen('prefixed_nested_shell', name);
  const before = facts.stages.length;
  context.scanText(payload.value, { ...within(command, context), variant: known });
  // A payload without a command still starts the shell.
  if (facts.stages.length === before) addStage(command, at, context);
}
