// Literal stdin: written whole, then closed; end of file without it; its text nowhere but in the program
// (000, criteria 6 and 8).

import { inspect } from 'node:util';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openAuditLog, parseRequest, preview, readAuditLog } from '../../lib/agent.ts';
import { child } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { PACKAGE, runHost } from '../helpers/host.ts';
import { failureOf, inMode, makeExecutor, MODES } from './support.ts';

const folder = makeFolder();
const cat = (stdin?: string): object => ({ mode: 'process', program: 'cat', args: [], stdin });

describe('a child that reads until end of file', () => {
  test.each(MODES)('ends at once without stdin, in %s mode', async (mode) => {
    expect(await makeExecutor().run(inMode(mode, ['cat'], { timeout: 20_000 }))).toMatchObject({ code: 0, stdout: '' });
  });

  test('gets an empty stdin as end of file, too', async () => {
    const result = await makeExecutor().run(cat(''));
    expect(result).toMatchObject({ code: 0, stdout: '', plan: { stdin: { present: true, bytes: 0 } } });
    expect((await makeExecutor().run(cat())).plan.stdin).toEqual({ present: false, bytes: 0 });
  });

  test.each(['x', 'h\u00e9llo \u{1f600}\n', 'a\0b', '\r\n', 'pipe', 'ignore', 'inherit', '\ufeffbom'])(
    'gets exactly %j',
    async (text) => expect((await makeExecutor().run(cat(text))).stdout).toBe(text),
  );

  test('gets a megabyte whole, closed before the end is waited for', async () => {
    const stdin = 'abcdefgh'.repeat(131_072);
    const [program, ...args] = child('count-stdin') as string[];
    const result = await makeExecutor().run({ mode: 'process', program, args, stdin });
    expect(result.stdout.trim()).toBe('1048576');
    expect(result.stdin).toEqual({ bytesWritten: 1_048_576, closedEarly: false });
    expect((await makeExecutor().run(cat(stdin))).stdout).toBe(stdin);
  });
});

test("stdin of the host is never a child's", async () => {
  const agent = PACKAGE.replace('index.js', 'agent.js');
  const end = await runHost(
    `import { createExecutor } from ${JSON.stringify(agent)};
     import { readFileSync } from 'node:fs';
     const executor = createExecutor({ policy: { rules: [], otherwise: 'allow' } });
     const a = await executor.run({ mode: 'process', program: 'head', args: ['-c', '4'] });
     const b = await executor.run({ command: 'head -c 4' });
     const c = await executor.background.start({ command: 'head -c 4' });
     await executor.background.stop(c.id);
     console.log(JSON.stringify([a.stdout, b.stdout, executor.background.read(c.id).stdout.text, readFileSync(0, 'utf8')]));`,
    { stdin: 'typed by the user' },
  );
  expect([end.stderr, JSON.parse(end.stdout)]).toEqual(['', ['', '', '', 'typed by the user']]);
});

describe('a stream that breaks is closed cleanly', () => {
  const stdin = 'x'.repeat(1_000_000);
  const sh = (script: string, extra: object = {}): object => ({
    mode: 'process',
    program: 'sh',
    args: ['-c', script],
    stdin,
    ...extra,
  });

  test('when the child ends early, its exit code is the result', async () => {
    expect(await makeExecutor().run(sh('exit 3'))).toMatchObject({ code: 3, stdin: { closedEarly: true } });
    expect(await makeExecutor().run(sh('exec <&-; exit 4'))).toMatchObject({ code: 4 });
  });

  test('at a timeout and at an abort', async () => {
    expect(await makeExecutor().run(sh('sleep 60', { timeout: 50 }))).toMatchObject({ reason: 'timeout' });
    const error = await failureOf(makeExecutor().run(sh('sleep 60'), { signal: AbortSignal.timeout(50) }));
    expect(error).toMatchObject({ name: 'AbortError' });
  });
});

describe('the text is found nowhere', () => {
  const SECRET = 'correct-horse-battery-staple';
  const show = (value: unknown): string =>
    [
      inspect(value, { depth: 12, showHidden: false }),
      JSON.stringify(value),
      String(value),
      value instanceof Error ? `${value.stack}${inspect(value.cause, { depth: 12 })}` : '',
    ].join('\n');
  const secretCall = (program: string, ...args: string[]): object => ({
    mode: 'process',
    program,
    args,
    stdin: SECRET,
  });
  const empty = { rules: [] };

  test('in requests, plans, previews, results and records', async () => {
    const path = join(folder, 'secret.jsonl');
    const audit = openAuditLog(path);
    const executor = makeExecutor({ audit });
    const request = parseRequest(secretCall('true'));
    const plan = await executor.plan(request);
    const result = await executor.run(plan);
    const run = await executor.background.start(secretCall('true'), { openStdin: true });
    await executor.background.stop(run.id);
    audit.close();
    expect(readAuditLog(path).records.length).toBe(4);
    for (const value of [request, plan, preview(plan), result, run, executor.background.list(), { ...plan.command }]) {
      expect(show(value)).not.toContain(SECRET);
    }
    expect(readFileSync(path, 'utf8')).not.toContain(SECRET);
    expect(readFileSync(path, 'utf8')).toContain('"stdin":{"present":true,"bytes":28}');
  });

  test('in any error', async () => {
    const throwing = (): never => {
      throw new Error('no');
    };
    const errors = [
      failureOf(makeExecutor({ policy: empty }).run(secretCall('true'))),
      failureOf(makeExecutor({ policy: empty, ask: () => 'deny' }).run(secretCall('true'))),
      failureOf(makeExecutor().run(secretCall('no-such-program-here'))),
      failureOf(makeExecutor().run({ ...secretCall('true'), workdir: '/no/such/folder' })),
      failureOf(makeExecutor().run({ ...secretCall('true'), command: 'x' })),
      failureOf(makeExecutor().run({ ...secretCall('true'), stdin: [SECRET] })),
      failureOf(makeExecutor().run({ command: 'cat', stdin: SECRET })),
      failureOf(makeExecutor({ limits: { stdinBytes: 3 } }).run(secretCall('true'))),
      failureOf(makeExecutor({ hooks: { after: throwing } }).run(secretCall('true'))),
      failureOf(makeExecutor({ audit: { record: throwing } }).run(secretCall('true'))),
      failureOf(makeExecutor({ hooks: { before: throwing } }).run(secretCall('true'))),
      failureOf(makeExecutor().run(secretCall('sleep', '60'), { signal: AbortSignal.timeout(50) })),
    ];
    for (const error of await Promise.all(errors)) expect(show(error).includes(SECRET)).toBe(false);
  });

  test('in what a person is asked, and what hooks see', async () => {
    const seen: string[] = [];
    const executor = makeExecutor({
      policy: empty,
      ask: (question) => {
        seen.push(show(question));
        return 'allow';
      },
      hooks: {
        before: (request) => void seen.push(show(request)),
        after: (outcome) => void seen.push(show(outcome)),
      },
    });
    expect((await executor.run(secretCall('cat'))).stdout).toBe(SECRET);
    expect(seen.length).toBe(3);
    // The output of cat is the program's own word, so it is looked for in the first two only.
    for (const text of seen.slice(0, 2)) expect(text).not.toContain(SECRET);
  });
});
