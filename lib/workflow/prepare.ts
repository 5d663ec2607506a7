// From a step's words to one approved Plan. Nothing is started here.

import { commandLine } from '../command/quote.ts';
import { createPlan } from '../command/plan.ts';
import type { Argv, Env, Plan, RunOptions } from '../command/types.ts';
import { makeTypeError } from '../errors/option-errors.ts';
import { assertSameRequest } from '../shell/digest.ts';
import { ShellError } from '../shell/errors.ts';
import { findKnownShell, toShellName } from '../shell/known-shells.ts';
import { createShellRegistry } from '../shell/registry.ts';
import type { ShellRegistry } from '../shell/registry.ts';
import type { ScanRequest } from '../shell/scan-types.ts';
import type { Shell, ShellInvocation } from '../shell/types.ts';
import { AllowlistError } from './errors.ts';
import type { Folders } from './folders.ts';
import type { Policy } from './policy.ts';
import type { Approval } from './policy-types.ts';
import { approveText } from './text-policy.ts';
import type { Command, ShOptions } from './types.ts';

export interface Prepared {
  readonly plan: Plan;
  /** The file to start. */
  readonly program: Approval;
  /** Every program that was approved; for text those that the shell will start. */
  readonly programs: readonly Approval[];
  /** For people. */
  readonly shown: string;
  /** Called with the Plan right before the start. @throws ScanMismatchError when it is not what was scanned. */
  confirm(): void;
}

export interface Surroundings {
  readonly policy: Policy;
  readonly folders: Folders;
  readonly cwd: string;
  readonly env: Env | undefined;
  readonly allowEnv: readonly string[];
  /** Absolute entries only. */
  readonly path: string;
  readonly shell: string | Shell;
}

function checkVariables(env: Env | undefined, allowed: readonly string[]): void {
  for (const name of Object.keys(env ?? {})) {
    const fits = allowed.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one));
    if (!fits) throw new AllowlistError('environment', `allowEnv does not name ${name}`);
  }
}

function nameShell(shell: string | Shell): { readonly shell: Partial<Shell> } | { readonly shell_id: string } {
  if (typeof shell !== 'string') return { shell };
  return /[\\/]/.test(shell) ? { shell: { path: shell } } : { shell_id: shell };
}

function invokeShell(registry: ShellRegistry, shell: string | Shell, command: string): ShellInvocation {
  try {
    const invocation = registry.shellInvocation({ ...nameShell(shell), command });
    const { path } = invocation.shell;
    if (findKnownShell(toShellName(path)).startupFiles !== 'none') {
      throw new AllowlistError('shell', `${path} reads files of its own before the text`);
    }
    return invocation;
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    throw new AllowlistError('shell', error.message);
  }
}

export class Preparer {
  readonly #around: Surroundings;
  readonly #registry: ShellRegistry = createShellRegistry();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** @throws AllowlistError, TypeError, RangeError. */
  async prepare(command: Command, options: ShOptions, signal: AbortSignal): Promise<Prepared> {
    checkVariables(options.env, this.#around.allowEnv);
    const { cwd, stdin, timeout, idleTimeout, encoding, maxBuffer } = options;
    const common = { cwd: cwd ?? this.#around.cwd, stdin, timeout, idleTimeout, encoding, maxBuffer, signal };
    if (typeof command === 'string') return this.#prepareText(command, common, options.env);
    if (!Array.isArray(command)) throw makeTypeError('command', 'an array of arguments, or text for a shell', command);
    return this.#prepareArgv(command as Argv, common, options.env);
  }

  async #prepareArgv(argv: Argv, common: RunOptions, env: Env | undefined): Promise<Prepared> {
    const plan = createPlan('run', argv, { ...common, env: this.#around.env, extendEnv: env });
    const cwd = this.#checkFolder(plan);
    const program = await this.#around.policy.approve(plan.argv, cwd);
    return { plan, program, programs: [program], shown: commandLine(plan.argv), confirm: () => undefined };
  }

  async #prepareText(command: string, common: RunOptions, own: Env | undefined): Promise<Prepared> {
    const { policy, path, shell } = this.#around;
    const { program, args, command_arg_index: at, shell: used } = invokeShell(this.#registry, shell, command);
    // Names are looked up by the shell, so it gets the PATH that they were approved on.
    const env: Env = { ...(this.#around.env ?? process.env), ...own, PATH: path };
    const plan = createPlan('run', [program, ...args], { ...common, env });
    const cwd = this.#checkFolder(plan);
    const toRequest = (text: unknown): ScanRequest => ({
      mode: 'shell',
      command: text,
      shell: used,
      env: Object.fromEntries(plan.env.entries.map(([name, value]) => [name, value ?? undefined])),
      cwd,
    });
    const { scan, programs } = await approveText(toRequest(command), policy, cwd);
    return {
      plan,
      program: await policy.approveShell(program),
      programs,
      shown: command,
      confirm: () => assertSameRequest(scan, toRequest(plan.argv[at + 1])),
    };
  }

  #checkFolder(plan: Plan): string {
    const cwd = plan.cwd ?? this.#around.cwd;
    this.#around.folders.check(cwd);
    return cwd;
  }
}
