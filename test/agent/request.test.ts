// Requests: two shapes and a normaliser, everything else refused with every problem by path.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import {
  createExecutor,
  normalizeSibling,
  parseRequest,
  prefixBackend,
  RequestError,
  requestJsonSchema,
  sshBackend,
  sshQuotedBackend,
} from '../../lib/agent.ts';
import type { Issue } from '../../lib/agent.ts';
import { makeExecutor } from './support.ts';

function issuesOf(value: unknown): readonly Issue[] {
  try {
    parseRequest(value);
  } catch (error) {
    if (error instanceof RequestError) return error.issues;
    throw error;
  }
  throw new Error('the request was accepted');
}

const PROCESS = { mode: 'process', program: 'git', args: ['status'] };

describe('accepted', () => {
  test('the historical shape {command, workdir?, timeout?} is shell mode (000, criterion 1)', () => {
    expect(parseRequest({ command: 'git status', workdir: '/tmp', timeout: 30_000 })).toEqual({
      mode: 'shell',
      command: 'git status',
      workdir: '/tmp',
      timeout: 30_000,
    });
    expect(parseRequest({ command: 'git status' })).toEqual(parseRequest({ mode: 'shell', command: 'git status' }));
  });

  test('process mode, with an empty list of arguments', () => {
    expect(parseRequest({ mode: 'process', program: 'ls', args: [] })).toMatchObject({ program: 'ls', args: [] });
  });

  test('arguments exactly as they are', () => {
    const args = [' a ', '', "'", '"', '\n', '$HOME', '*', '; rm -rf /', '\u200b'];
    expect(parseRequest({ ...PROCESS, args })).toMatchObject({ args });
  });

  test('the sibling form becomes process mode, through the one normaliser', () => {
    const sibling = { command: '', argv: ['curl', '-d', '{"body":"It\'s done"}'], timeout: 5 };
    expect(normalizeSibling(sibling)).toEqual({
      mode: 'process',
      program: 'curl',
      args: ['-d', '{"body":"It\'s done"}'],
      timeout: 5,
    });
    expect(parseRequest(sibling)).toMatchObject({ mode: 'process', program: 'curl', timeout: 5 });
    expect(parseRequest({ argv: ['true'] })).toMatchObject({ program: 'true', args: [] });
  });

  test('absent and empty stdin are different values', () => {
    expect(parseRequest(PROCESS)).toMatchObject({ stdin: null });
    expect(parseRequest({ ...PROCESS, stdin: '' })).toMatchObject({ stdin: { bytes: 0 } });
    expect(parseRequest({ ...PROCESS, stdin: 'h\u00e9' })).toMatchObject({ stdin: { bytes: 3 } });
  });

  test('a frozen copy that later changes do not reach', () => {
    const args = ['status'];
    const request = parseRequest({ ...PROCESS, args });
    args.push('--evil');
    expect(request).toMatchObject({ args: ['status'] });
    expect(Object.isFrozen(request)).toBe(true);
    expect(parseRequest(request)).toBe(request);
  });
});

