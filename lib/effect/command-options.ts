// From a command of effect to an argv and options of ours. What cannot be carried out is refused by name.

import * as Redacted from 'effect/Redacted';
import * as Stream from 'effect/Stream';
import type {
  AdditionalFdConfig,
  CommandInput,
  CommandOptions,
  CommandOutput,
  Encoding,
  StandardCommand,
  StdinConfig,
  StdoutConfig,
} from 'effect/process/ChildProcess';
import type { Argv, Containment, SpawnOptions } from '../command/types.ts';
import { platform } from '../process/platform.ts';

/** What a command of effect has no word for. */
export interface SpawnerOptions {
  /** The strongest containment to use; absent is `'tree'`. */
  readonly containment?: Containment | undefined;
  /** The least to accept: a command that would get less fails. Absent: whatever can be had. */
  readonly require?: Containment | undefined;
  /** Milliseconds until SIGKILL for commands that name no `forceKillAfter`. Absent is effect's meaning: never. */
  readonly forceKillAfter?: number | undefined;
}

/** Why a command cannot be carried out, in words that hold no value of it. */
export class Refusal extends Error {}

type Word = string | Redacted.Redacted;
const unwrap = (word: Word): string => (Redacted.isRedacted(word) ? Redacted.value(word) : word);

function makeShellArgv({ command, args, options }: StandardCommand): Argv {
  if (args.length > 0) {
    throw new Refusal('The shell option cannot be combined with arguments; pass the whole script as the command');
  }
  const shell = options.shell === true ? '/bin/sh' : String(options.shell);
  if (platform.os === 'win32' && (options.shell === true || /(^|[\\/])cmd(\.exe)?$/i.test(shell))) {
    throw new Refusal('cmd.exe changes what it is given and is never started; name another shell');
  }
  return [shell, '-c', command];
}

const hasShell = ({ shell }: CommandOptions): boolean => shell !== undefined && shell !== false;

export function toArgv(command: StandardCommand): Argv {
  if (hasShell(command.options)) return makeShellArgv(command);
  return [command.command, ...command.args.map(unwrap)];
}

/** The same words for people: a redacted one is not shown. */
export function toShownArgv({ command, args }: StandardCommand): readonly string[] {
  return [command, ...args.map((word) => (Redacted.isRedacted(word) ? '<redacted>' : word))];
}

export interface InputConfig {
  readonly stream: CommandInput;
  readonly endOnDone: boolean;
  readonly encoding: Encoding;
}

export function readStdin({ stdin }: CommandOptions): InputConfig {
  const given: StdinConfig =
    stdin === undefined || typeof stdin === 'string' || Stream.isStream(stdin) ? { stream: stdin ?? 'pipe' } : stdin;
  return { stream: given.stream, endOnDone: given.endOnDone ?? true, encoding: given.encoding ?? 'utf-8' };
}

export function readOutput(option: CommandOutput | StdoutConfig | undefined): CommandOutput {
  if (option === undefined) return 'pipe';
  if (typeof option === 'string' || !('stream' in option)) return option as CommandOutput;
  return option.stream ?? 'pipe';
}

/** A stream or a sink has a pipe between us and the program. `overlapped` is how pipes are made on Windows anyway. */
const toMode = (option: CommandInput | CommandOutput): 'pipe' | 'ignore' | 'inherit' =>
  option === 'ignore' || option === 'inherit' ? option : 'pipe';

function toEnv({ env, extendEnv }: CommandOptions): Pick<SpawnOptions, 'env' | 'extendEnv'> {
  if (env === undefined) return {};
  const plain: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(env)) plain[name] = value === undefined ? undefined : unwrap(value);
  return extendEnv === true ? { extendEnv: plain } : { env: plain };
}

function refuseDescriptors(additionalFds: Record<string, AdditionalFdConfig> | undefined): void {
  const [first] = Object.keys(additionalFds ?? {});
  if (first === undefined) return;
  throw new Refusal(`additionalFds (${first}) are not offered: a program gets descriptors 0, 1 and 2 only`);
}

/** @throws Refusal. */
export function toSpawnOptions({ options }: StandardCommand, more: SpawnerOptions): SpawnOptions {
  refuseDescriptors(options.additionalFds);
  return {
    cwd: options.cwd,
    ...toEnv(options),
    stdin: toMode(readStdin(options).stream),
    stdout: toMode(readOutput(options.stdout)),
    stderr: toMode(readOutput(options.stderr)),
    containment: more.containment,
    require: more.require,
  };
}
