// What `exec` and `mcp` read from the command line alike: policy, audit log, folder, bounds.

import { readFileSync } from 'node:fs';
import { openAuditLog } from '../agent/audit.ts';
import type { AuditLog } from '../agent/audit.ts';
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

/** `action` with its failure as wrong usage of `place`. */
function attempt<T>(place: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new UsageError(`${place}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** @throws UsageError that names the file and quotes nothing of it: it may hold stdin for a program. */
export function readJson(path: string): unknown {
  const text = attempt(path, () => readFileSync(path, 'utf8'));
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is not valid JSON`);
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
  attempt('--shell', () => makeHostCommand('', shell));
  return { backend: localBackend({ shell }) };
}

const given = <K extends string, V>(name: K, value: V | undefined): Partial<Record<K, V>> =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<K, V>>;

const openAudit = (path: string | undefined): AuditLog | undefined =>
  path === undefined ? undefined : attempt(`--audit ${path}`, () => openAuditLog(path));

export function toExecutorOptions(values: ExecutorValues): ExecutorOptions {
  const number = (name: 'timeout' | 'max-timeout' | 'max-stdin' | 'max-buffer'): number | undefined => {
    const value = parseNumber(`--${name}`, values[name]);
    const least = name.endsWith('timeout') ? Number.MIN_VALUE : 0;
    if (value !== undefined && value < least)
      throw new UsageError(`--${name} must be ${least > 0 ? 'more than 0' : '0 or more'}`);
    return value;
  };
  return {
    policy: readPolicy(values),
    ...readShell(values.shell),
    recoverWorkdir: values['recover-workdir'] === true,
    ...given('workdir', values.workdir),
    ...given('audit', openAudit(values.audit)),
    limits: {
      ...given('timeout', number('timeout')),
      ...given('maxTimeout', number('max-timeout')),
      ...given('stdinBytes', number('max-stdin')),
    },
    run: given('maxBuffer', number('max-buffer')),
  };
}
