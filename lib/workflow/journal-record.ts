// Records of a journal: one JSON object a line, the last field a check sum of the rest.
//
//   {"type":"run","version":1,"run":"r1","at":"2026-01-01T00:00:00.000Z","sum":"0011223344556677"}
//   {"type":"start","step":"0","key":"...","command":"git status","at":"...","sum":"..."}
//   {"type":"done","step":"0","key":"...","result":{...},"at":"...","sum":"..."}

import { createHash } from 'node:crypto';
import type { ContainmentReport, Leftover } from '../process/types.ts';
import { JournalError } from './errors.ts';
import type { Position } from './scopes.ts';

export const JOURNAL_VERSION = 1;

/** One output: as text, as base64, or as the name of the file beside the journal that holds it. */
export type RecordedOutput =
  | { readonly text: string }
  | { readonly base64: string }
  | { readonly file: string; readonly bytes: number; readonly encoding: 'text' | 'bytes' };

export interface RecordedResult {
  readonly ok: boolean;
  readonly code: number | null;
  readonly program: string;
  readonly stdout: RecordedOutput;
  readonly stderr: RecordedOutput;
  readonly truncated: boolean;
  readonly containment: ContainmentReport;
  readonly leftovers: readonly Leftover[];
  readonly startedAt: number;
  readonly durationMs: number;
}

export type JournalRecord =
  | { readonly type: 'run'; readonly version: number; readonly run: string; readonly at: string }
  /** A host took the run up. `from`: the run it resumed. */
  | { readonly type: 'open'; readonly pid: number; readonly from?: string; readonly at: string }
  | {
      readonly type: 'start';
      readonly step: string;
      readonly key: string;
      readonly command: string;
      readonly at: string;
    }
  | {
      readonly type: 'done';
      readonly step: string;
      readonly key: string;
      readonly result: RecordedResult;
      readonly at: string;
    }
  /** It ran, and will run again: aborted, timed out, refused by `check`. */
  | {
      readonly type: 'failed';
      readonly step: string;
      readonly key: string;
      readonly reason: string;
      readonly at: string;
    }
  /** The call at `step` is another one than before: what was recorded for it and for what comes after does not count. */
  | { readonly type: 'changed'; readonly step: string; readonly at: string };

const SUM = /,"sum":"([0-9a-f]{16})"\}$/;
const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** With its line feed. */
export function formatRecord(record: JournalRecord): string {
  const text = JSON.stringify(record);
  return `${text.slice(0, -1)},"sum":"${digest(text)}"}\n`;
}

function parseRecord(line: string): JournalRecord | null {
  const sum = SUM.exec(line);
  if (!sum) return null;
  const text = `${line.slice(0, sum.index)}}`;
  return digest(text) === sum[1] ? (JSON.parse(text) as JournalRecord) : null;
}

export interface JournalText {
  readonly records: readonly JournalRecord[];
  /** Length in bytes up to the end of the last whole record: what follows is a record that was torn. */
  readonly whole: number;
}

/**
 * @throws JournalError `ERR_JOURNAL_CORRUPT` for a bad record that others follow, `ERR_JOURNAL_VERSION` for a journal of
 * another format.
 */
export function parseJournal(bytes: Buffer, path: string): JournalText {
  const records: JournalRecord[] = [];
  let start = 0;
  let torn = 0;
  for (let line = 1; start < bytes.length; line++) {
    const end = bytes.indexOf(10, start);
    const record = end < 0 ? null : parseRecord(bytes.toString('utf8', start, end));
    if (record && torn > 0) {
      throw new JournalError(
        'ERR_JOURNAL_CORRUPT',
        path,
        `line ${torn} of the journal cannot be read, and others follow`,
      );
    }
    if (record) records.push(record);
    else if (torn === 0) torn = line;
    if (torn === 0) start = end + 1;
    else if (end < 0) break;
    else {
      // Only looked through, to tell a torn end from damage in the middle.
      const rest = bytes.toString('utf8', end + 1).split('\n');
      if (rest.some((text) => parseRecord(text) !== null)) {
        throw new JournalError(
          'ERR_JOURNAL_CORRUPT',
          path,
          `line ${torn} of the journal cannot be read, and others follow`,
        );
      }
      break;
    }
  }
  const [head] = records;
  if (head && (head.type !== 'run' || head.version !== JOURNAL_VERSION)) {
    const version = head.type === 'run' ? String(head.version) : 'none';
    const message = `the journal has format version ${version}, this is version ${JOURNAL_VERSION}; start a new run`;
    throw new JournalError('ERR_JOURNAL_VERSION', path, message);
  }
  return { records, whole: start };
}

export const parsePosition = (text: string): Position => text.split('.').map(Number);
