// A small policy over scans, for the verdict of each vector: the strictest answer that a sensible host gives.

import { basename } from 'node:path/posix';
import type { CommandScan, ExecutionStage } from '../../lib/shell.ts';

export type Verdict = 'allow' | 'ask' | 'deny';

export interface Policy {
  /** Prefixes of argv that may run; the first word must be the bare name. */
  readonly allow: readonly (readonly string[])[];
  /** Programs that never run, by the last part of their path. */
  readonly deny: readonly string[];
  /** Arguments that turn an allowed program into another. */
  readonly guards: Readonly<Record<string, RegExp>>;
  readonly foldCase?: boolean;
}

const WRAPPERS = new Set(['command', 'time', 'nice', 'timeout']);
const WRITABLE = new Set(['/dev/null', '/dev/stdout', '/dev/stderr']);

function toProgram(word: string, policy: Policy): string {
  const name = basename(policy.foldCase ? word.replaceAll('\\', '/') : word);
  return policy.foldCase
    ? name
        .toLowerCase()
        .replace(/[. ]+$/, '')
        .replace(/\.(exe|cmd|bat|com)$/, '')
    : name;
}

function isDenied(stage: ExecutionStage, policy: Policy): boolean {
  const words = [stage.argv[0], ...stage.source_argv, ...stage.via.flatMap(({ argv }) => argv)];
  const heads = [stage.argv[0], ...stage.source_argv.slice(0, stage.source_argv.length - stage.argv.length)];
  const outer = stage.via.flatMap(({ argv }) => argv.slice(0, 3));
  return (
    words.length > 0 &&
    [...heads, ...outer].some((word) => word !== undefined && policy.deny.includes(toProgram(word, policy)))
  );
}

function isAllowed(stage: ExecutionStage, policy: Policy): boolean {
  const { argv, dynamic, source_argv } = stage;
  const prefix = source_argv.slice(0, source_argv.length - argv.length);
  const wrapper = prefix[0];
  if (dynamic.includes(true)) return false;
  if (prefix.length > 0 && (wrapper === undefined || !WRAPPERS.has(wrapper))) return false;
  if (prefix.some((word) => word.includes('='))) return false;
  if (!policy.allow.some((rule) => rule.every((word, i) => argv[i] === word))) return false;
  const guard = policy.guards[argv[0] ?? ''];
  return guard === undefined || !argv.slice(1).some((word) => guard.test(word));
}

export function judge(scan: CommandScan, policy: Policy): Verdict {
  const { execution_stages: stages, shell_redirects: redirects } = scan;
  if (stages.some((stage) => isDenied(stage, policy))) return 'deny';
  if (!scan.execution_semantics.resolved || !scan.shell_io_complete || stages.length === 0) return 'ask';
  if (redirects.some((one) => one.writes_file && !WRITABLE.has(one.destination ?? ''))) return 'ask';
  return stages.every((stage) => isAllowed(stage, policy)) ? 'allow' : 'ask';
}

export const REFERENCE: Policy = {
  allow: [
    ...['status', 'log', 'diff'].map((word) => ['git', word]),
    ...['ls', 'cat', 'echo', 'printf', 'pwd', 'true', 'wc', 'head', 'rg', 'grep'].map((word) => [word]),
    ['npm', 'test'],
  ],
  deny: ['rm', 'sudo', 'mkfs'],
  guards: { git: /^(--out|--ext-d|--textc|-O)/, rg: /^(--pre|--hostname-bin|--search-zip|-z)/, printf: /^-/ },
};
