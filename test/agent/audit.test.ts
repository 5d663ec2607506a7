// The audit trail: what it holds, and that a crash costs one line at most.

import { spawn as spawnNode } from 'node:child_process';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openAuditLog, readAuditLog } from '../../lib/agent.ts';
import type { AuditRecord } from '../../lib/agent.ts';
import { makeFolder } from '../helpers/folder.ts';
import { PACKAGE } from '../helpers/host.ts';
import { until } from '../helpers/until.ts';
import { failureOf, inMode, makeExecutor, MODES } from './support.ts';

const folder = makeFolder();

describe.each(MODES)('%s mode', (mode) => {
  test('a call is a decision and an end, joined by an id', async () => {
    const records: AuditRecord[] = [];
    const executor = makeExecutor({ audit: { record: (entry) => void records.push(entry) } });
    await executor.run(inMode(mode, ['echo', 'hello'], { workdir: '/', timeout: 9000 }));
    expect(records).toMatchObject([
      {
        event: 'decision',
        mode,
        backend: 'local',
        argv: mode === 'process' ? ['echo', 'hello'] : null,
        command: mode === 'shell' ? 'echo hello' : null,
        canonical: mode === 'process' ? 'echo hello' : null,
        workdir: { used: '/' },
        stdin: { present: false, bytes: 0 },
        timeoutMs: 9000,
        permitted: true,
        permission: { decision: { effect: 'allow' }, answer: null },
      },
      { event: 'end', reason: 'exit', code: 0, signal: null, stdoutBytes: 6 },
    ]);
    expect(records[0]?.id).toBe(records[1]?.id);
  });

  test('a refusal and a failed start are recorded', async () => {
    const records: AuditRecord[] = [];
    const audit = { record: (entry: AuditRecord) => void records.push(entry) };
    await failureOf(makeExecutor({ policy: { rules: [] }, audit }).run(inMode(mode, ['true'])));
    expect(records).toMatchObject([{ event: 'decision', permitted: false }]);
    const signal = AbortSignal.timeout(50);
    await failureOf(makeExecutor({ audit }).run(inMode(mode, ['sleep', '60']), { signal }));
    expect(records.slice(1)).toMatchObject([
      { event: 'decision', permitted: true },
      { event: 'failure', error: 'AbortError', code: 'ABORT_ERR' },
    ]);
  });

  test('a record that cannot be written before the start means that nothing starts', async () => {
    const file = join(folder, `never-${mode}`);
    const audit = {
      record: () => {
        throw new Error('disk full');
      },
    };
    const error = await failureOf(makeExecutor({ audit }).run(inMode(mode, ['touch', file])));
    expect(error).toMatchObject({ name: 'StepError', step: 'audit', cause: { message: 'disk full' } });
    expect(() => statSync(file)).toThrow();
  });
});

describe('the log file', () => {
  const entry = (id: string): AuditRecord => ({ id, time: 't', event: 'failure', error: 'E', code: null });

  test('is only appended to, and for its owner alone', () => {
    const path = join(folder, 'append.jsonl');
    for (const id of ['1', '2']) {
      const log = openAuditLog(path, { sync: true });
      log.record(entry(id));
      log.close();
    }
    expect(readAuditLog(path)).toEqual({ records: [entry('1'), entry('2')], torn: 0 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a record torn at any byte leaves every other record whole', () => {
    const whole = `${JSON.stringify(entry('first'))}\n`;
    const torn = `${JSON.stringify(entry('torn'))}\n`;
    for (let cut = 0; cut <= torn.length; cut++) {
      const path = join(folder, `torn-${cut}.jsonl`);
      writeFileSync(path, whole);
      appendFileSync(path, torn.slice(0, cut));
      const log = openAuditLog(path);
      log.record(entry('next'));
      log.close();
      const { records } = readAuditLog(path);
      const ids = records.map(({ id }) => id);
      expect([cut, ids.at(0), ids.at(-1)]).toEqual([cut, 'first', 'next']);
    }
  });

  test('a writer killed in the middle of its work leaves whole records', async () => {
    const path = join(folder, 'killed.jsonl');
    const agent = PACKAGE.replace('index.js', 'agent.js');
    const source = `import { openAuditLog } from ${JSON.stringify(agent)};
      const log = openAuditLog(${JSON.stringify(path)});
      for (let n = 0; ; n++) log.record({ id: String(n), time: 't'.repeat(5000), event: 'failure', error: 'E', code: null });`;
    for (let round = 0; round < 3; round++) {
      const size = round === 0 ? 0 : statSync(path).size;
      const writer = spawnNode(process.execPath, ['--input-type=module', '-e', source], { stdio: 'inherit' });
      await until('it has written', () => {
        try {
          return statSync(path).size > size + 100_000;
        } catch {
          return false;
        }
      });
      const gone = new Promise((resolve) => writer.once('exit', resolve));
      writer.kill('SIGKILL');
      await gone;
    }
    const lines = readFileSync(path, 'utf8').split('\n').length - 1;
    const { records, torn } = readAuditLog(path);
    expect(torn).toBeLessThanOrEqual(3);
    expect(records.length).toBeGreaterThan(50);
    expect(lines - records.length - torn).toBeLessThanOrEqual(3);
  });

  test('an error of the file system is an error, not silence', () => {
    expect(() => openAuditLog(join(folder, 'no', 'folder', 'x'))).toThrow(/ENOENT/);
  });
});
