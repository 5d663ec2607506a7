// Each row of the reference of failed starts is met by a real start.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { START_FAILURES } from '../../lib/errors/start-failures.ts';
import { NOT_PROVOKED, ON_WINDOWS, PROVOKE } from './provoke-start.ts';

const keyOf = (row: { readonly code: string; readonly stage: string }): string => `${row.stage} ${row.code}`;

describe('a start fails as the reference says', () => {
  test.each(Object.entries(PROVOKE))('%s', async (key, provoke) => {
    const [stage, code] = key.split(' ');
    expect(await provoke()).toMatchObject({ stage, code });
  });
});

test('every row of the reference is met, here or by name', () => {
  const met = [...Object.keys(PROVOKE), ...Object.keys(ON_WINDOWS), ...Object.keys(NOT_PROVOKED)];
  expect(met.sort()).toEqual(START_FAILURES.map(keyOf).sort());
});

test.each(Object.entries(ON_WINDOWS))('%s is met by the Windows suite', (key, file) => {
  const [stage = '', code = ''] = key.split(' ');
  const source = readFileSync(new URL(`../windows/${file}`, import.meta.url), 'utf8');
  expect(source.includes(`code: '${code}', stage: '${stage}'`)).toBe(true);
  expect(START_FAILURES.find((row) => keyOf(row) === key)?.systems).not.toBe('unix');
});
