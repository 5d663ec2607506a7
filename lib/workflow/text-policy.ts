// The allowlist for text. The shell layer says what the text runs; each of its programs must be approved as an argument
// vector is. Whatever the scan does not vouch for is refused.

import { delimiter, isAbsolute } from 'node:path';
import type { Argv } from '../command/types.ts';
import { scan } from '../shell/scan.ts';
import type { CommandScan, ExecutionStage, ScanRequest } from '../shell/scan-types.ts';
import { quoteVisibly } from '../util/describe.ts';
import { AllowlistError } from './errors.ts';
import type { Policy } from './policy.ts';
import type { Approval } from './policy-types.ts';

/** The shell looks names up as the policy does only on a PATH without empty and relative entries. */
export const toAbsolutePath = (path: string): string =>
  path
    .split(delimiter)
    .filter((entry) => isAbsolute(entry))
    .join(delimiter);

const show = (words: readonly string[]): string => quoteVisibly(words.join(' '));

function refuseUnresolved(found: CommandScan): void {
  const { unresolved_reason: reason } = found.execution_semantics;
  if (found.shell_io_complete && reason === null) return;
  const causes = found.details.map(({ code, subject }) => `${code} ${quoteVisibly(subject)}`);
  throw new AllowlistError('unresolved', [reason ?? 'incomplete', ...causes].join(', '));
}

/** The null device is the one file whose opening changes and reveals nothing. */
function refuseRedirects(found: CommandScan): void {
  for (const { operator, destination } of found.shell_redirects) {
    if (destination === '/dev/null') continue;
    throw new AllowlistError('redirect', `the text opens a file: ${operator} ${destination ?? '(unknown)'}`);
  }
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, i) => word === b[i]);

/** A stage as started, as written (with wrappers and assignments), and what its text came from: each is a command. */
function* listCommands(stage: ExecutionStage): Generator<readonly string[]> {
  if (stage.dynamic.some(Boolean)) {
    throw new AllowlistError('unresolved', `decided at run time: ${show(stage.source_argv)}`);
  }
  yield stage.argv;
  if (!isSame(stage.argv, stage.source_argv)) yield stage.source_argv;
  for (const { argv } of stage.via) yield argv;
}

export interface TextVerdict {
  readonly scan: CommandScan;
  /** One for each command in the text. */
  readonly programs: readonly Approval[];
}

/** @throws AllowlistError. */
export async function approveText(request: ScanRequest, policy: Policy, cwd: string): Promise<TextVerdict> {
  const found = scan(request);
  refuseUnresolved(found);
  refuseRedirects(found);
  if (found.execution_stages.length === 0) throw new AllowlistError('empty', 'the text runs no program');
  const programs: Approval[] = [];
  for (const stage of found.execution_stages) {
    for (const words of listCommands(stage)) {
      const [program] = words;
      if (program === undefined) throw new AllowlistError('unresolved', 'a command without a program');
      programs.push(await policy.approveInShell(words as Argv, cwd));
    }
  }
  return { scan: found, programs };
}
