// The audit trail: one JSON object per line, appended with one write each, so that a crash can tear the last line only.
// The next opening ends a torn line before it adds anything, and readers skip it.

import { closeSync, fstatSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import type { RunResult } from '../process/types.ts';
import type { Decision } from './decide.ts';
import type { ExecutionPlan } from './plan.ts';

/** How a permission came about. */
export interface Permission {
  readonly decision: Decision;
  /** The answer, when someone was asked. */
  readonly answer: 'allow' | 'deny' | null;
}

interface RecordBase {
  /** Joins the records of one call. */
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly time: string;
}

/** stdin appears as presence and size, the environment as names. */
export interface DecisionRecord extends RecordBase {
  readonly event: 'decision';
  readonly backend: string;
  readonly mode: 'process' | 'shell';
  readonly argv: readonly string[] | null;
  readonly command: string | null;
  readonly canonical: string | null;
  readonly file: string | null;
  /** Path or id of the shell, where it is known. */
  readonly shell: string | null;
  readonly workdir: ExecutionPlan['workdir'];
  readonly stdin: ExecutionPlan['stdin'];
  readonly env: readonly string[];
  readonly timeoutMs: number;
  readonly permitted: boolean;
  readonly permission: Permission;
}

export interface EndRecord extends RecordBase {
  readonly event: 'end';
  readonly reason: string;
  readonly code: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  readonly stdoutBytes: number | null;
  readonly stderrBytes: number | null;
}

/** The call was permitted and did not come to a result. */
export interface FailureRecord extends RecordBase {
  readonly event: 'failure';
  readonly error: string;
  readonly code: string | null;
}

export type AuditRecord = DecisionRecord | EndRecord | FailureRecord;

export interface Audit {
  /** Called before the start and after the end. A rejection or throw before the start means that nothing is started. */
  record(entry: AuditRecord): void | Promise<void>;
}

/** What a decision record and a dry run show of a plan. */
export function describePlan(
  plan: ExecutionPlan,
): Omit<DecisionRecord, 'id' | 'time' | 'event' | 'permitted' | 'permission'> {
  const { target } = plan;
  return {
    backend: plan.backend.name,
    mode: plan.mode,
    argv: target.mode === 'process' ? target.argv : null,
    command: target.mode === 'shell' ? target.command : null,
    canonical: plan.canonical?.ok === true ? plan.canonical.text : null,
    file: plan.file?.realPath ?? null,
    shell: plan.shell?.path ?? plan.shell?.id ?? null,
    workdir: plan.workdir,
    stdin: plan.stdin,
    env: plan.envNames,
    timeoutMs: plan.command.timeoutMs,
  };
}

export function toEndRecord(base: RecordBase, result: RunResult): EndRecord {
  return {
    ...base,
    event: 'end',
    reason: result.reason,
    code: result.code,
    signal: result.signal,
    durationMs: result.durationMs,
    stdoutBytes: result.capture.stdout?.bytes ?? null,
    stderrBytes: result.capture.stderr?.bytes ?? null,
  };
}

/** Names only: a message may quote what the caller gave. */
export function describeFailure(error: unknown): { readonly error: string; readonly code: string | null } {
  const { name, code } = error as { name?: unknown; code?: unknown };
  return { error: String(name), code: typeof code === 'string' ? code : null };
}

export interface AuditLogOptions {
  /** true: every record is on the disk before the call goes on (fsync). Absent: false. */
  readonly sync?: boolean;
}

export interface AuditLog extends Audit {
  record(entry: AuditRecord): void;
  close(): void;
}

function endsTorn(path: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  try {
    const { size } = fstatSync(fd);
    const last = Buffer.alloc(1);
    return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
  } finally {
    closeSync(fd);
  }
}

/**
 * Appends to a file of JSON lines, made with mode 600 when it is not there. Several processes may append to one file.
 *
 * @throws the error of the file system. A record that cannot be written whole is an error, too.
 */
export function openAuditLog(path: string, options: AuditLogOptions = {}): AuditLog {
  const torn = endsTorn(path);
  const fd = openSync(path, 'a', 0o600);
  const append = (text: string): void => {
    const bytes = Buffer.from(text);
    const written = writeSync(fd, bytes);
    if (written !== bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes of a record were written`);
    if (options.sync === true) fsyncSync(fd);
  };
  if (torn) append('\n');
  return {
    record: (entry) => append(`${JSON.stringify(entry)}\n`),
    close: () => closeSync(fd),
  };
}

/** The whole records of a log in order, and how many lines were torn. */
export function readAuditLog(path: string): { readonly records: readonly AuditRecord[]; readonly torn: number } {
  const records: AuditRecord[] = [];
  let torn = 0;
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue;
    try {
      records.push(JSON.parse(line) as AuditRecord);
    } catch {
      torn++;
    }
  }
  return { records, torn };
}
