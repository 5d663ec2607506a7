// Previews: everything visible, nothing reusable.

import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseRequest, preview, RequestError } from '../../lib/agent.ts';
import { run } from '../../lib/index.ts';
import { makeExecutor } from './support.ts';

const show = async (request: object): Promise<ReturnType<typeof preview>> =>
  preview(await makeExecutor().plan(request));
const process = (...args: string[]): object => ({ mode: 'process', program: 'true', args });

test.each([
  ['plain', 'plain'],
  ['two words', '"two words"'],
  ['', '""'],
  ['a"b', '"a\\"b"'],
  ['a\\b', '"a\\\\b"'],
  ['line\nfeed', '"line\\nfeed"'],
  ['\u202egpj.exe', '"\\u{202e}gpj.exe"'],
  ['a\u200bb', '"a\\u{200b}b"'],
  ['a\u00a0b', '"a\\u{a0}b"'],
  ['\u{e0041}', '"\\u{e0041}"'],
  ['\u3164', '"\\u{3164}"'],
  ['\u001b[2J', '"\\u{1b}[2J"'],
  ['\u00e9\u{1f600}', '"\u00e9\u{1f600}"'],
])('argument %j is shown as %s', async (arg, shown) => {
  expect(String((await show(process(arg))).line)).toBe(`true ${shown}`);
});

test('different arguments never look the same', async () => {
  const args = ['a b', '"a b"', 'a', '\\n', '\n', '\\u{200b}', '\u200b', '', ' ', '\t', '\\t', "'", '"', '\\"'];
  const lines = await Promise.all(args.map(async (arg) => String((await show(process(arg))).line)));
  expect(new Set(lines).size).toBe(args.length);
});

test('a command line shows its line ends', async () => {
  expect(String((await show({ command: 'echo a\necho b\u202e' })).line)).toBe('echo a\\necho b\\u{202e}');
});

describe('a preview is not an execution source (000, criterion 8)', () => {
  test('neither as a request, nor as a part of one, nor as an argv', async () => {
    const shown = await show(process('x'));
    expect(() => parseRequest(shown)).toThrow(RequestError);
    expect(() => parseRequest({ command: shown.line })).toThrow(RequestError);
    expect(() => parseRequest({ mode: 'process', program: shown.program, args: shown.args })).toThrow(RequestError);
    // @ts-expect-error -- text to look at is no argument
    await expect(run(['true', shown.line])).rejects.toThrow(TypeError);
  });

  test('what runs comes from the plan, whatever happens to the preview', async () => {
    const executor = makeExecutor();
    const plan = await executor.plan({ mode: 'process', program: 'printf', args: ['%s', 'a\u200b b'] });
    expect(Object.isFrozen(preview(plan))).toBe(true);
    expect((await executor.run(plan)).stdout).toBe('a\u200b b');
  });
});

test('stdin is shown as presence and size (000, criterion 8)', async () => {
  const shown = await show({ mode: 'process', program: 'cat', args: [], stdin: 'top secret' });
  expect(shown.stdin).toBe('10 bytes');
  expect((await show(process())).stdin).toBe('none');
  expect((await show({ mode: 'process', program: 'cat', args: [], stdin: '' })).stdin).toBe('0 bytes');
  expect(inspect(shown, { depth: 9, showHidden: true }) + JSON.stringify(shown)).not.toContain('secret');
});

test('the file, the folder, the names of variables and the timeout are shown', async () => {
  const executor = makeExecutor({ shellEnv: () => ({ TOKEN: 'hunter2' }), limits: { timeout: 500 } });
  const shown = preview(await executor.plan({ mode: 'process', program: 'sh', args: [], workdir: '/tmp' }));
  expect(JSON.parse(JSON.stringify(shown))).toMatchObject({
    mode: 'process',
    backend: 'local',
    line: 'sh',
    file: expect.stringMatching(/^\/.*(dash|sh)$/),
    workdir: '/tmp',
    env: ['TOKEN'],
    timeout: 500,
  });
  expect(JSON.stringify(shown)).not.toContain('hunter2');
});
