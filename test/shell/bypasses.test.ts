// Rows of test/vectors/scan-bypasses.json: inputs that got past the rules of other tools. `bypass` numbers the class; 0
// is one found here.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { scan } from '../../lib/shell.ts';
import { REFERENCE, judge } from './reference-policy.ts';
import type { Policy, Verdict } from './reference-policy.ts';

interface Row {
  readonly bypass: number;
  readonly shell?: string;
  readonly command?: string;
  readonly argv?: readonly string[];
  readonly windows?: boolean;
  readonly verdict: Verdict;
}

const ROWS = JSON.parse(
  readFileSync(new URL('../vectors/scan-bypasses.json', import.meta.url), 'utf8'),
) as readonly Row[];

/** More is allowed than in the reference policy, so that each row is tempted. */
const TEMPTED: Policy = {
  ...REFERENCE,
  allow: [...REFERENCE.allow, ...['find', 'sort', 'timeout', 'env', 'cd', 'export', 'true'].map((word) => [word])],
  guards: {
    ...REFERENCE.guards,
    find: /^-(exec|execdir|ok|okdir|delete|fprint|fprintf|fprint0|fls)/,
    sort: /^(-[A-Za-z]*o|--o|--compress)/,
  },
};

test('every class has a row', () => {
  const classes = new Set(ROWS.map(({ bypass }) => bypass));
  for (let n = 1; n <= 40; n++) expect(classes, String(n)).toContain(n);
});

describe.each(ROWS)('$bypass $command $argv', ({ shell, command, argv, windows, verdict }) => {
  test(`is a case to ${verdict}`, () => {
    const result = scan(argv === undefined ? { mode: 'shell', shell, command } : { mode: 'argv', argv });
    expect(judge(result, { ...TEMPTED, foldCase: windows ?? false }), JSON.stringify(result.details)).toBe(verdict);
  });
});
