// The options of a workflow and of a step: what is wrong with them is said before anything is opened or started.

import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { parsePath } from '../command/cwd.ts';
import { makeTypeError, makeUnknownOptionError, makeValueError } from '../errors/option-errors.ts';
import { findNearestName } from '../util/nearest-name.ts';
import type { Budget } from './budget.ts';
import { createSemaphore } from './semaphore.ts';
import type { Semaphore } from './semaphore.ts';
import type { ShOptions, WorkflowOptions } from './types.ts';

const WORKFLOW_NAMES: readonly (keyof WorkflowOptions)[] = [
  'allow',
  'cwd',
  'folders',
  'env',
  'allowEnv',
  'path',
  'shell',
  'concurrency',
  'signal',
  'budget',
  'journal',
  'runId',
  'resumeFromRunId',
  'onEvent',
];
const STEP_NAMES: readonly (keyof ShOptions)[] = [
  'cwd',
  'env',
  'stdin',
  'timeout',
  'idleTimeout',
  'check',
  'signal',
  'encoding',
  'maxBuffer',
];

function checkNames(options: unknown, names: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw makeTypeError('options', 'an object', options);
  }
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue;
    const nearest = findNearestName(name, names);
    throw makeUnknownOptionError(name, nearest ? `did you mean ${nearest}?` : `known are ${names.join(', ')}`);
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function parseSemaphore(value: unknown): Semaphore {
  if (value === undefined) return createSemaphore(availableParallelism());
  if (isRecord(value) && typeof value['acquire'] === 'function') return value as unknown as Semaphore;
  if (typeof value !== 'number') throw makeTypeError('concurrency', 'a number, or an object with acquire()', value);
  return createSemaphore(value);
}

function parseBudget(value: unknown): Budget | null {
  if (value === undefined || value === 'free') return null;
  if (isRecord(value) && typeof value['start'] === 'function' && typeof value['finish'] === 'function') {
    return value as unknown as Budget;
  }
  throw makeTypeError('budget', "'free', or a budget from createBudget", value);
}

function parseStrings(value: unknown, field: string): readonly string[] {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string' && one !== '')) {
    throw makeTypeError(field, 'an array of strings', value);
  }
  return [...(value as string[])];
}

/** A run's id is a file name: nothing that could lead elsewhere or be hidden. */
function parseRunId(value: unknown, field: string): string | null {
  if (value === undefined) return null;
  if (typeof value !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(value) || /\.lock\.|\.jsonl/.test(value)) {
    throw makeTypeError(field, 'up to 100 letters, digits, dots, underscores and dashes', value);
  }
  return value;
}

export interface ParsedOptions {
  readonly cwd: string;
  readonly folders: readonly string[];
  readonly allowEnv: readonly string[];
  readonly path: string;
  readonly semaphore: Semaphore;
  readonly budget: Budget | null;
  readonly journal: string | null;
  readonly runId: string;
  readonly resumeFrom: string | null;
}

/** @throws TypeError or RangeError naming the option. */
export function parseWorkflowOptions(options: WorkflowOptions): ParsedOptions {
  checkNames(options, WORKFLOW_NAMES);
  const { signal, onEvent } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw makeTypeError('signal', 'an AbortSignal', signal);
  if (onEvent !== undefined && typeof onEvent !== 'function') throw makeTypeError('onEvent', 'a function', onEvent);
  const cwd = resolve(options.cwd === undefined ? '.' : parsePath(options.cwd, 'cwd'));
  const folders = options.folders === undefined ? [cwd] : parseStrings(options.folders, 'folders');
  const relative = folders.find((folder) => !isAbsolute(folder));
  if (relative !== undefined) throw makeValueError('folders', `has ${relative}, which is not absolute`);
  const journal = options.journal === undefined ? null : resolve(parsePath(options.journal, 'journal'));
  const runId = parseRunId(options.runId, 'runId');
  const resumeFrom = parseRunId(options.resumeFromRunId, 'resumeFromRunId');
  if (journal === null && resumeFrom !== null) throw makeValueError('resumeFromRunId', 'needs a journal');
  if (options.path !== undefined && typeof options.path !== 'string')
    throw makeTypeError('path', 'a string', options.path);
  return {
    cwd,
    folders,
    allowEnv: options.allowEnv === undefined ? [] : parseStrings(options.allowEnv, 'allowEnv'),
    path: options.path ?? process.env['PATH'] ?? '',
    semaphore: parseSemaphore(options.concurrency),
    budget: parseBudget(options.budget),
    journal,
    runId: runId ?? resumeFrom ?? randomUUID(),
    resumeFrom,
  };
}

/** @throws TypeError, before anything of the step is done. Values that only the core uses are left to it. */
export function checkStepOptions(options: ShOptions): void {
  checkNames(options, STEP_NAMES);
  const { stdin, env, check, signal } = options;
  if (check !== undefined && typeof check !== 'boolean') throw makeTypeError('check', 'true or false', check);
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw makeTypeError('signal', 'an AbortSignal', signal);
  if (stdin !== undefined && typeof stdin !== 'string' && !(stdin instanceof Uint8Array)) {
    throw makeTypeError('stdin', 'text or bytes, which can be compared on resume', stdin);
  }
  if (typeof stdin === 'string' && ['ignore', 'inherit', 'pipe'].includes(stdin)) {
    throw makeValueError('stdin', `is the word of a mode: give Buffer.from('${stdin}') when it is input`);
  }
  if (env !== undefined && !isRecord(env)) throw makeTypeError('env', 'an object of strings', env);
}
