// What a run has finished, on disk: append-only, each record synchronised before anything relies on it.

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  write,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { JournalError } from './errors.ts';
import { lockRun } from './journal-lock.ts';
import { formatRecord, JOURNAL_VERSION, parseJournal, parsePosition } from './journal-record.ts';
import type { JournalRecord, RecordedResult } from './journal-record.ts';
import { OutputStore } from './output-store.ts';
import { formatPosition, isAtOrAfter } from './scopes.ts';
import type { Position } from './scopes.ts';

const writeAsync = promisify(write);
const syncAsync = promisify(fdatasync);

export interface Recorded {
  readonly key: string;
  readonly result: RecordedResult;
}

type Done = Map<string, Recorded>;

function dropAtOrAfter(done: Done, position: Position): void {
  for (const step of done.keys()) if (isAtOrAfter(parsePosition(step), position)) done.delete(step);
}

function replay(records: readonly JournalRecord[]): Done {
  const done: Done = new Map();
  for (const record of records) {
    if (record.type === 'done') done.set(record.step, { key: record.key, result: record.result });
    else if (record.type === 'changed') dropAtOrAfter(done, parsePosition(record.step));
  }
  return done;
}

const now = (): string => new Date().toISOString();
const journalPath = (folder: string, run: string): string => join(folder, `${run}.jsonl`);

/** What another run has finished. It must not be written meanwhile; a torn end stays as it is. */
function readOther(folder: string, run: string): Done {
  const path = journalPath(folder, run);
  if (!existsSync(path)) throw new JournalError('ERR_JOURNAL_MISSING', path, `there is no run ${run} to resume from`);
  const release = lockRun(folder, run);
  try {
    return replay(parseJournal(readFileSync(path), path).records);
  } finally {
    release();
  }
}

/** A new journal, with all that it inherits or not at all. */
function create(folder: string, run: string, inherited: Done): void {
  const records: JournalRecord[] = [{ type: 'run', version: JOURNAL_VERSION, run, at: now() }];
  for (const [step, { key, result }] of inherited) records.push({ type: 'done', step, key, result, at: now() });
  const draft = join(folder, `.draft.${randomUUID()}`);
  writeFileSync(draft, records.map(formatRecord).join(''), { flag: 'wx', flush: true });
  renameSync(draft, journalPath(folder, run));
  syncFolder(folder);
}

/** So that a new file's name survives a power failure. Where a folder cannot be opened the system needs no such step. */
function syncFolder(folder: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(folder, 'r');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (['EISDIR', 'EPERM', 'EACCES'].includes(code)) return;
    throw error;
  }
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export class Journal {
  readonly outputs: OutputStore;
  readonly #done: Done;
  readonly #path: string;
  readonly #descriptor: number;
  readonly #release: () => void;
  #pending: { text: string; resolve: () => void; reject: (error: Error) => void }[] = [];
  #writing: Promise<void> | null = null;
  #broken: JournalError | null = null;

  /**
   * Opens or creates the journal of `run`. Reads it at once, on this thread.
   *
   * @param from - the run to resume from: `run` itself, another, or null for a new run.
   * @throws JournalError
   */
  constructor(folder: string, run: string, from: string | null) {
    mkdirSync(folder, { recursive: true });
    this.outputs = new OutputStore(folder);
    this.#path = journalPath(folder, run);
    this.#release = lockRun(folder, run);
    let descriptor: number | undefined;
    try {
      const known = existsSync(this.#path);
      if (from === run && !known) throw new JournalError('ERR_JOURNAL_MISSING', this.#path, `there is no run ${run}`);
      if (from !== run && known) {
        const message = `run ${run} exists: resume from it, or take another id`;
        throw new JournalError('ERR_JOURNAL_EXISTS', this.#path, message);
      }
      if (!known) create(folder, run, from === null ? new Map<string, Recorded>() : readOther(folder, from));
      descriptor = openSync(this.#path, 'a+');
      const bytes = readFileSync(this.#path);
      const { records, whole } = parseJournal(bytes, this.#path);
      if (whole < bytes.length) ftruncateSync(descriptor, whole);
      this.#done = replay(records);
      this.#descriptor = descriptor;
    } catch (error) {
      if (descriptor !== undefined) closeSync(descriptor);
      this.#release();
      throw error;
    }
    // Its failure is kept, and is what the next step gets.
    const opened: JournalRecord = { type: 'open', pid: process.pid, ...(from === null ? {} : { from }), at: now() };
    this.#append(opened).catch(() => undefined);
  }

  /** How many finished steps are known. */
  get size(): number {
    return this.#done.size;
  }

  find(position: Position): Recorded | undefined {
    return this.#done.get(formatPosition(position));
  }

  /** The call at `position` is not the one that was recorded. */
  async change(position: Position): Promise<void> {
    dropAtOrAfter(this.#done, position);
    await this.#append({ type: 'changed', step: formatPosition(position), at: now() });
  }

  async start(position: Position, key: string, command: string): Promise<void> {
    await this.#append({ type: 'start', step: formatPosition(position), key, command, at: now() });
  }

  async finish(position: Position, key: string, result: RecordedResult): Promise<void> {
    const step = formatPosition(position);
    await this.#append({ type: 'done', step, key, result, at: now() });
    this.#done.set(step, { key, result });
  }

  async fail(position: Position, key: string, reason: string): Promise<void> {
    await this.#append({ type: 'failed', step: formatPosition(position), key, reason, at: now() });
  }

  /** Resolves when the record is on disk. Records of steps in parallel share one write and one synchronisation. */
  #append(record: JournalRecord): Promise<void> {
    if (this.#broken) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      this.#pending.push({ text: formatRecord(record), resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const batch = this.#pending;
      this.#pending = [];
      try {
        const bytes = Buffer.from(batch.map(({ text }) => text).join(''));
        for (let at = 0; at < bytes.length;) {
          at += (await writeAsync(this.#descriptor, bytes, at, bytes.length - at, null)).bytesWritten;
        }
        await syncAsync(this.#descriptor);
        for (const { resolve } of batch) resolve();
      } catch (cause) {
        // A record may be half written; another after it would make the journal unreadable.
        this.#broken = new JournalError('ERR_JOURNAL_WRITE', this.#path, 'the journal cannot be written', cause);
        for (const { reject } of [...batch, ...this.#pending]) reject(this.#broken);
        this.#pending = [];
      }
    }
    this.#writing = null;
  }

  /** Waits for what is being written, then gives the run back. */
  async close(): Promise<void> {
    await this.#writing;
    closeSync(this.#descriptor);
    this.#release();
  }
}
