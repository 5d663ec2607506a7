// One writer for a run: hosts that are alive keep others out, hosts that are dead do not.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { createWorkflow } from '../../lib/workflow.ts';
import type { Workflow } from '../../lib/workflow.ts';
import { makeFolder } from '../helpers/folder.ts';

const folder = makeFolder();
const PACKAGE = fileURLToPath(new URL('../../dist/workflow.js', import.meta.url));
let count = 0;
const open: Workflow[] = [];

function make(journal: string, resume: boolean): Workflow {
  const workflow = createWorkflow({
    allow: ['echo'],
    cwd: folder,
    journal,
    ...(resume ? { resumeFromRunId: 'r' } : { runId: 'r' }),
  });
  open.push(workflow);
  return workflow;
}
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

const IN_USE = expect.objectContaining({ code: 'ERR_JOURNAL_IN_USE' }) as Error;
const listLocks = (journal: string): string[] => readdirSync(journal).filter((name) => name.includes('.lock.'));

/** A journal with one finished step, and the lock that its host had. */
async function makeUsed(): Promise<{ journal: string; owner: Record<string, unknown> }> {
  const journal = join(folder, `journal-${count++}`);
  const workflow = make(journal, false);
  await workflow.sh(['echo', 'a']);
  const [name = ''] = listLocks(journal);
  const owner = JSON.parse(readFileSync(join(journal, name), 'utf8')) as Record<string, unknown>;
  await workflow.close();
  expect(listLocks(journal)).toEqual([]);
  return { journal, owner };
}

const script = (journal: string, after: string): string => `
  import { createWorkflow } from ${JSON.stringify(PACKAGE)};
  const workflow = createWorkflow({ allow: ['echo'], cwd: ${JSON.stringify(folder)}, journal: ${JSON.stringify(journal)}, resumeFromRunId: 'r' });
  ${after}`;

test('a run that is open cannot be opened again, in this process or resumed into another run', async () => {
  const { journal } = await makeUsed();
  const workflow = make(journal, true);
  expect(() => make(journal, true)).toThrow(IN_USE);
  expect(() => createWorkflow({ allow: [], journal, runId: 'n', resumeFromRunId: 'r' })).toThrow(IN_USE);
  expect(listLocks(journal)).toHaveLength(1);
  expect((await workflow.sh(['echo', 'a'])).cached).toBe(true);
  await workflow.close();
  await make(journal, true).close();
});

test('a host that lives keeps it, and one that was killed does not', async () => {
  const { journal } = await makeUsed();
  const args = ['--input-type=module', '-e', script(journal, "console.log('open'); setInterval(() => {}, 1000);")];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  expect(() => make(journal, true)).toThrow(IN_USE);
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(listLocks(journal)).toHaveLength(1);
  expect((await make(journal, true).sh(['echo', 'a'])).cached).toBe(true);
  expect(listLocks(journal)).toHaveLength(1);
});

test('of many hosts that find a dead one at the same time, one at most gets it', async () => {
  const { journal, owner } = await makeUsed();
  writeFileSync(join(journal, 'r.lock.dead'), JSON.stringify({ ...owner, started: '1' }));
  const after = `const path = ${JSON.stringify(journal)} + '/holders';
    const { appendFileSync } = await import('node:fs');
    appendFileSync(path, 'in\\n');
    await workflow.sh(['echo', 'b']);
    appendFileSync(path, 'out\\n');
    await workflow.close();`;
  const hosts = Array.from(
    { length: 6 },
    () =>
      new Promise<string>((resolve) => {
        execFile(process.execPath, ['--input-type=module', '-e', script(journal, after)], (_, __, stderr) =>
          resolve(stderr),
        );
      }),
  );
  const errors = (await Promise.all(hosts)).filter((text) => text !== '');
  for (const text of errors) expect(text).toContain('ERR_JOURNAL_IN_USE');
  // Those that came after another had ended got it as well; none came in while another was inside.
  const holders = errors.length === hosts.length ? '' : readFileSync(join(journal, 'holders'), 'utf8');
  expect(holders).toBe('in\nout\n'.repeat(hosts.length - errors.length));
  expect(listLocks(journal)).toEqual([]);
});

describe('whose lock it is', () => {
  const cases: readonly (readonly [string, boolean, Record<string, unknown>])[] = [
    ['this process', true, {}],
    ['a process of the same number that started before', false, { started: '1' }],
    ['a number that is not in use', false, { pid: 2 ** 22 + 1 }],
    ['this machine before its last restart', false, { boot: 'before' }],
    ['another machine', true, { boot: 'other', machine: 'other' }],
    ['another container of this machine', true, { space: 'pid:[1]', started: '1' }],
    ['a host without /proc, whose number is in use', true, { started: null }],
    ['a host without /proc, whose number is not in use', false, { started: null, pid: 2 ** 22 + 1 }],
    ['nobody: not a lock at all', true, { pid: 'x' }],
  ];
  test.each(cases)('%s: kept out %s', async (_, keptOut, change) => {
    const { journal, owner } = await makeUsed();
    mkdirSync(journal, { recursive: true });
    writeFileSync(join(journal, 'r.lock.x'), JSON.stringify({ ...owner, ...change }));
    if (keptOut) {
      expect(() => make(journal, true)).toThrow(IN_USE);
      expect(() => make(journal, true)).toThrow('r.lock.x');
      expect(listLocks(journal)).toEqual(['r.lock.x']);
    } else {
      await make(journal, true).close();
      expect(listLocks(journal)).toEqual([]);
    }
  });
  test('a lock of another run does not matter', async () => {
    const { journal, owner } = await makeUsed();
    writeFileSync(join(journal, 'rr.lock.x'), JSON.stringify(owner));
    await make(journal, true).close();
    expect(listLocks(journal)).toEqual(['rr.lock.x']);
  });
});
