// One call, decided: what rules see, what people see, what is recorded and what runs all come from this frozen value.

import { createPlan } from '../command/plan.ts';
import type { Plan, PlanEnv, PlanStdin, RunOptions } from '../command/types.ts';
import type { Backend, BackendCall, Capabilities } from './backend.ts';
import { canonicalize } from './canonical.ts';
import type { Canonical } from './canonical.ts';
import type { Target } from './decide.ts';
import type { IdentifiedFile } from './program-file.ts';
import type { Request } from './request.ts';
import { assertSameTarget, pickRedefining, scanTarget } from './shell-access.ts';
import type { CommandScan, Shell } from './shell-access.ts';
import type { Workdir } from './workdir.ts';

export interface ExecutionPlan {
  readonly request: Request;
  readonly mode: Request['mode'];
  readonly backend: { readonly name: string; readonly capabilities: Capabilities };
  /** What the core runs, on this machine. Its stdin is in memory only: it is not shown, copied or serialised. */
  readonly command: Plan;
  /** What rules are matched against: the call as the far side gets it. */
  readonly target: Target;
  /** Process mode only. */
  readonly canonical: Canonical | null;
  /** Shell mode: the shell that reads the command line, where it is known. */
  readonly shell: Partial<Shell> | null;
  /** What the call will run, as far as its words tell; bound to `target`. */
  readonly scan: CommandScan;
  readonly workdir: Workdir;
  /** Local back ends only: the file that was looked at, which is the file that runs. */
  readonly file: IdentifiedFile | null;
  readonly stdin: { readonly present: boolean; readonly bytes: number };
  /** Names that `shellEnv` sets or removes; values are not kept here. */
  readonly envNames: readonly string[];
}

/** What decides how a program runs, as the core has it. */
export type RunSettings = Pick<
  RunOptions,
  | 'maxBuffer'
  | 'keep'
  | 'onMaxBuffer'
  | 'idleTimeout'
  | 'killSignal'
  | 'forceKillAfter'
  | 'lingering'
  | 'drainTimeout'
  | 'containment'
  | 'require'
>;

/** Keeps the data out of everything that lists properties: printing, JSON, spreading. */
function concealStdin(stdin: PlanStdin): PlanStdin {
  if (stdin.kind !== 'data') return stdin;
  const { kind, data } = stdin;
  return Object.freeze(Object.defineProperty({ kind }, 'data', { value: data, enumerable: false })) as PlanStdin;
}

export interface Draft {
  readonly request: Request;
  readonly backend: Backend;
  readonly call: BackendCall;
  readonly workdir: Workdir;
  readonly env: RunOptions['env'];
  readonly settings: RunSettings;
  /** `spawn` for background runs. */
  readonly kind: 'run' | 'spawn';
  readonly stdin: 'pipe' | 'given';
  readonly outputs: Pick<RunOptions, 'stdout' | 'stderr'>;
  readonly timeout: number | undefined;
}

const literalOf = (request: Request): Buffer | undefined =>
  request.mode === 'process' ? request.stdin?.reveal() : undefined;

/** The environment that the program gets; empty for a far side, whose own is not seen from here. */
function toEnv(draft: Pick<Draft, 'backend'>, env: PlanEnv): Record<string, string | undefined> {
  if (!draft.backend.local) return {};
  const changed = env.entries.map(([name, value]) => [name, value ?? undefined] as const);
  return { ...(env.host ? process.env : {}), ...Object.fromEntries(changed) };
}

function toTarget(draft: Draft, { plan, shell }: Prepared, file: IdentifiedFile | null): Target {
  const { call } = draft;
  if (call.mode === 'process') return Object.freeze({ mode: 'process', argv: Object.freeze([...call.argv]), file });
  const env = Object.freeze(pickRedefining(toEnv(draft, plan.env)));
  return Object.freeze({ mode: 'shell', command: call.command, shell, env });
}

export interface Prepared {
  readonly plan: Plan;
  readonly shell: Partial<Shell> | null;
}

/** The core's part. @throws TypeError or RangeError for a setting that the core refuses. */
export function prepareCommand(draft: Draft): Prepared {
  const { argv, cwd, extendEnv, shell } = draft.backend.prepare(draft.call);
  const options: RunOptions = {
    ...draft.settings,
    ...draft.outputs,
    cwd,
    env: draft.env,
    extendEnv,
    timeout: draft.timeout,
    stdin: draft.stdin === 'pipe' ? 'pipe' : literalOf(draft.request),
  };
  const plan = createPlan(draft.kind, argv, options);
  return { plan: Object.freeze({ ...plan, stdin: concealStdin(plan.stdin) }), shell };
}

export function makeExecutionPlan(draft: Draft, prepared: Prepared, file: IdentifiedFile | null): ExecutionPlan {
  const { request, backend, call, workdir } = draft;
  const literal = request.mode === 'process' ? request.stdin : null;
  const target = toTarget(draft, prepared, file);
  return Object.freeze({
    request,
    mode: request.mode,
    backend: Object.freeze({ name: backend.name, capabilities: backend.capabilities }),
    // The file that was looked at is the file that runs; argv[0] stays the name that was asked for.
    command: file === null ? prepared.plan : withFile(prepared.plan, file.path),
    target,
    canonical: call.mode === 'process' ? canonicalize(call.argv) : null,
    shell: prepared.shell,
    scan: scanTarget(target),
    workdir,
    file,
    stdin: Object.freeze({ present: literal !== null, bytes: literal?.bytes ?? 0 }),
    envNames: Object.freeze(Object.keys(call.extendEnv)),
  });
}

/**
 * To be called right before the start: the environment of the host may have changed since, and with it what a command
 * line means.
 *
 * @throws ScanMismatchError.
 */
export function assertUnchanged(plan: ExecutionPlan, backend: Backend): void {
  const { target, command, scan } = plan;
  const now = target.mode === 'shell' ? { ...target, env: pickRedefining(toEnv({ backend }, command.env)) } : target;
  assertSameTarget(scan, now);
}

function withFile(command: Plan, file: string): Plan {
  return Object.freeze({ ...command, file });
}

/** The same command, ended by `signal`. */
export function withSignal(command: Plan, signal: AbortSignal | undefined): Plan {
  return signal === undefined ? command : Object.freeze({ ...command, signal });
}
