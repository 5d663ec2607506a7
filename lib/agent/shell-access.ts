// The one place of this layer that reaches the shells: how a command line becomes an argv, and what is known about a
// call from its text. Nothing here reads shell syntax; lib/shell does.

import { shellInvocation } from '../shell/capability.ts';
import { assertSameRequest } from '../shell/digest.ts';
import type { ShellRegistry } from '../shell/registry.ts';
import type { CommandScan, ScanRequest } from '../shell/scan-types.ts';
import { scan } from '../shell/scan.ts';
import type { Shell } from '../shell/types.ts';
import { findRedefiningVariable } from '../shell/variables.ts';
import type { Target } from './decide.ts';

export type { CommandScan, ExecutionStage } from '../shell/scan-types.ts';
export type { Shell } from '../shell/types.ts';

/** A shell by id, path or catalog entry. */
export type ShellChoice = string | Partial<Shell>;
export type Shells = Pick<ShellRegistry, 'shellInvocation'>;

export interface ShellCommand {
  readonly argv: readonly [program: string, ...args: string[]];
  readonly shell: Shell;
}

/** @throws ShellError for an id that is not known, and when none is chosen and there is no default. */
function invoke(command: string, choice: ShellChoice | undefined, shells: Shells): ShellCommand {
  const named =
    choice === undefined
      ? {}
      : typeof choice === 'object' || /[/\\]/.test(choice)
        ? { shell: toEntry(choice) }
        : { shell_id: choice };
  const { program, args, shell } = shells.shellInvocation({ ...named, command });
  return { argv: [program, ...args], shell };
}

const toEntry = (choice: ShellChoice): Partial<Shell> => (typeof choice === 'string' ? { path: choice } : choice);

/** Of this machine. Absent `choice`: its default shell. The command is one argument, unchanged. */
export function makeHostCommand(
  command: string,
  choice: ShellChoice | undefined,
  shells: Shells = { shellInvocation },
): ShellCommand {
  return invoke(command, choice, shells);
}

/** Of a far side, whose files are not seen from here. Absent `choice`: `/bin/sh`, which POSIX systems have. */
export function makeFarCommand(command: string, choice: ShellChoice = '/bin/sh'): ShellCommand {
  return invoke(command, { ...toEntry(choice), available: true }, { shellInvocation });
}

/** The part of an environment that makes a shell run other code than the command says. */
export function pickRedefining(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  const name = findRedefiningVariable(env);
  const value = name === null ? undefined : env[name];
  return name === null || value === undefined ? {} : { [name]: value };
}

function toScanRequest(target: Target): ScanRequest {
  if (target.mode === 'process') return { mode: 'argv', argv: target.argv };
  const { command, shell, env } = target;
  return { mode: 'shell', command, shell, env };
}

/** What the call will run, as far as its words tell. */
export const scanTarget = (target: Target): CommandScan => scan(toScanRequest(target));

/** The same text read as another shell's: for what forbids, where the real shell's syntax is not known. */
export const guessTarget = (command: string): CommandScan => scan({ mode: 'shell', command, shell: 'bash' });

/** @throws ScanMismatchError when `target` is not what was scanned. */
export const assertSameTarget = (facts: CommandScan, target: Target): void =>
  assertSameRequest(facts, toScanRequest(target));
