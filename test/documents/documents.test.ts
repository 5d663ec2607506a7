// The documents do not rot: what they show compiles, what can run does, and links lead somewhere.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../helpers/folder.ts';
import { DOCUMENTS, EXAMPLES, ROOT, checkTypes, findPromise, readBlocks, readExample, toJavaScript } from './blocks.ts';
import type { Block } from './blocks.ts';

const blocks = [...DOCUMENTS.flatMap(readBlocks), ...EXAMPLES.map(readExample)];
const nameOf = (block: Block): string => `${block.document}:${block.line}`;

// A project that has this package, and those the migration guide comes from; with a repository, as a place to work in.
const project = makeFolder();
const packages = join(project, 'node_modules');
mkdirSync(packages);
symlinkSync(ROOT, join(packages, 'argv-spawn'));
for (const name of ['execa', 'cross-spawn', 'effect'])
  symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }\n');
const git = (...args: string[]): Buffer =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...args], { cwd: project });
git('init', '-q');
git('commit', '-q', '--allow-empty', '-m', 'a first commit');

let count = 0;
/** Runs a block in a Node of its own; node:child_process is the judge here, not the package. */
function runBlock(block: Block): string {
  const path = join(project, `block-${count++}.mjs`);
  writeFileSync(path, toJavaScript(block));
  const end = spawnSync(process.execPath, [path], { cwd: project, encoding: 'utf8', timeout: 50_000, input: '' });
  expect({ at: nameOf(block), status: end.status, stderr: end.stderr }).toMatchObject({ status: 0, stderr: '' });
  return end.stdout;
}

test('there are documents, examples and blocks of every kind', () => {
  expect(DOCUMENTS.length).toBeGreaterThan(5);
  expect(EXAMPLES.length).toBeGreaterThan(2);
  for (const kind of ['', 'run', 'before', 'after']) expect(blocks.map((block) => block.kind)).toContain(kind);
  expect(blocks.filter((block) => !['', 'run', 'before', 'after'].includes(block.kind)).map(nameOf)).toEqual([]);
});

test('every block compiles under strict', () => {
  expect(checkTypes(blocks)).toEqual([]);
});

test('a block that does not compile would be found', () => {
  const wrong = { document: 'x.md', line: 10, kind: '', given: '' };
  const text = `import { run } from 'argv-spawn';\nawait run(['true'], { timeOut: 1 });\n`;
  expect(checkTypes([{ ...wrong, text }])).toEqual([expect.stringMatching(/^x\.md:12 .*timeOut/)]);
});

describe('runs, and prints what it says', () => {
  test.each(blocks.filter((block) => block.kind === 'run').map((block) => [nameOf(block), block] as const))(
    '%s',
    (_, block) => {
      const printed = runBlock(block);
      const promised = findPromise(block);
      if (promised !== null) expect(printed).toBe(promised);
    },
  );
});

describe('before and after print the same', () => {
  const pairs = blocks.flatMap((block, index) =>
    block.kind === 'before' ? [[block, blocks[index + 1]] as const] : [],
  );
  test('each has its other half', () => {
    expect(pairs.map(([, after]) => after?.kind)).toEqual(pairs.map(() => 'after'));
    expect(pairs.length).toBe(blocks.filter((block) => block.kind === 'after').length);
  });
  test.each(pairs.map((pair) => [nameOf(pair[0]), ...pair] as const))('%s', (_, before, after) => {
    const printed = runBlock(before);
    expect(printed).not.toBe('');
    expect(after === undefined ? null : runBlock(after)).toBe(printed);
  });
});

test.each(DOCUMENTS)('the links of %s lead to files and headings', (document) => {
  const text = readFileSync(join(ROOT, document), 'utf8').replace(/```[\s\S]*?```/g, '');
  const toAnchor = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
  for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^https?:/.test(target)) continue;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? document : normalize(join(dirname(document), path));
    expect([target, existsSync(join(ROOT, file))]).toEqual([target, true]);
    if (anchor === undefined) continue;
    const headings = [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, one = '']) =>
      toAnchor(one),
    );
    expect(headings).toContain(anchor);
  }
});
