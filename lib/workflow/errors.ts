// What a workflow refuses, each with a stable code. Nothing was started, unless the text says otherwise.

/** Why an allowlist did not approve a command. */
export type AllowlistReason =
  /** No entry names the program. */
  | 'not-listed'
  /** A program path with a separator that is not absolute and plain. */
  | 'relative-path'
  /** The entry's program is not on the policy's PATH, or its file is gone. */
  | 'not-found'
  /** The real file lies outside the folder that was approved. */
  | 'outside-folder'
  /** It runs its arguments or other code, and no rule says which arguments are meant. */
  | 'runner'
  /** The rule for this program does not accept these arguments. */
  | 'arguments'
  /** Any user may replace the file. */
  | 'writable'
  /** The file, or the link to it, is not the one that was approved. After a start it says so. */
  | 'changed'
  /** A working folder outside `folders`. */
  | 'folder'
  /** A variable that `allowEnv` does not name. */
  | 'environment'
  /** Text whose effects cannot be told completely. */
  | 'unresolved'
  /** Text that opens a file. */
  | 'redirect'
  /** Text that runs no program. */
  | 'empty'
  /** The shell for text is not there, or cannot be used. */
  | 'shell';

/** The command is not approved. */
export class AllowlistError extends Error {
  override readonly name: string = 'AllowlistError';
  readonly code: string = 'ERR_ALLOWLIST';
  readonly reason: AllowlistReason;
  /** The program, argument or construct at fault, in words. */
  readonly detail: string;

  constructor(reason: AllowlistReason, detail: string) {
    super(`not allowed (${reason}): ${detail}`);
    this.reason = reason;
    this.detail = detail;
  }
}

export type JournalErrorCode =
  /** Another writer, or one that cannot be told from a live one, holds the run. */
  | 'ERR_JOURNAL_IN_USE'
  /** Written by another version of the format. */
  | 'ERR_JOURNAL_VERSION'
  /** A record before the last one cannot be read. */
  | 'ERR_JOURNAL_CORRUPT'
  /** There is no such run. */
  | 'ERR_JOURNAL_MISSING'
  /** A new run was given the id of one that exists. */
  | 'ERR_JOURNAL_EXISTS'
  /** A recorded output is gone, or is not what was recorded. */
  | 'ERR_JOURNAL_OUTPUT'
  /** Writing failed; the run takes no further steps. `cause` is the system's error. */
  | 'ERR_JOURNAL_WRITE';

export class JournalError extends Error {
  override readonly name: string = 'JournalError';
  readonly code: JournalErrorCode;
  readonly path: string;

  constructor(code: JournalErrorCode, path: string, message: string, cause?: unknown) {
    super(`${message}: ${path}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.path = path;
  }
}

export type BudgetName = 'calls' | 'wallTime' | 'outputBytes';

/** The budget was spent before this step. */
export class BudgetError extends Error {
  override readonly name: string = 'BudgetError';
  readonly code: string = 'ERR_BUDGET';
  readonly budget: BudgetName;
  readonly used: number;
  readonly limit: number;

  constructor(budget: BudgetName, used: number, limit: number) {
    super(`the budget of ${budget} is spent: ${used} of ${limit}`);
    this.budget = budget;
    this.used = used;
    this.limit = limit;
  }
}

/** The workflow was closed before this step. */
export class WorkflowClosedError extends Error {
  override readonly name: string = 'WorkflowClosedError';
  readonly code: string = 'ERR_WORKFLOW_CLOSED';
}
