// What `exec` and `mcp` read from the command line alike: policy, audit log, folder, bounds.

import { readFileSync } from 'node:fs';
import { openAuditLog } from '../agent/audit.ts';
import { PolicyError } from '../agent/errors.ts';
import { localBackend } from '../agent/local-backend.ts';
import type { ExecutorOptions } from '../agent/options.ts';
import { parsePolicy } from '../agent/rules.ts';
import type { Policy } from '../agent/rules.ts';
import { makeHostCommand } from '../agent/shell-access.ts';
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

/** Checked at once: a name that is not known would else be found at the first command line. */
function readShell(shell: string | undefined): Pick<ExecutorOptions, 'backend'> {
  if (shell === undefined) return {};
  try {
    makeHostCommand('', shell);
  } catch (error) {
    throw new UsageError(`--shell: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  return { backend: localBackend({ shell }) };
}

const given = <K extends string, V>(name: K, value: V | undefined): Partial<Record<K, V>> =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<K, V>>;

export function toExecutorOptions(values: ExecutorValues): ExecutorOptions {
  const number = (name: 'timeout' | 'max-timeout' | 'max-stdin' | 'max-buffer'): number | undefined =>
    parseNumber(`--${name}`, values[name]);
  return {
    policy: readPolicy(values),
    ...readShell(values.shell),
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
