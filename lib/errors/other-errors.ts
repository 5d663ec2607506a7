// Every code of an error that is no SpawnError, as data for the reference in lib/ERRORS.md. A test provokes each.

import type { OtherError, RareName } from './code-types.ts';

type Row = readonly [code: string, raisedBy: string, means: string, remedy: string];

const ROWS: Readonly<Record<OtherError['from'], readonly Row[]>> = {
  'argv-spawn': [
    [
      'ERR_INVALID_ARG_TYPE',
      'TypeError',
      'an argument or option has the wrong type; `field` names it',
      'correct the call',
    ],
    [
      'ERR_INVALID_ARG_VALUE',
      'TypeError',
      'a value of the right type that cannot be used, such as a NUL in an argument; `field`, `index`, `offset`',
      'correct the value',
    ],
    ['ERR_OUT_OF_RANGE', 'RangeError', 'a number outside its range; `field` names it', 'correct the number'],
    ['ERR_UNKNOWN_OPTION', 'TypeError', 'no option has that name; the message has the nearest', 'correct the name'],
    ['ERR_UNKNOWN_SIGNAL', 'TypeError', 'this system has no such signal', "use a name such as `'SIGTERM'`"],
    [
      'ERR_STRING_TOO_LONG',
      'Error',
      'the output is longer than a string can be (an error of Node)',
      "use `encoding: 'buffer'`, `maxBuffer`, `spawn` or a file",
    ],
    ['ERR_EXIT', 'ExitError', 'with `check`: it ended with a code that is not 0', 'read `result.code` and `stderr`'],
    ['ERR_SIGNAL', 'ExitError', 'with `check`: a signal ended it that was not ours', 'read `result.signal`'],
    ['ERR_TIMEOUT', 'ExitError', 'with `check`: it was ended at `timeout`', 'allow more time'],
    ['ERR_IDLE_TIMEOUT', 'ExitError', 'with `check`: it wrote nothing for `idleTimeout`', 'allow more silence'],
    [
      'ERR_MAX_BUFFER',
      'ExitError',
      "with `check` and `onMaxBuffer: 'kill'`: it wrote more than `maxBuffer`",
      'raise the cap, or let it truncate',
    ],
    ['ERR_STOPPED', 'ExitError', 'with `check`: it was ended by `stop()`', 'none: somebody asked for it'],
    [
      'ABORT_ERR',
      'AbortError',
      '`signal` was aborted, or the call was stopped before it began; `cause` has the reason, `result` is there when it ran',
      'none: somebody asked for it',
    ],
    [
      'ERR_STDIN_SOURCE',
      'StdinError',
      'the iterable or Readable given as stdin failed; the program was ended, `cause` is its error',
      'correct the source',
    ],
  ],
  'argv-spawn/shell': [
    ['ERR_SHELL_UNKNOWN', 'ShellError', 'no shell of this machine has that id', 'choose one of `listShells()`'],
    ['ERR_SHELL_UNAVAILABLE', 'ShellError', 'the file of that shell is gone, or may not be executed', 'reinstall it'],
    [
      'ERR_SHELL_UNSUPPORTED',
      'ShellError',
      'as a default: its syntax cannot be analysed, or its place cannot be trusted',
      'choose another default',
    ],
    ['ERR_SHELL_NONE', 'ShellError', 'no shell was named, and none can be the default', 'name one, or install one'],
    [
      'ERR_SCAN_MISMATCH',
      'ScanMismatchError',
      'what is about to run is not what was scanned',
      'scan exactly what will run',
    ],
  ],
  'argv-spawn/agent': [
    [
      'ERR_INVALID_REQUEST',
      'RequestError',
      'the request cannot mean anything; `issues` has every problem',
      'correct it',
    ],
    ['ERR_INVALID_POLICY', 'PolicyError', 'a rule is wrong; `issues` has every problem', 'correct the policy'],
    ['ERR_PERMISSION', 'PermissionError', 'no rule allows the call, or the answer was no', 'read `decision.because`'],
    [
      'ERR_PROGRAM_CHANGED',
      'ProgramChangedError',
      'the file of the program is another than when the call was planned',
      'plan and approve again',
    ],
    [
      'ERR_STEP_FAILED',
      'StepError',
      'a hook, an answer or the audit log has failed; `step`, `cause`, and `result` when the program ran',
      'correct what was plugged in',
    ],
  ],
  'argv-spawn/workflow': [
    [
      'ERR_ALLOWLIST',
      'AllowlistError',
      'no entry of `allow` approves the command; `reason` says why',
      'extend `allow`',
    ],
    ['ERR_BUDGET', 'BudgetError', 'the budget was spent before this step', 'raise the budget'],
    ['ERR_WORKFLOW_CLOSED', 'WorkflowClosedError', 'the workflow was closed before this step', 'make a new one'],
    ['ERR_JOURNAL_IN_USE', 'JournalError', 'another process writes this run', 'wait for it, or end it'],
    ['ERR_JOURNAL_VERSION', 'JournalError', 'the journal has another version', 'start a new run'],
    ['ERR_JOURNAL_CORRUPT', 'JournalError', 'a record that is not the last cannot be read', 'start a new run'],
    ['ERR_JOURNAL_MISSING', 'JournalError', 'there is no such run to resume', 'correct the id'],
    ['ERR_JOURNAL_EXISTS', 'JournalError', 'a new run was given the id of an old one', 'resume it, or choose an id'],
    ['ERR_JOURNAL_OUTPUT', 'JournalError', 'a recorded output is gone or changed', 'start a new run'],
    ['ERR_JOURNAL_WRITE', 'JournalError', 'the journal cannot be written; `cause` says why', 'free space, resume'],
  ],
  'argv-spawn mcp': [
    [
      'ERR_MCP_SDK_MISSING',
      'SdkMissingError',
      'the optional peer `@modelcontextprotocol/sdk` is not installed',
      'install it',
    ],
  ],
};

export const OTHER_ERRORS: readonly OtherError[] = Object.entries(ROWS).flatMap(([from, rows]) =>
  rows.map(([code, raisedBy, means, remedy]) => ({ from: from as OtherError['from'], code, raisedBy, means, remedy })),
);

/**
 * Names of native/unix/os_error.cc and native/win/os_error.cc that no known failure of a start carries. They can arise
 * where the system says them, with the stage that met them, and in `capture.tee.error`.
 */
export const RARE_NAMES: readonly RareName[] = [
  { code: 'ECHILD', means: 'no such child' },
  { code: 'EDQUOT', means: 'the disk quota of the user is used up' },
  { code: 'EEXIST', means: 'the file exists already' },
  { code: 'EFAULT', means: 'a bad address: a fault of this package' },
  { code: 'EFBIG', means: 'the file would be larger than `ulimit -f` allows' },
  { code: 'EINTR', means: 'interrupted by a signal' },
  { code: 'EIO', means: 'a device failed' },
  { code: 'ENFILE', means: 'the whole system has no descriptor left' },
  { code: 'ENODEV', means: 'no such device' },
  { code: 'ENOSPC', means: 'the disk is full' },
  { code: 'ENOSYS', means: 'the system call does not exist, or a filter hides it' },
  { code: 'ENOTSUP', means: 'not supported here' },
  { code: 'ESRCH', means: 'no such process' },
  { code: 'ESTALE', means: 'a network file system has lost the file' },
];
