// One lifecycle: every item holds in process mode and in shell mode alike (000, criterion 7).

import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { localBackend, PermissionError, preview, ProgramChangedError, StepError } from '../../lib/agent.ts';
import type { Outcome, Rule } from '../../lib/agent.ts';
import { platform } from '../../lib/index.ts';
import { createShellRegistry, getDefaultShell } from '../../lib/shell.ts';
import { CHILD, readArgs } from '../helpers/child.ts';
import { makeFolder, writeProgram } from '../helpers/folder.ts';
import { findByCommand, isAlive } from '../helpers/processes.ts';
import { until } from '../helpers/until.ts';
import { failureOf, inMode, makeExecutor, MODES } from './support.ts';

const folder = realpathSync(makeFolder());

describe.each(MODES)('%s mode', (mode) => {
  const call = (words: readonly [string, ...string[]], extra: object = {}): object => inMode(mode, words, extra);

  test('collection and exit status: output and code are those of the program', async () => {
    const result = await makeExecutor().run(call([CHILD, 'args', 'a', 'b']));
    expect(readArgs(result.stdout).map(String)).toEqual(['a', 'b']);
    expect(result).toMatchObject({ ok: true, reason: 'exit', code: 0, signal: null, stderr: '' });
    expect(await makeExecutor().run(call([CHILD, 'exit', '7']))).toMatchObject({ ok: false, reason: 'exit', code: 7 });
  });

  test('exit status: a signal is a signal', async () => {
    expect(await makeExecutor().run(call([CHILD, 'kill-self', '15']))).toMatchObject(
      // A shell that does not replace itself reports 128 + n.
      mode === 'process' ? { reason: 'signal', signal: 'SIGTERM' } : { ok: false },
    );
  });

  test('workdir: given, relative to the base, and the default', async () => {
    mkdirSync(join(folder, 'sub'), { recursive: true });
    const executor = makeExecutor({ workdir: folder });
    expect((await executor.run(call(['pwd']))).stdout).toBe(`${folder}\n`);
    expect((await executor.run(call(['pwd'], { workdir: 'sub' }))).stdout).toBe(`${folder}/sub\n`);
    expect((await executor.run(call(['pwd'], { workdir: '/' }))).stdout).toBe('/\n');
  });

  test.each([
    ['missing', 'ENOENT'],
    ['file', 'ENOTDIR'],
  ])('workdir: a %s one is the same error, before anyone is asked', async (name, code) => {
    writeFileSync(join(folder, 'file'), '');
    const ask = vi.fn(() => 'allow' as const);
    const executor = makeExecutor({ policy: { rules: [] }, ask });
    const error = await failureOf(executor.run(call(['pwd'], { workdir: join(folder, name) })));
    expect(error).toMatchObject({ name: 'SpawnError', stage: 'cwd', code, path: join(folder, name) });
    expect(ask).not.toHaveBeenCalled();
  });

  test('workdir recovery: off by default, and stated when it is used (001, suggested change 2)', async () => {
    const gone = join(folder, 'gone', 'deeper');
    const executor = makeExecutor({ recoverWorkdir: true });
    const result = await executor.run(call(['pwd'], { workdir: gone }));
    expect(result.stdout).toBe(`${folder}\n`);
    expect(result.plan.workdir).toEqual({ asked: gone, used: folder, recovered: true });
    expect((await executor.run(call(['pwd'], { workdir: folder }))).plan.workdir.recovered).toBe(false);
    await expect(makeExecutor().run(call(['pwd'], { workdir: gone }))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('environment: the complete one, and what shellEnv adds and removes', async () => {
    const shellEnv = vi.fn(() => ({ ADDED: 'yes', REMOVED: undefined }));
    const env = { PATH: process.env['PATH'], REMOVED: 'no', KEPT: 'kept' };
    const result = await makeExecutor({ env, shellEnv }).run(call(['env']));
    expect(
      result.stdout
        .split('\n')
        .filter((line) => /^(ADDED|REMOVED|KEPT)=/.test(line))
        .sort(),
    ).toEqual(['ADDED=yes', 'KEPT=kept']);
    expect(shellEnv).toHaveBeenCalledWith({ mode, backend: 'local', workdir: process.cwd() });
    expect(result.plan.envNames).toEqual(['ADDED', 'REMOVED']);
  });

  test('environment: a shellEnv that fails ends the call by name', async () => {
    const shellEnv = (): never => {
      throw new Error('vault closed');
    };
    await expect(makeExecutor({ shellEnv }).run(call(['true']))).rejects.toMatchObject({
      name: 'StepError',
      step: 'shellEnv',
      cause: { message: 'vault closed' },
    });
  });

  test('hooks: before sees the request and may replace it; permission is about the replacement', async () => {
    const rules: Rule[] = [{ effect: 'deny', text: 'echo evil *' }];
    const executor = makeExecutor({
      policy: { rules, otherwise: 'allow' },
      hooks: { before: (request) => (JSON.stringify(request).includes('change') ? call(['echo', 'evil']) : undefined) },
    });
    expect((await executor.run(call(['echo', 'fine']))).stdout).toBe('fine\n');
    await expect(executor.run(call(['echo', 'change']))).rejects.toThrow(PermissionError);
  });

  test('hooks: a replacement is checked like a request', async () => {
    const executor = makeExecutor({ hooks: { before: () => ({ command: 'x', argv: ['y'] }) } });
    await expect(executor.run(call(['true']))).rejects.toMatchObject({ name: 'RequestError' });
  });

  test('hooks: after sees the result, and the error', async () => {
    const seen: Outcome[] = [];
    const rules: Rule[] = [{ effect: 'deny', text: 'false *' }];
    const policy = { rules, otherwise: 'allow' as const };
    const executor = makeExecutor({ policy, hooks: { after: (outcome) => void seen.push(outcome) } });
    await executor.run(call(['true']));
    await failureOf(executor.run(call(['false'])));
    expect(seen).toHaveLength(2);
    expect(seen[0]).toMatchObject({ plan: { mode }, result: { code: 0 } });
    expect(seen[1]).toMatchObject({ plan: { mode }, error: { name: 'PermissionError' } });
  });

  test('hooks: one that fails is an error with the result kept', async () => {
    const after = (): never => {
      throw new Error('hook broke');
    };
    const error = await failureOf(makeExecutor({ hooks: { after } }).run(call(['echo', 'done'])));
    expect(error).toBeInstanceOf(StepError);
    expect(error).toMatchObject({ step: 'after', result: { stdout: 'done\n' } });
  });

  test('permission: allow, deny, ask answered and ask with nobody to answer (000, criterion 4)', async () => {
    const rules: Rule[] = [
      { effect: 'allow', text: 'true *' },
      { effect: 'deny', text: 'touch *' },
    ];
    const file = join(folder, 'touched');
    const ask = vi.fn(() => 'allow' as const);
    expect((await makeExecutor({ policy: { rules } }).run(call(['true']))).permission).toMatchObject({
      decision: { effect: 'allow', rule: 0 },
      answer: null,
    });
    const denied = await failureOf(makeExecutor({ policy: { rules }, ask }).run(call(['touch', file])));
    expect(denied).toBeInstanceOf(PermissionError);
    expect(denied).toMatchObject({ code: 'ERR_PERMISSION', decision: { effect: 'deny', rule: 1 }, plan: { mode } });
    expect(ask).not.toHaveBeenCalled();

    const asked = await makeExecutor({ policy: { rules }, ask }).run(call(['echo', 'x']));
    expect(asked.permission).toMatchObject({ decision: { effect: 'ask' }, answer: 'allow' });
    expect(ask).toHaveBeenCalledOnce();
    expect(String(ask.mock.calls[0]?.[0 as never]?.['preview' as never]?.['line' as never])).toBe('echo x');
    await expect(makeExecutor({ policy: { rules } }).run(call(['echo', 'x']))).rejects.toThrow(/nobody to ask/);
    await expect(makeExecutor({ policy: { rules }, ask: () => 'deny' }).run(call(['echo', 'x']))).rejects.toThrow(
      /denied when asked/,
    );
    expect(() => readFileSync(file)).toThrow();
  });

  test('permission: an answer that is not allow is a refusal', async () => {
    const ask = (): never => 'yes' as never;
    await expect(makeExecutor({ policy: { rules: [] }, ask }).run(call(['true']))).rejects.toThrow(PermissionError);
  });

  test('external directories: exact tokens outside the roots are asked about', async () => {
    mkdirSync(join(folder, 'root'), { recursive: true });
    const workdir = join(folder, 'root');
    const executor = makeExecutor({ policy: { rules: [], otherwise: 'allow', roots: [workdir] }, workdir });
    await executor.run(call(['echo', 'inside/file', './x', '--flag=sub/y']));
    for (const word of ['/etc/passwd', '../x', '--file=/etc/passwd', 'a/../../y', '..', '-I/usr/include']) {
      const error = await failureOf(executor.run(call(['echo', word])));
      expect([word, error.name]).toEqual([word, 'PermissionError']);
    }
    await expect(executor.run(call(['echo', 'x'], { workdir: '/' }))).rejects.toThrow(/outside the allowed folders/);
    const deny = makeExecutor({
      policy: { rules: [], otherwise: 'allow', roots: [workdir], outside: 'deny' },
      workdir,
    });
    await expect(deny.run(call(['echo', '/etc']))).rejects.toMatchObject({ decision: { effect: 'deny' } });
  });

  test('external directories: a link that leads outside is outside', async () => {
    const root = join(folder, `linked-${mode}`);
    mkdirSync(root);
    await makeExecutor().run(call(['ln', '-s', '/etc', join(root, 'out')]));
    const executor = makeExecutor({ policy: { rules: [], otherwise: 'allow', roots: [root] }, workdir: root });
    await expect(executor.run(call(['echo', 'out/passwd']))).rejects.toThrow(PermissionError);
  });

  test('timeout: the output so far is kept and the tree is gone', async () => {
    const marker = `tree-of-${mode}`;
    const result = await makeExecutor().run(call([CHILD, 'tree', '4', marker], { timeout: 700 }));
    expect(result).toMatchObject({ ok: false, reason: 'timeout', timedOut: true });
    expect(result.stdout).toContain('grown');
    // Half of that tree leaves its process group. What a machine without a keeper cannot end is listed, not lost.
    const survivors = result.leftovers.filter(({ fate }) => fate === 'survived');
    if (platform.tree === 'tree') expect(survivors).toEqual([]);
    for (const { pid, why } of survivors) {
      expect(why).toBe('left-group');
      process.kill(pid, 'SIGKILL');
    }
    await until('the listed ones are gone', () => survivors.every(({ pid }) => !isAlive(pid)));
    expect(findByCommand(marker)).toEqual([]);
  });

  test('timeout: the host has a default and an upper bound', async () => {
    const limits = { timeout: 40, maxTimeout: 60 };
    const plans = makeExecutor({ limits });
    expect((await plans.plan(call(['true']))).command.timeoutMs).toBe(40);
    expect((await plans.plan(call(['true'], { timeout: 50 }))).command.timeoutMs).toBe(50);
    expect((await plans.plan(call(['true'], { timeout: 5000 }))).command.timeoutMs).toBe(60);
  });

  test('abort: before the start, while asked, and while it runs', async () => {
    const marker = `300.${mode === 'process' ? 1 : 2}7`;
    const before = AbortSignal.abort(new Error('too late'));
    await expect(makeExecutor().run(call(['true']), { signal: before })).rejects.toMatchObject({
      name: 'AbortError',
      cause: { message: 'too late' },
    });
    const asking = new AbortController();
    const ask = (): 'allow' => (asking.abort(), 'allow');
    const asked = makeExecutor({ policy: { rules: [] }, ask });
    await expect(asked.run(call(['true']), { signal: asking.signal })).rejects.toMatchObject({ name: 'AbortError' });

    const running = new AbortController();
    const promise = failureOf(makeExecutor().run(call(['sleep', marker]), { signal: running.signal }));
    await until('it sleeps', () => findByCommand(marker).length > 0);
    running.abort(new Error('enough'));
    expect(await promise).toMatchObject({
      name: 'AbortError',
      cause: { message: 'enough' },
      result: { aborted: true },
    });
    expect(findByCommand(marker)).toEqual([]);
  });

  test('truncation: the ends are kept and the rest is counted', async () => {
    const result = await makeExecutor({ run: { maxBuffer: 1000 } }).run(call([CHILD, 'flood', '1000000']));
    expect(result.capture.stdout).toMatchObject({ bytes: 1_000_000, kept: 1000, omitted: 999_000, truncated: true });
    expect(result.code).toBe(0);
  });

  test('error reporting: a program that does not exist', async () => {
    const promise = makeExecutor().run(call(['no-such-program-here']));
    if (mode === 'process') {
      await expect(promise).rejects.toMatchObject({ name: 'SpawnError', code: 'ENOENT', stage: 'resolve' });
    } else {
      expect(await promise).toMatchObject({ code: 127, stderr: expect.stringContaining('no-such-program-here') });
    }
  });

  test('metadata: request, plan and permission are in the result', async () => {
    const result = await makeExecutor().run(call(['echo', 'x'], { workdir: '/', timeout: 5000 }));
    expect(result).toMatchObject({
      request: { mode, workdir: '/', timeout: 5000 },
      plan: {
        mode,
        backend: { name: 'local', capabilities: { argv: true } },
        workdir: { used: '/', recovered: false },
      },
      permission: { decision: { effect: 'allow', rule: null }, answer: null },
    });
    expect(String(preview(result.plan).line)).toBe('echo x');
    expect(Object.isFrozen(result)).toBe(true);
  });

  test('a plan that was shown is the plan that runs', async () => {
    const executor = makeExecutor();
    const plan = await executor.plan(call(['echo', 'planned']));
    expect(Object.isFrozen(plan) && Object.isFrozen(plan.command)).toBe(true);
    const result = await executor.run(plan);
    expect(result.plan).toBe(plan);
    expect(result.stdout).toBe('planned\n');
  });

  test('a plan of another executor, with another policy, is not accepted', async () => {
    const plan = await makeExecutor().plan(call(['true']));
    await expect(makeExecutor().run(plan)).rejects.toMatchObject({ name: 'RequestError' });
  });
});

describe('shell mode alone', () => {
  const one = (executor: ReturnType<typeof makeExecutor>, command: string): Promise<{ stdout: string }> =>
    executor.run({ command });
  // Each shell says who it is in its own way.
  const who = 'echo ${BASH_VERSION:+bash}${ZSH_VERSION:+zsh}${YASH_VERSION:+yash}';

  test('the shell is one of the catalog: the default, an id, a path, or of a catalog of its own', async () => {
    expect((await makeExecutor().plan({ command: 'x' })).shell).toEqual(getDefaultShell());
    expect(await one(makeExecutor({ backend: localBackend({ shell: 'bash' }) }), who)).toMatchObject({
      stdout: 'bash\n',
      argv: ['/bin/bash', '-c', who],
      plan: { shell: { id: 'bash' }, scan: { execution_semantics: { shell_id: 'bash' } } },
    });
    expect((await one(makeExecutor({ backend: localBackend({ shell: '/usr/bin/yash' }) }), who)).stdout).toBe('yash\n');
    const shells = createShellRegistry();
    shells.setDefaultShell('zsh');
    expect((await one(makeExecutor({ backend: localBackend({ shells }) }), who)).stdout).toBe('zsh\n');
    await expect(one(makeExecutor({ backend: localBackend({ shell: 'nope' }) }), who)).rejects.toMatchObject({
      name: 'ShellError',
      code: 'ERR_SHELL_UNKNOWN',
    });
  });

  test('rules read a line as the shell that will run it', async () => {
    const policy = { rules: [{ effect: 'allow' as const, text: 'echo *' }] };
    const at = (shell: string): ReturnType<typeof makeExecutor> =>
      makeExecutor({ policy, backend: localBackend({ shell }) });
    expect((await one(at('bash'), 'echo a |& echo b')).stdout).toBe('b\n');
    await expect(one(at('dash'), 'echo a |& echo b')).rejects.toThrow(PermissionError);
    await expect(one(at('fish'), 'echo a')).rejects.toThrow(PermissionError);
  });

  test('an environment that redefines commands is asked about, at the start as when planned', async () => {
    const rules: Rule[] = [{ effect: 'allow', text: 'echo *' }];
    const backend = localBackend({ shell: 'bash' });
    const evil = { 'BASH_FUNC_echo%%': '() { printf evil; }' };
    const env = { PATH: process.env['PATH'], ...evil };
    await expect(one(makeExecutor({ policy: { rules }, backend, env }), 'echo a')).rejects.toThrow(PermissionError);
    await expect(one(makeExecutor({ policy: { rules }, backend, shellEnv: () => evil }), 'echo a')).rejects.toThrow(
      PermissionError,
    );

    const executor = makeExecutor({ policy: { rules }, backend });
    const plan = await executor.plan({ command: 'echo a' });
    process.env['BASH_FUNC_echo%%'] = evil['BASH_FUNC_echo%%'];
    try {
      await expect(executor.run(plan)).rejects.toMatchObject({ name: 'ScanMismatchError', code: 'ERR_SCAN_MISMATCH' });
    } finally {
      delete process.env['BASH_FUNC_echo%%'];
    }
    expect((await executor.run(plan)).stdout).toBe('a\n');
  });

  test('external directories: what the shell opens, what it hides, and where it goes', async () => {
    const root = join(folder, 'gate');
    mkdirSync(root);
    const policy = { rules: [], otherwise: 'allow' as const, roots: [root] };
    const executor = makeExecutor({ policy, workdir: root, backend: localBackend({ shell: 'bash' }) });
    expect((await executor.run({ command: 'cd . && echo a > out && cat < out 2>/dev/null' })).stdout).toBe('a\n');
    for (const command of [
      'echo x > /etc/never',
      'cat < /etc/passwd',
      "sh -c 'cat /etc/passwd'",
      'cat $HOME',
      'cat ~/x',
      'cd; cat .profile',
      'cd - && ls',
      'echo $(( a[0] ))',
      'env -C /etc ls',
    ]) {
      const error = await failureOf(executor.run({ command }));
      expect([command, error.name]).toEqual([command, 'PermissionError']);
    }
  });
});

describe('process mode alone', () => {
  test('a rule by path is about the file behind its links', async () => {
    const tool = writeProgram(folder, 'real-tool', '#!/bin/sh\necho ran\n');
    const link = join(folder, 'tool-link');
    symlinkSync(tool, link);
    const call = { mode: 'process', program: tool, args: [] };
    const allow: Rule[] = [{ effect: 'allow', program: link }];
    expect((await makeExecutor({ policy: { rules: allow } }).run(call)).stdout).toBe('ran\n');
    const deny: Rule[] = [{ effect: 'deny', program: link }];
    const denying = makeExecutor({ policy: { rules: deny, otherwise: 'allow' } });
    await expect(denying.run(call)).rejects.toThrow(PermissionError);
    await expect(denying.run({ ...call, program: link })).rejects.toThrow(PermissionError);
  });

  test('the file that was looked at is the file that runs, or nothing does', async () => {
    const path = writeProgram(folder, 'tool', '#!/bin/sh\necho one\n');
    const executor = makeExecutor();
    const plan = await executor.plan({ mode: 'process', program: path, args: [] });
    rmSync(path);
    writeProgram(folder, 'tool', '#!/bin/sh\necho two: swapped\n');
    const error = await failureOf(executor.run(plan));
    expect(error).toBeInstanceOf(ProgramChangedError);
    rmSync(path);
    await expect(executor.run(plan)).rejects.toThrow(ProgramChangedError);
  });

  test('argv[0] stays the name that was asked for', async () => {
    const result = await makeExecutor().run({ mode: 'process', program: 'busybox', args: ['echo', 'x'] });
    expect(result.argv).toEqual(['busybox', 'echo', 'x']);
    expect(result.program).toMatch(/^\/.*busybox$/);
  });

  test('a script without an interpreter line is refused, not given to a shell (000, criterion 3)', async () => {
    const path = writeProgram(folder, 'bare', 'echo from a shell\n');
    await expect(makeExecutor().run({ mode: 'process', program: path, args: [] })).rejects.toMatchObject({
      code: 'ENOEXEC',
    });
  });

  test('lookup follows the PATH of the executor, never the working folder (000, criterion 3)', async () => {
    writeProgram(folder, 'only-here', '#!/bin/sh\necho found\n');
    const call = { mode: 'process', program: 'only-here', args: [] };
    await expect(makeExecutor({ workdir: folder }).run(call)).rejects.toMatchObject({ code: 'ENOENT' });
    const env = { PATH: `${folder}:${process.env['PATH']}` };
    expect((await makeExecutor({ env }).run(call)).stdout).toBe('found\n');
  });
});
