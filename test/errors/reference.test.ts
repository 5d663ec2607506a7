// lib/ERRORS.md has every code that the sources know, and no other.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import { OTHER_ERRORS, RARE_NAMES } from '../../lib/errors/other-errors.ts';
import { START_FAILURES } from '../../lib/errors/start-failures.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Tables {
  readonly START_FAILURES: typeof START_FAILURES;
  readonly OTHER_ERRORS: typeof OTHER_ERRORS;
  readonly RARE_NAMES: typeof RARE_NAMES;
}
/** A script without types. */
const GENERATOR: string = new URL('../../scripts/error-reference.mjs', import.meta.url).href;
const { renderReference } = (await import(GENERATOR)) as {
  renderReference: (tables: Tables) => Promise<string>;
};

/** The tables themselves, and files that only speak of errors of others. */
const NOT_SOURCES = /^lib\/errors\/(start-failures|other-errors)\.ts$/;
const listFiles = (folder: string, pattern: RegExp): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .map((name) => `${folder}/${String(name).replaceAll('\\', '/')}`)
    .filter((path) => pattern.test(path) && !NOT_SOURCES.test(path));
const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');

/** Words of sources that look like codes of ours and are Node's, or only the beginning of some. */
const FOREIGN = ['ERR_MODULE_NOT_FOUND'];

function findCodes(folder: string, files: RegExp, pattern: RegExp): string[] {
  const found = new Set<string>();
  for (const path of listFiles(folder, files)) {
    for (const [, code = ''] of withoutComments(read(path)).matchAll(pattern)) found.add(code);
  }
  return [...found].filter((code) => !FOREIGN.includes(code)).sort();
}

const inScripts = findCodes('lib', /\.ts$/, /'((?:ERR_[A-Z_]+)|ABORT_ERR)'/g);
const inEngine = findCodes('native', /\.(cc|h)$/, /"(ERR_[A-Z_]+)"/g);
const namesOfErrors = [
  ...withoutComments(read('native/unix/os_error.cc')).matchAll(/NAME\((E[A-Z0-9]+)\)/g),
  ...withoutComments(read('native/win/os_error.cc')).matchAll(/"(E[A-Z0-9]+)"/g),
].map(([, name = '']) => name);

const known = new Set([...START_FAILURES, ...OTHER_ERRORS, ...RARE_NAMES].map(({ code }) => code));

describe('every code of the sources is in the reference', () => {
  test('the search finds codes at all', () => {
    expect(inScripts).toContain('ERR_JOURNAL_CORRUPT');
    expect(inEngine).toEqual(['ERR_BATCH_REFUSED', 'ERR_CONTAINMENT']);
    expect(namesOfErrors.length).toBeGreaterThan(40);
  });

  test.each([...new Set([...inScripts, ...inEngine, ...namesOfErrors, 'EISDIR'])])('%s', (code) => {
    expect(known).toContain(code);
  });
});

test('every code of the reference is in the sources', () => {
  // Node makes this one, when a string would be too long.
  const sources = new Set([...inScripts, ...inEngine, ...namesOfErrors, 'ERR_STRING_TOO_LONG']);
  expect([...known].filter((code) => !sources.has(code))).toEqual([]);
});

test('no name is both a known failure and a rare one, and no row is there twice', () => {
  const starts = START_FAILURES.map(({ stage, code }) => `${stage} ${code}`);
  expect(new Set(starts).size).toBe(starts.length);
  const rare = RARE_NAMES.map(({ code }) => code);
  expect(rare.filter((code) => START_FAILURES.some((row) => row.code === code))).toEqual([]);
  expect(rare).toEqual([...new Set(rare)].sort());
});

test('lib/ERRORS.md is what the tables say', async () => {
  expect(read('lib/ERRORS.md')).toBe(await renderReference({ START_FAILURES, OTHER_ERRORS, RARE_NAMES }));
});

test('the script that writes it runs, and finds nothing to do', async () => {
  const { code, stderr } = await run([process.execPath, join(ROOT, 'scripts/error-reference.mjs'), '--check']);
  expect([code, stderr]).toEqual([0, '']);
});

test('each stage of the contract has a section', () => {
  const [, stages = ''] = /export type SpawnStage =([^;]+);/.exec(read('lib/native/contract.ts')) ?? [];
  const names = [...stages.matchAll(/'([a-z]+)'/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(5);
  expect([...new Set(START_FAILURES.map(({ stage }) => stage))].sort()).toEqual(names.sort());
});
