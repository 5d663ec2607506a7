// What both modes, every back end and background runs go through before anything is started:
//
//   request -> before hook -> capabilities -> folder -> environment -> program -> Plan -> rules and folder gate ->
//   question -> audit -> same file still -> start
//
// Each step can only refuse or narrow. A step that fails ends the call with an error that names it.

import { randomUUID } from 'node:crypto';
import { cwd as hostFolder } from 'node:process';
import type { Env, RunOptions } from '../command/types.ts';
import { AbortError } from '../errors/errors.ts';
import { describePlan } from './audit.ts';
import type { AuditRecord, Permission } from './audit.ts';
import type { Backend, BackendCall } from './backend.ts';
import { decide, isStricter } from './decide.ts';
import type { Decision } from './decide.ts';
import { PermissionError, ProgramChangedError, RequestError, StepError } from './errors.ts';
import type { Issue, Step } from './errors.ts';
import { findOutside } from './external-paths.ts';
import { localBackend } from './local-backend.ts';
import type { ExecutorOptions } from './options.ts';
import { assertUnchanged, makeExecutionPlan, prepareCommand } from './plan.ts';
import type { Draft, ExecutionPlan } from './plan.ts';
import { preview } from './preview.ts';
import { findProgramFile, isSameFile } from './program-file.ts';
import { parseRequest } from './request.ts';
import type { Request } from './request.ts';
import { parsePolicy } from './rules.ts';
import type { Policy } from './rules.ts';
import { findLocalWorkdir, toRealPath } from './workdir.ts';
import type { Workdir } from './workdir.ts';

/** How a call is to be started; a background run differs from a collected one in this alone. */
export interface StartKind {
  readonly kind: 'run' | 'spawn';
  readonly stdin: 'pipe' | 'given';
  readonly outputs: Pick<RunOptions, 'stdout' | 'stderr'>;
  readonly settings: Pick<RunOptions, 'lingering'>;
}

export const COLLECTED: StartKind = Object.freeze({ kind: 'run', stdin: 'given', outputs: {}, settings: {} });

/** A permitted call. */
export interface Approved {
  readonly id: string;
  readonly plan: ExecutionPlan;
  readonly permission: Permission;
}

async function step<T>(name: Step, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new StepError(name, error);
  }
}

export class Lifecycle {
  readonly backend: Backend;
  readonly options: ExecutorOptions;
  readonly #policy: Policy;
  readonly #roots: readonly string[] | null;

  constructor(options: ExecutorOptions) {
    this.options = options;
    this.backend = options.backend ?? localBackend();
    this.#policy = this.#lookUp(parsePolicy(options.policy));
    this.#roots = this.#policy.roots?.map(toRealPath) ?? null;
  }

