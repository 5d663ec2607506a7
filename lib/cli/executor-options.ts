// What `exec` and `mcp` read from the command line alike: policy, audit log, folder, bounds.

import { readFileSync } from 'node:fs';
import { openAuditLog } from '../agent/audit.ts';
import { PolicyError } from '../agent/errors.ts';
import type { ExecutorOptions } from '../agent/options.ts';
import { parsePolicy } from '../agent/rules.ts';
import type { Policy } from '../agent/rules.ts';
import { parseNumber } from './arguments.ts';
import { UsageError } from './command.ts';
import type { EXECUTOR_OPTIONS } from './executor-flags.ts';

export type ExecutorValues = Partial<
  Record<Exclude<keyof typeof EXECUTOR_OPTIONS, 'allow-all' | 'recover-workdir'>, string> &
    Record<'allow-all' | 'recover-workdir', boolean>
>;

/** @throws UsageError that names the file. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function readPolicy(values: ExecutorValues): Policy {
  if (values.policy === undefined) {
    return values['allow-all'] === true ? { rules: [], otherwise: 'allow' } : { rules: [], otherwise: 'ask' };
  }
  if (values['allow-all'] === true) throw new UsageError('--allow-all and --policy exclude each other');
  try {
    return parsePolicy(readJson(values.policy));
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    throw new UsageError(`${values.policy}: ${error.message}`, { cause: error });
  }
}

const given = <K extends string, V>(name: K, value: V | undefined): Partial<Record<K, V>> =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<K, V>>;

export function toExecutorOptions(values: ExecutorValues): ExecutorOptions {
  const number = (name: 'timeout' | 'max-timeout' | 'max-stdin' | 'max-buffer'): number | undefined =>
    parseNumber(`--${name}`, values[name]);
  return {
    policy: readPolicy(values),
    recoverWorkdir: values['recover-workdir'] === true,
    ...given('workdir', values.workdir),
    ...given('audit', values.audit === undefined ? undefined : openAuditLog(values.audit)),
    limits: {
      ...given('timeout', number('timeout')),
      ...given('maxTimeout', number('max-timeout')),
      ...given('stdinBytes', number('max-stdin')),
    },
    run: given('maxBuffer', number('max-buffer')),
  };
}
