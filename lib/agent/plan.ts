// One call, decided: what rules see, what people see, what is recorded and what runs all come from this frozen value.

import { createPlan } from '../command/plan.ts';
import type { Plan, PlanStdin, RunOptions } from '../command/types.ts';
import type { Backend, BackendCall, Capabilities } from './backend.ts';
import { canonicalize } from './canonical.ts';
import type { Canonical } from './canonical.ts';
import type { Target } from './decide.ts';
import type { IdentifiedFile } from './program-file.ts';
import type { Request } from './request.ts';
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

function toTarget(call: BackendCall, file: IdentifiedFile | null): Target {
  if (call.mode === 'shell') return Object.freeze({ mode: 'shell', command: call.command });
  return Object.freeze({ mode: 'process', argv: Object.freeze([...call.argv]), file });
}

/** The core's part. @throws TypeError or RangeError for a setting that the core refuses. */
export function makeCommand(draft: Draft): Plan {
  const { argv, cwd, extendEnv } = draft.backend.prepare(draft.call);
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
  return Object.freeze({ ...plan, stdin: concealStdin(plan.stdin) });
}

export function makeExecutionPlan(draft: Draft, command: Plan, file: IdentifiedFile | null): ExecutionPlan {
  const { request, backend, call, workdir } = draft;
  const literal = request.mode === 'process' ? request.stdin : null;
  return Object.freeze({
    request,
    mode: request.mode,
    backend: Object.freeze({ name: backend.name, capabilities: backend.capabilities }),
    // The file that was looked at is the file that runs; argv[0] stays the name that was asked for.
    command: file === null ? command : withFile(command, file.path),
    target: toTarget(call, file),
    canonical: call.mode === 'process' ? canonicalize(call.argv) : null,
    workdir,
    file,
    stdin: Object.freeze({ present: literal !== null, bytes: literal?.bytes ?? 0 }),
    envNames: Object.freeze(Object.keys(call.extendEnv)),
  });
}

function withFile(command: Plan, file: string): Plan {
  return Object.freeze({ ...command, file });
}

/** The same command, ended by `signal`. */
export function withSignal(command: Plan, signal: AbortSignal | undefined): Plan {
  return signal === undefined ? command : Object.freeze({ ...command, signal });
}