  /** Paths in rules stand for the files behind their links, as those of calls do. */
  #lookUp(policy: Policy): Policy {
    if (!this.backend.local) return policy;
    const rules = policy.rules.map((rule) =>
      'program' in rule && /[/\\]/.test(rule.program)
        ? Object.freeze({ ...rule, realPath: toRealPath(rule.program) })
        : rule,
    );
    return Object.freeze({ ...policy, rules: Object.freeze(rules) });
  }

  async plan(value: unknown, start: StartKind = COLLECTED): Promise<ExecutionPlan> {
    const request = await this.#readRequest(value);
    this.#checkCapabilities(request, start);
    const workdir = this.#findWorkdir(request);
    const extendEnv = await this.#readShellEnv(request, workdir);
    const call = toCall(request, workdir, extendEnv, start);
    const draft: Draft = {
      request,
      backend: this.backend,
      call,
      workdir,
      env: this.options.env,
      settings: { ...this.options.run, ...start.settings },
      kind: start.kind,
      stdin: start.stdin,
      outputs: start.outputs,
      timeout: this.#chooseTimeout(request),
    };
    const prepared = prepareCommand(draft);
    const { program, env, cwd } = prepared.plan;
    const file = this.backend.local ? await findProgramFile(program, env, cwd) : null;
    return makeExecutionPlan(draft, prepared, file);
  }

  /** Rules, then the folder gate: the stricter of both. */
  decide(plan: ExecutionPlan): Decision {
    const decision = decide(this.#policy.rules, plan.target, this.#policy.otherwise ?? 'ask');
    if (this.#roots === null) return decision;
    const gate = this.#policy.outside ?? 'ask';
    const because = describeOutside(plan, this.#roots);
    if (because.length === 0 || !isStricter(gate, decision.effect)) return decision;
    return Object.freeze({ effect: gate, rule: null, because: Object.freeze(because) });
  }

  async authorize(plan: ExecutionPlan, signal: AbortSignal | undefined): Promise<Approved> {
    const id = randomUUID();
    const decision = this.decide(plan);
    const answer = decision.effect === 'ask' ? await this.#ask(plan, decision, signal) : null;
    const permission = Object.freeze({ decision, answer });
    const permitted = decision.effect === 'allow' || answer === 'allow';
    await this.record({
      id,
      time: new Date().toISOString(),
      event: 'decision',
      ...describePlan(plan),
      permitted,
      permission,
    });
    if (!permitted) throw new PermissionError(plan, decision, describeRefusal(decision, answer));
    if (plan.file !== null && !isSameFile(plan.file)) throw new ProgramChangedError(plan, plan.file.path);
    assertUnchanged(plan, this.backend);
    return { id, plan, permission };
  }

  async record(entry: AuditRecord, result?: unknown): Promise<void> {
    const { audit } = this.options;
    if (audit === undefined) return;
    try {
      await audit.record(entry);
    } catch (error) {
      throw new StepError('audit', error, result);
    }
  }

  async #readRequest(value: unknown): Promise<Request> {
    const request = parseRequest(value, this.options.limits);
    const { hooks } = this.options;
    const changed = await step('before', () => hooks?.before?.(request));
    return changed === undefined ? request : parseRequest(changed, this.options.limits);
  }

  #checkCapabilities(request: Request, start: StartKind): void {
    const { capabilities, name } = this.backend;
    const issues: Issue[] = [];
    const refuse = (path: string, what: string): unknown =>
      issues.push({ path, message: `is not available: back end ${name} has no ${what}` });
    if (request.mode === 'process' && !capabilities.argv && !capabilities.quotedArgv) refuse('mode', 'process mode');
    if (request.mode === 'shell' && !capabilities.shell) refuse('command', 'shell mode');
    if (request.mode === 'process' && request.stdin !== null && !capabilities.stdin) refuse('stdin', 'stdin');
    if (request.workdir !== null && !capabilities.workdir) refuse('workdir', 'workdir');
    if (start.kind === 'spawn' && !capabilities.background) refuse('', 'background runs');
    if (issues.length > 0) throw new RequestError(issues);
  }

  #findWorkdir(request: Request): Workdir {
    if (!this.backend.local) return Object.freeze({ asked: request.workdir, used: request.workdir, recovered: false });
    const base = this.options.workdir ?? hostFolder();
    const name = request.mode === 'process' ? request.program : 'shell';
    return findLocalWorkdir(request.workdir, base, this.options.recoverWorkdir ?? false, [name]);
  }

  async #readShellEnv(request: Request, workdir: Workdir): Promise<Env> {
    const { shellEnv } = this.options;
    if (shellEnv === undefined) return {};
    const question = { mode: request.mode, backend: this.backend.name, workdir: workdir.used };
    const env = { ...(await step('shellEnv', () => shellEnv(question))) };
    if (this.backend.local || Object.keys(env).length === 0) return env;
    const removed = Object.keys(env).find((name) => env[name] === undefined);
    const problem = !this.backend.capabilities.env
      ? `back end ${this.backend.name} cannot pass environment variables`
      : removed !== undefined && `back end ${this.backend.name} cannot remove ${removed}`;
    if (problem !== false) throw new StepError('shellEnv', new Error(problem));
    return env;
  }

  #chooseTimeout(request: Request): number | undefined {
    const { timeout, maxTimeout } = this.options.limits ?? {};
    const wanted = request.timeout ?? timeout;
    if (maxTimeout === undefined) return wanted;
    return Math.min(wanted ?? maxTimeout, maxTimeout);
  }

  async #ask(
    plan: ExecutionPlan,
    decision: Decision,
    signal: AbortSignal | undefined,
  ): Promise<'allow' | 'deny' | null> {
    const { ask } = this.options;
    if (ask === undefined) return null;
    const answer = await step('ask', () => ask({ plan, decision, preview: preview(plan), signal }));
    if (signal?.aborted === true)
      throw new AbortError('the call was aborted while permission was asked', signal.reason);
    return answer === 'allow' || answer === null ? answer : 'deny';
  }
}

function toCall(request: Request, workdir: Workdir, extendEnv: Env, start: StartKind): BackendCall {
  const base = { workdir: workdir.used, extendEnv };
  if (request.mode === 'shell') {
    return { ...base, mode: 'shell', command: request.command, stdin: start.stdin === 'pipe' };
  }
  const argv = [request.program, ...request.args] as const;
  return { ...base, mode: 'process', argv: [...argv], stdin: request.stdin !== null || start.stdin === 'pipe' };
}

function describeOutside({ scan, workdir }: ExecutionPlan, roots: readonly string[]): string[] {
  const { paths, unreadable } = findOutside(scan, workdir.used ?? '/', roots);
  return [
    ...paths.map((path) => `${JSON.stringify(path)} is outside the allowed folders`),
    ...(unreadable === null ? [] : [`${unreadable}, so it may name any path`]),
  ];
}

function describeRefusal(decision: Decision, answer: 'allow' | 'deny' | null): string {
  if (decision.effect === 'deny') return 'denied by the policy';
  return answer === 'deny' ? 'denied when asked' : 'the policy asks, and there is nobody to ask';
}
