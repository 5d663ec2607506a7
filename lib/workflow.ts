// argv-spawn/workflow. Re-exports only.

export { createWorkflow } from './workflow/workflow.ts';
export { createBudget } from './workflow/budget.ts';
export { createSemaphore } from './workflow/semaphore.ts';
export { findGuard } from './workflow/option-guards.ts';
export { gitGuard } from './workflow/git-guard.ts';
export { AllowlistError, BudgetError, JournalError, WorkflowClosedError } from './workflow/errors.ts';

export type { Budget, BudgetLimits } from './workflow/budget.ts';
export type { Semaphore } from './workflow/semaphore.ts';
export type { AllowlistReason, BudgetName, JournalErrorCode } from './workflow/errors.ts';
export type { AllowEntry, ArgPattern, ArgsGuard, ArgsRule, GuardContext } from './workflow/policy-types.ts';
export type {
  Command,
  PipelineStage,
  ShOptions,
  StepResult,
  Workflow,
  WorkflowEvent,
  WorkflowOptions,
} from './workflow/types.ts';
