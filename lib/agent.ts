// argv-spawn/agent. Re-exports only.

export { createExecutor } from './agent/executor.ts';
export { normalizeSibling, parseRequest } from './agent/request.ts';
export { requestJsonSchema } from './agent/request-schema.ts';
export { canonicalize, parseCanonical } from './agent/canonical.ts';
export { decide } from './agent/decide.ts';
export { parsePolicy } from './agent/rules.ts';
export { preview } from './agent/preview.ts';
export { openAuditLog, readAuditLog } from './agent/audit.ts';
export { localBackend } from './agent/local-backend.ts';
export { prefixBackend } from './agent/prefix-backend.ts';
export { sshBackend, sshQuotedBackend } from './agent/ssh-backend.ts';
export { describeBackground, describeError, describeOutput, describeResult } from './agent/response.ts';
export { PermissionError, PolicyError, ProgramChangedError, RequestError, StepError } from './agent/errors.ts';

export type { Plan, PlanEnv, PlanOutput, PlanStdin } from './command/types.ts';
export type {
  Audit,
  AuditLog,
  AuditLogOptions,
  AuditRecord,
  DecisionRecord,
  EndRecord,
  FailureRecord,
  Permission,
} from './agent/audit.ts';
export type { Backend, BackendCall, BackendCommand, CallBase, Capabilities } from './agent/backend.ts';
export type { Background, BackgroundOptions, BackgroundOutput, BackgroundStatus } from './agent/background.ts';
export type { Canonical, CanonicalText, Unclear, UnclearReason } from './agent/canonical.ts';
export type { Decision, ProgramFile, Target } from './agent/decide.ts';
export type { Issue, Step } from './agent/errors.ts';
export type { Executor } from './agent/executor.ts';
export type { LiteralInput } from './agent/literal-input.ts';
export type { LocalOptions } from './agent/local-backend.ts';
export type {
  Answer,
  EnvQuestion,
  ExecutionResult,
  ExecutorOptions,
  Hooks,
  Limits,
  Outcome,
  Question,
} from './agent/options.ts';
export type { OutputPart } from './agent/output-tail.ts';
export type { ExecutionPlan, RunSettings } from './agent/plan.ts';
export type { EngineName, PrefixOptions } from './agent/prefix-backend.ts';
export type { DisplayText, Preview } from './agent/preview.ts';
export type { IdentifiedFile } from './agent/program-file.ts';
export type { ProcessRequest, Request, RequestLimits, ShellRequest } from './agent/request.ts';
export type { JsonSchema, SchemaOptions } from './agent/request-schema.ts';
export type { ArgPattern, CommandRule, Effect, ModeRule, Policy, ProgramRule, Rule, TextRule } from './agent/rules.ts';
export type { PlainData } from './agent/response.ts';
export type { ShellChoice, Shells } from './agent/shell-access.ts';
export type { SshOptions } from './agent/ssh-backend.ts';
export type { Workdir } from './agent/workdir.ts';