describe('refused with every problem by path (000, criterion 2)', () => {
  test.each<[string, unknown, string[]]>([
    ['not an object', 'git status', ['']],
    ['null', null, ['']],
    ['an array', ['git'], ['']],
    ['nothing', {}, ['command']],
    ['an unknown mode', { mode: 'exec', program: 'x', args: [] }, ['mode']],
    ['an unknown mode and more', { mode: 'exec', program: 5, args: '[]', zzz: 1 }, ['args', 'mode', 'program', 'zzz']],
    ['the sibling form, by its own names', { command: '', argv: ['', 'x', 5], zzz: 1 }, ['argv[0]', 'argv[2]', 'zzz']],
    ['program without mode', { program: 'git', args: [] }, ['mode']],
    ['command and program', { ...PROCESS, command: 'x' }, ['command']],
    ['command and an empty command', { ...PROCESS, command: '' }, ['command']],
    ['command, program and args in shell mode', { command: 'x', program: 'y', args: [] }, ['args', 'program']],
    ['argv beside a command', { command: 'x', argv: ['y'] }, ['argv']],
    ['argv beside process mode', { ...PROCESS, argv: ['y'] }, ['argv']],
    ['an empty argv', { command: '', argv: [] }, ['argv', 'command']],
    ['an argv that is text', { command: '', argv: '["git"]' }, ['argv', 'command']],
    ['an empty command', { command: '' }, ['command']],
    ['a missing program', { mode: 'process', args: [] }, ['program']],
    ['an empty program', { ...PROCESS, program: '' }, ['program']],
    ['missing args', { mode: 'process', program: 'x' }, ['args']],
    ['args encoded as JSON text', { ...PROCESS, args: '["status"]' }, ['args']],
    ['args that are not strings', { ...PROCESS, args: ['a', 1, null, ['b']] }, ['args[1]', 'args[2]', 'args[3]']],
    ['a NUL in an argument', { ...PROCESS, args: ['a\0b'] }, ['args[0]']],
    ['half a surrogate pair', { ...PROCESS, args: ['ok', '\ud800'] }, ['args[1]']],
    ['a NUL in the command', { command: 'a\0b' }, ['command']],
    ['stdin in shell mode', { command: 'cat', stdin: 'x' }, ['stdin']],
    ['stdin that is not text', { ...PROCESS, stdin: 5 }, ['stdin']],
    ['stdin with half a surrogate pair', { ...PROCESS, stdin: '\udc00' }, ['stdin']],
    ['a timeout of zero', { ...PROCESS, timeout: 0 }, ['timeout']],
    ['a timeout that is text', { ...PROCESS, timeout: '5' }, ['timeout']],
    ['an empty workdir', { ...PROCESS, workdir: '' }, ['workdir']],
    ['background', { command: 'x', background: true }, ['background']],
    ['pty', { ...PROCESS, pty: true }, ['pty']],
    ['env', { ...PROCESS, env: {} }, ['env']],
    ['cwd', { ...PROCESS, cwd: '/' }, ['cwd']],
    ['a misspelt key', { ...PROCESS, tiemout: 5 }, ['tiemout']],
    ['a polluted key', JSON.parse('{"command":"x","__proto__":{"mode":"process"}}'), ['__proto__']],
    [
      'many problems at once',
      { mode: 'process', program: 7, args: [1], stdin: false, timeout: -1, zzz: 1 },
      ['args[0]', 'program', 'stdin', 'timeout', 'zzz'],
    ],
  ])('%s', (_, value, paths) => {
    expect(
      issuesOf(value)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(paths);
  });

  test('stdin over the limit, naming both sizes', () => {
    const stdin = 'x'.repeat(1024 * 1024 + 1);
    expect(issuesOf({ ...PROCESS, stdin })).toEqual([
      { path: 'stdin', message: 'has 1048577 bytes, the limit is 1048576' },
    ]);
    expect(() => parseRequest({ ...PROCESS, stdin: '12345' }, { stdinBytes: 4 })).toThrow(RequestError);
    expect(parseRequest({ ...PROCESS, stdin: stdin.slice(1) })).toMatchObject({ stdin: { bytes: 1048576 } });
  });

  test('an unknown key gets the nearest name', () => {
    expect(issuesOf({ ...PROCESS, tiemout: 5 })[0]?.message).toContain('timeout');
    expect(issuesOf({ ...PROCESS, cwd: '/' })[0]?.message).toContain('workdir');
  });

  test('before permission is looked at and before any process', async () => {
    const seen: string[] = [];
    const executor = makeExecutor({
      policy: { rules: [] },
      ask: () => (seen.push('ask'), 'allow'),
      audit: { record: () => void seen.push('audit') },
      hooks: { after: () => void seen.push('after') },
    });
    for (const value of [{ ...PROCESS, command: 'x' }, { mode: 'x' }, { command: 'cat', stdin: 'x' }]) {
      await expect(executor.run(value)).rejects.toThrow(RequestError);
      await expect(executor.background.start(value)).rejects.toThrow(RequestError);
    }
    expect(seen).toEqual([]);
  });
});

test.each<[string, object, RegExp]>([
  ['a hook with a misspelt name', { hooks: { befor: () => undefined } }, /hooks\.befor .* did you mean before/],
  ['an option that does not exist', { onAsk: () => 'allow' }, /onAsk is not a known option/],
  ['ask that is no function', { ask: 'allow' }, /ask must be a function/],
  ['a setting of the core that is decided here', { run: { stdin: 'inherit' } }, /run\.stdin is not a known option/],
  [
    'limits out of range',
    { limits: { timeout: 0, stdinBytes: -1 } },
    /stdinBytes must be 0 or more; limits.timeout must/,
  ],
])('an executor is not made with %s', (_, options, message) => {
  const make = (): unknown => createExecutor({ policy: { rules: [] }, ...options });
  expect(make).toThrow(TypeError);
  expect(make).toThrow(message);
});

describe('the JSON Schema', () => {
  const accepts = (schema: object, value: unknown): boolean => new Ajv2020().compile(schema)(value);
  const VALID = [
    { command: 'git status' },
    { mode: 'shell', command: 'a', workdir: '/', timeout: 5 },
    { mode: 'process', program: 'git', args: [] },
    { mode: 'process', program: 'git', args: ['a b'], stdin: '', workdir: 'x', timeout: 1 },
  ];

  test.each([{ flat: true }, { flat: false }])(
    '%j is an object without oneOf at the top that accepts what is accepted',
    (options) => {
      const schema = requestJsonSchema(options);
      expect(schema).toMatchObject({ type: 'object' });
      expect(schema).not.toHaveProperty('oneOf');
      for (const value of VALID) expect([value, accepts(schema, value)]).toEqual([value, true]);
      for (const value of [
        { ...PROCESS, args: '[]' },
        { command: 1 },
        { ...PROCESS, zzz: 1 },
        { ...PROCESS, timeout: 0 },
      ]) {
        expect([value, accepts(schema, value)]).toEqual([value, false]);
      }
    },
  );

  test('the flat one has no alternatives anywhere', () => {
    expect(JSON.stringify(requestJsonSchema({ flat: true }))).not.toMatch(/"(oneOf|anyOf|allOf)"/);
    expect(requestJsonSchema({ flat: true })).not.toHaveProperty('required');
  });

  test('tells a model to prefer process mode for a single program (000, criterion 9)', () => {
    for (const flat of [true, false]) {
      const text = JSON.stringify(requestJsonSchema({ flat }));
      expect(text).toContain('For a single program use process mode');
      expect(text).toContain('Use it only when shell grammar is needed');
    }
  });

  test('says that neither mode is a sandbox and that interpreters stay powerful (000, criterion 10)', () => {
    for (const flat of [true, false]) {
      const text = JSON.stringify(requestJsonSchema({ flat }));
      expect(text).toContain('Neither mode is a sandbox');
      expect(text).toMatch(/interpreters .* and wrappers .* still run/);
    }
  });

  test('advertises argv only where no shell parses it (001, suggested change 1)', () => {
    const ssh = makeExecutor({ backend: sshBackend({ host: 'h' }) }).requestJsonSchema({ flat: true });
    expect(ssh['properties']).not.toHaveProperty('program');
    expect(ssh['properties']).not.toHaveProperty('stdin');
    expect(JSON.stringify(makeExecutor({ backend: sshBackend({ host: 'h' }) }).requestJsonSchema())).not.toContain(
      '"program"',
    );
    const docker = makeExecutor({ backend: prefixBackend({ engine: 'docker', target: 'c' }) });
    expect(docker.requestJsonSchema({ flat: true })['properties']).toHaveProperty('program');
    const quoted = makeExecutor({ backend: sshQuotedBackend({ host: 'h' }) }).requestJsonSchema();
    expect(quoted['description']).toContain('the far side always has a shell');
  });
});
