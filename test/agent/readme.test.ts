// The table in the documentation names tests that exist, and the documentation says what it has to (000, criteria 9, 10).

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const README = read('../../lib/agent/README.md');
const SOURCES = ['request', 'parity', 'backends', 'canonical', 'decide', 'stdin', 'preview'].map((name) => ({
  file: `${name}.test.ts`,
  text: read(`${name}.test.ts`).replaceAll("\\'", "'"),
}));

const rows = README.slice(README.indexOf('## Where each promise is tested'))
  .split('\n')
  .filter((line) => /^\|.*`\w+\.test\.ts`/.test(line));

test('every criterion has a row, and every row names tests that exist', () => {
  expect(rows.length).toBe(16);
  for (const row of rows) {
    const places = [...row.matchAll(/`(\w+\.test\.ts)`([^`]*)/g)];
    expect(places.length).toBeGreaterThan(0);
    for (const [, file, rest = ''] of places) {
      const source = SOURCES.find((one) => one.file === file);
      for (const [, title = ''] of rest.matchAll(/"([^"]+)"/g))
        expect([file, title, source?.text.includes(title)]).toEqual([file, title, true]);
    }
  }
});

test('it prefers process mode, and says that neither mode is a sandbox and why', () => {
  const text = README.replaceAll(/\s+/g, ' ');
  expect(text).toContain(
    'Prefer process mode for a single native program. Use shell mode only when shell grammar is needed',
  );
  expect(text).toContain('Neither mode is a sandbox.');
  expect(text).toMatch(/Interpreters .* and wrappers .* run what their arguments say, and stay as powerful/);
});
