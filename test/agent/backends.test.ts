// The contract of back ends: what a back end declares is what is true there (001, suggested changes 1 and 2). local, bwrap,
// chroot, nsenter and an OpenSSH server run for real. docker, podman and kubectl are stood in for by a program that
// prints the argv it gets and runs nothing: for them this suite shows what they would be asked to do, and no more.

import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localBackend, prefixBackend, sshBackend, sshQuotedBackend } from '../../lib/agent.ts';
import type { Backend, EngineName, Executor, ExecutorOptions, Rule } from '../../lib/agent.ts';
import { platform } from '../../lib/index.ts';

import { CHILD, findFixture, fromHexLines, readArgs } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { findByCommand } from '../helpers/processes.ts';
import { until } from '../helpers/until.ts';
import { ARGUMENTS } from '../helpers/vectors.ts';
import { makeRoot, startSshServer } from './far-sides.ts';
import type { SshServer } from './far-sides.ts';
import { failureOf, makeExecutor } from './support.ts';

const folder = makeFolder();
/** The rows of the matrix that are text: an agent's request has no bytes. */
const TEXTS = ARGUMENTS.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));

let root = '';
let ssh: SshServer | undefined;

beforeAll(async () => {
  root = makeRoot(folder);
  ssh = await startSshServer(folder);
});
afterAll(() => ssh?.stop());

interface Side {
  /** The fixture program as the far side knows it. */
  readonly child: string;
  make(): Backend;
}

const REAL: Readonly<Record<string, Side>> = {
  local: { child: CHILD, make: () => localBackend() },
  bwrap: { child: CHILD, make: () => prefixBackend({ engine: 'bwrap', options: ['--dev-bind', '/', '/'] }) },
  chroot: { child: '/fixture/child', make: () => prefixBackend({ engine: 'chroot', target: root }) },
  nsenter: {
    child: CHILD,
    make: () => prefixBackend({ engine: 'nsenter', options: ['--target', String(process.pid), '--mount'] }),
  },
  ssh: { child: CHILD, make: () => sshBackend(sshOptions()) },
  'ssh-quoted': { child: CHILD, make: () => sshQuotedBackend(sshOptions()) },
};

/** The login shell is that of this account: the server is on this machine. */
function sshOptions(): { host: string; options: readonly string[]; loginShell: { path: string } } {
  if (ssh === undefined) throw new Error('the server has not been started');
  return { host: ssh.host, options: ssh.options, loginShell: { path: userInfo().shell ?? '/bin/sh' } };
}

