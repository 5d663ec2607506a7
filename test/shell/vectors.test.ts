// Rows of test/vectors/scan.json: what a command runs and writes, whether that is all, and what a policy makes of it.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { scan } from '../../lib/shell.ts';
import type { ScanRequest } from '../../lib/shell.ts';
import { REFERENCE, judge } from './reference-policy.ts';
import type { Verdict } from './reference-policy.ts';

interface Row {
  readonly id: string;
  readonly shell?: string;
  readonly mode?: string;
  readonly command?: string;
  readonly argv?: readonly unknown[];
  /** null: not specified. */
  readonly stages:
    | readonly { readonly argv: readonly string[]; dynamic?: readonly number[]; source_argv?: readonly string[] }[]
    | null;
  readonly redirects: readonly (readonly [operator: string, destination: string | null])[] | null;
  readonly resolved: boolean | null;
  readonly complete: boolean;
  readonly verdict: Verdict;
}

const ROWS = JSON.parse(readFileSync(new URL('../vectors/scan.json', import.meta.url), 'utf8')) as readonly Row[];

const toRequest = ({ shell, mode, command, argv }: Row): ScanRequest =>
  argv === undefined ? { mode: mode ?? 'shell', command, shell } : { mode: 'argv', argv };

test('there are as many rows as were agreed on', () => expect(ROWS.length).toBeGreaterThanOrEqual(174));

describe.each(ROWS)('$id $shell $command $argv', (row) => {
  const result = scan(toRequest(row));

  test('has these facts', () => {
    if (row.resolved !== null)
      expect(result.execution_semantics.resolved, JSON.stringify(result.details)).toBe(row.resolved);
    expect(result.shell_io_complete, JSON.stringify(result.details)).toBe(row.complete);
    expect(result.execution_semantics.resolved).toBe(result.execution_semantics.unresolved_reason === null);
    if (row.stages !== null) {
      expect(result.execution_stages.map(({ argv }) => argv)).toEqual(row.stages.map(({ argv }) => argv));
      expect(result.execution_stages.map(({ dynamic }) => dynamic.flatMap((is, i) => (is ? [i] : [])))).toEqual(
        row.stages.map(({ dynamic }) => dynamic ?? []),
      );
      row.stages.forEach((stage, i) => {
        const actual = result.execution_stages[i];
        if (stage.source_argv) expect(actual?.source_argv).toEqual(stage.source_argv);
        else if (row.shell === undefined && actual?.via.length === 0) expect(actual.source_argv).toEqual(stage.argv);
      });
    }
    if (row.redirects !== null) {
      expect(result.shell_redirects).toEqual(
        row.redirects.map(([operator, destination]) => ({
          operator,
          destination,
          dynamic: destination === null,
          writes_file: operator !== '<',
        })),
      );
    }
  });

  test(`is a case to ${row.verdict}`, () => expect(judge(result, REFERENCE)).toBe(row.verdict));
});