describe.each(Object.keys(REAL))('on %s', (name) => {
  const side = REAL[name];
  if (side === undefined) throw new Error(`no side ${name}`);
  const { child } = side;
  const executor = (options: Partial<ExecutorOptions> = {}): Executor =>
    makeExecutor({ backend: side.make(), ...options });
  const process_ = (program: string, args: readonly string[] = [], extra: object = {}): object => ({
    mode: 'process',
    program,
    args,
    ...extra,
  });
  const takesArgv = (): boolean => {
    const { argv, quotedArgv } = side.make().capabilities;
    return argv || quotedArgv;
  };

  test('argv: every row of the matrix arrives unchanged, or process mode is refused before anything starts', async () => {
    const request = process_(child, ['args', ...TEXTS]);
    if (!takesArgv()) {
      const error = await failureOf(executor().run(request));
      expect(error).toMatchObject({ name: 'RequestError', issues: [{ path: 'mode' }] });
      return;
    }
    const result = await executor().run(request);
    expect([result.stderr, result.code]).toEqual(['', 0]);
    expect(readArgs(result.stdout).map(String)).toEqual(TEXTS);
  });

  test('argv: what is advertised as such has no shell between', () => {
    const backend = side.make();
    const argv = ["it's", '$HOME', 'a b'];
    if (!takesArgv()) {
      expect(backend.capabilities).toMatchObject({ argv: false, quotedArgv: false, shell: true });
      return;
    }
    const command = backend.prepare({
      mode: 'process',
      argv: ['tool', ...argv],
      workdir: null,
      extendEnv: {},
      stdin: false,
    });
    const whole = command.argv.slice(-4);
    if (backend.capabilities.argv) expect(whole).toEqual(['tool', ...argv]);
    else expect(command.argv.at(-1)).toBe(`exec tool 'it'"'"'s' '$HOME' 'a b'`);
    expect(backend.capabilities.argv && backend.capabilities.quotedArgv).toBe(false);
    expect(command.argv).not.toContain('-c');
  });

  test('shell: a command line is run by a shell of the far side', async () => {
    const result = await executor().run({ command: `printf '%s|' "a b" $((1+1)) | cat` });
    expect([result.stdout, result.stderr, result.code]).toEqual(['a b|2|', '', 0]);
  });

  test('exit status: the code is that of the program', async () => {
    expect((await executor().run({ command: 'exit 42' })).code).toBe(42);
    if (takesArgv()) expect((await executor().run(process_(child, ['exit', '9']))).code).toBe(9);
  });

  test('stdin: literal text arrives whole; without it there is end of file', async () => {
    expect((await executor().run({ command: 'cat', timeout: 20_000 })).stdout).toBe('');
    if (!takesArgv()) return;
    const stdin = 'l1\nh\u00e9\0\u{1f600}'.repeat(20_000);
    expect((await executor().run(process_('cat', [], { stdin }))).stdout).toBe(stdin);
    expect((await executor().run(process_('cat', [], { stdin: '' }))).stdout).toBe('');
    expect((await executor().run(process_('cat', [], { timeout: 20_000 }))).stdout).toBe('');
  });

  test('workdir: used where it is declared, refused where it is not', async () => {
    const request = { command: 'pwd', workdir: '/usr' };
    if (side.make().capabilities.workdir) {
      expect((await executor().run(request)).stdout).toBe('/usr\n');
      const missing = executor().run({ command: 'echo ran', workdir: "/no/such/fo'lder" });
      const outcome = await missing.then(
        ({ code, stdout }) => ({ code, stdout }),
        (error: unknown) => ({ code: (error as { code: unknown }).code, stdout: '' }),
      );
      expect(outcome.code).not.toBe(0);
      expect(outcome.stdout).toBe('');
    } else {
      await expect(executor().run(request)).rejects.toMatchObject({ issues: [{ path: 'workdir' }] });
    }
  });

  test('env: additions arrive where it is declared, and are refused where it is not', async () => {
    const shellEnv = (): { RECORDED: string } => ({ RECORDED: "it's $HOME" });
    const request = { command: 'printf %s "$RECORDED"' };
    if (side.make().capabilities.env) {
      expect((await executor({ shellEnv }).run(request)).stdout).toBe("it's $HOME");
    } else {
      await expect(executor({ shellEnv }).run(request)).rejects.toMatchObject({ step: 'shellEnv' });
    }
  });

  test('treeEnd: after a timeout the call is over, and what is declared gone is gone', async () => {
    const marker = `8${Object.keys(REAL).indexOf(name)}.25`;
    const result = await executor().run({ command: `sleep ${marker} & sleep ${marker}; echo late`, timeout: 1000 });
    expect(result).toMatchObject({ reason: 'timeout', stdout: '' });
    const { treeEnd } = side.make().capabilities;
    const left = findByCommand(`sleep\0${marker}`);
    if (treeEnd === 'none') for (const pid of left) process.kill(pid, 'SIGKILL');
    else await until('the tree is gone', () => findByCommand(`sleep\0${marker}`).length === 0);
  });

  test('background: offered where the far side can be ended, refused where not', async () => {
    const { background } = executor();
    const marker = `9${Object.keys(REAL).indexOf(name)}.5`;
    const start = background.start({ command: `echo up; sleep ${marker}` });
    if (!side.make().capabilities.background) {
      await expect(start).rejects.toMatchObject({ name: 'RequestError' });
      return;
    }
    const { id } = await start;
    await until('it writes', () => background.read(id, { stdout: 0 }).stdout.text === 'up\n');
    expect(await background.stop(id)).toMatchObject({ state: 'ended', status: { reason: 'stop' } });
    await until('it is gone', () => findByCommand(`sleep\0${marker}`).length === 0);
  });

  test('permission is about the call, not about the words of the engine', async () => {
    const rules = [{ effect: 'deny' as const, text: 'echo forbidden *' }];
    const denied = executor({ policy: { rules, otherwise: 'allow' } });
    await expect(denied.run({ command: 'echo forbidden words' })).rejects.toMatchObject({ name: 'PermissionError' });
    expect((await denied.run({ command: 'echo fine' })).stdout).toBe('fine\n');
  });
});

describe.each<[EngineName, readonly string[], readonly string[], readonly string[]]>([
  ['docker', ['exec'], ['--interactive'], ['--workdir', '/w', '--env', 'RECORDED']],
  ['podman', ['exec'], ['--interactive'], ['--workdir', '/w', '--env', 'RECORDED']],
  ['kubectl', ['exec'], ['--stdin'], []],
])('the argv that %s would get (a stand-in prints it)', (engine, verb, interactive, additions) => {
  const options = ['--context', 'c 1'];
  const make = (): Backend => prefixBackend({ engine, target: 'box', options, program: findFixture('recorder') });
  const end = engine === 'kubectl' ? ['box', '--'] : ['box'];
  const record = async (
    request: object,
    more: Partial<ExecutorOptions> = {},
  ): Promise<{ argv: string[]; stdin: string; env: string }> => {
    const { stdout } = await makeExecutor({ backend: make(), ...more }).run(request);
    const [args = '', rest = ''] = stdout.split('stdin ');
    const [stdin = '', env = ''] = rest.split('\nenv ');
    return {
      argv: fromHexLines(args).slice(1).map(String),
      stdin: Buffer.from(stdin, 'hex').toString(),
      env: env.trimEnd(),
    };
  };

  test('every row of the matrix is an argument of its own, behind the prefix', async () => {
    const { argv, stdin } = await record({ mode: 'process', program: 'tool', args: TEXTS });
    expect(argv).toEqual([...verb, ...options, ...end, 'tool', ...TEXTS]);
    expect(stdin).toBe('');
  });

  test('stdin is asked for only when there is some', async () => {
    const request = { mode: 'process', program: 'tool', args: [], stdin: 'some' };
    expect(await record(request)).toMatchObject({
      argv: [...verb, ...options, ...interactive, ...end, 'tool'],
      stdin: 'some',
    });
  });

  test('shell mode names a shell of the far side', async () => {
    const { argv } = await record({ command: 'a | b' });
    expect(argv).toEqual([...verb, ...options, ...end, '/bin/sh', '-c', 'a | b']);
  });

  test('folder and variables are passed where the engine has a way, values never in the argv', async () => {
    const request = { mode: 'process', program: 'tool', args: [], workdir: '/w' };
    const shellEnv = (): { RECORDED: string } => ({ RECORDED: 'secret value' });
    if (additions.length === 0) {
      await expect(record(request)).rejects.toMatchObject({ issues: [{ path: 'workdir' }] });
      await expect(record({ command: 'x' }, { shellEnv })).rejects.toMatchObject({ step: 'shellEnv' });
      return;
    }
    const { argv, env } = await record(request, { shellEnv });
    expect(argv).toEqual([...verb, ...options, ...additions, ...end, 'tool']);
    expect(env).toBe('secret value');
  });

  test('what would be read as an option is refused', async () => {
    await expect(record({ mode: 'process', program: '--privileged', args: [] })).rejects.toThrow(TypeError);
    expect(() => prefixBackend({ engine, target: '-v' })).toThrow(TypeError);
  });

  test('it does not claim to end what runs on the far side', async () => {
    expect(make().capabilities).toMatchObject({ argv: true, treeEnd: 'none', background: false });
    await expect(makeExecutor({ backend: make() }).background.start({ command: 'x' })).rejects.toMatchObject({
      name: 'RequestError',
    });
  });
});

describe('the local spawn path (001, suggested change 2)', () => {
  const local = makeExecutor();

  test('starts the program in a session of its own, without code between fork and exec', async () => {
    const { stdout } = await local.run({ mode: 'process', program: CHILD, args: ['session'] });
    const [, pid, , session] = /pid (\d+) pgid (\d+) sid (\d+)/.exec(stdout) ?? [];
    expect(Number(session)).toBeGreaterThan(0);
    expect(stdout).toMatch(/tty (?!opens)/);
    // posix_spawn with POSIX_SPAWN_SETSID: the engine says how it starts programs.
    expect(platform.engine).toBe('posix_spawn');
    if (platform.tree !== 'tree') expect(session).toBe(pid);
  });

  test('has signals, descriptors and environment as a fresh program has them', async () => {
    const run = async (word: string): Promise<string> =>
      (await local.run({ mode: 'process', program: CHILD, args: [word] })).stdout;
    expect(await run('signals')).toMatch(/SigBlk:\t0+\nSigIgn:\t0+\n/);
    expect((await run('fds')).trim().split('\n').length).toBeLessThanOrEqual(4);
  });
});

test('a login shell that is not known: command lines are allowed by a structured rule or not at all', async () => {
  const { host, options } = sshOptions();
  const ask = (rules: readonly Rule[]): Promise<unknown> =>
    makeExecutor({ backend: sshBackend({ host, options }), policy: { rules } }).run({ command: 'echo fine' });
  await expect(ask([{ effect: 'allow', text: 'echo *' }])).rejects.toMatchObject({ name: 'PermissionError' });
  expect(await ask([{ effect: 'allow', command: 'echo fine' }])).toMatchObject({ stdout: 'fine\n' });
});

test('an engine that does not exist, and a target where none belongs, are refused', () => {
  expect(() => prefixBackend({ engine: 'lxc' as EngineName })).toThrow(/engine must be one of/);
  expect(() => prefixBackend({ engine: 'bwrap', target: 'x' })).toThrow(/target is not for bwrap/);
  expect(() => prefixBackend({ engine: 'docker' })).toThrow(/target must be/);
  expect(() => sshBackend({ host: '-oProxyCommand=x' })).toThrow(/host must be/);
});
