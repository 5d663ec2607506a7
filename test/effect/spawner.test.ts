// One suite for the spawner of argv-spawn/effect and for effect's own layer for Node. Where the two differ on purpose the
// test is called DIFFERENCE, and says what each does; lib/effect/README.md has the reasons.

import * as NodeFileSystem from '@effect/platform-node-shared/NodeFileSystem';
import * as NodePath from '@effect/platform-node-shared/NodePath';
import * as NodeChildProcessSpawner from '@effect/platform-node-shared/NodeChildProcessSpawner';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cause, Effect, Exit, Fiber, Layer, PlatformError, Redacted, Scope, Sink, Stream } from 'effect';
import { ChildProcess, ChildProcessSpawner } from 'effect/process';
import { describe, expect, test } from 'vitest';
import { layer } from '../../lib/effect.ts';
import { makeFolder } from '../helpers/folder.ts';
import { findByCommand, isAlive } from '../helpers/processes.ts';
import { uniqueSpan } from '../helpers/span.ts';
import { until } from '../helpers/until.ts';

type Spawner = ChildProcessSpawner.ChildProcessSpawner;
const node = NodeChildProcessSpawner.layer.pipe(Layer.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)));
const ENGINES: readonly (readonly [name: 'ours' | 'node', engine: Layer.Layer<Spawner>])[] = [
  ['ours', layer],
  ['node', node],
];

const folder = makeFolder();
const text = (stream: Stream.Stream<Uint8Array, PlatformError.PlatformError>) =>
  Stream.mkString(Stream.decodeText(stream));
const bytes = (value: string): Uint8Array => Buffer.from(value);
const running = (words: string): number => findByCommand(words.replaceAll(' ', '\0')).length;

/** The error of an effect that has to fail. */
const failure = <A, R>(work: Effect.Effect<A, PlatformError.PlatformError, R>) =>
  Effect.flip(work).pipe(Effect.map(({ reason }) => reason));

describe.each(ENGINES)('%s', (name, engine) => {
  const run = <A, E>(work: Effect.Effect<A, E, Spawner | Scope.Scope>): Promise<A> =>
    Effect.runPromise(Effect.scoped(work).pipe(Effect.provide(engine)));
  const differs = <T>(values: { readonly ours: T; readonly node: T }): T => values[name];

  describe('what a program says', () => {
    test('string, lines, exit code', async () => {
      const spawner = await run(
        Effect.gen(function* () {
          return yield* ChildProcessSpawner.ChildProcessSpawner;
        }),
      );
      const both = ChildProcess.make('sh', ['-c', 'echo one; echo two; echo err >&2; exit 3']);
      expect(await run(spawner.string(both))).toBe('one\ntwo\n');
      expect(await run(spawner.lines(both))).toEqual(['one', 'two']);
      expect((await run(spawner.lines(both, { includeStderr: true }))).sort()).toEqual(['err', 'one', 'two']);
      expect(await run(spawner.exitCode(both))).toBe(3);
    });

    test('arguments arrive exactly', async () => {
      const args = ['', ' two  words ', '$(x)', "it's", '"q"', '*', 'a\nb', '日本語'];
      const script = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
      const handle = ChildProcess.make(process.execPath, ['-e', script, '--', ...args]);
      expect(JSON.parse(await run(Effect.flatMap(handle, ({ stdout }) => text(stdout))))).toEqual(args);
    });

    test('stdout, stderr and both', async () => {
      const command = ChildProcess.make('sh', ['-c', 'echo out; echo err >&2']);
      expect(await run(Effect.flatMap(command, ({ stdout }) => text(stdout)))).toBe('out\n');
      expect(await run(Effect.flatMap(command, ({ stderr }) => text(stderr)))).toBe('err\n');
      expect((await run(Effect.flatMap(command, ({ all }) => text(all)))).split('\n').sort()).toEqual([
        '',
        'err',
        'out',
      ]);
    });

    test('output that is read after the exit code is whole', async () => {
      const command = ChildProcess.make('sh', ['-c', 'echo late; exit 4']);
      const both = Effect.gen(function* () {
        const handle = yield* command;
        return [yield* handle.exitCode, yield* text(handle.stdout)] as const;
      });
      expect(await run(both)).toEqual([4, 'late\n']);
    });

    test('ten megabytes, byte for byte', async () => {
      const command = ChildProcess.make('head', ['-c', '10000000', '/dev/zero']);
      const count = Effect.flatMap(command, ({ stdout }) =>
        Stream.runFold(
          stdout,
          () => 0,
          (sum, chunk) => sum + chunk.length,
        ),
      );
      expect(await run(count)).toBe(10_000_000);
    });

    test('a reader that takes a part is enough', async () => {
      const command = ChildProcess.make('yes', [], { forceKillAfter: '1 second' });
      const some = Effect.flatMap(command, ({ stdout }) => text(Stream.take(stdout, 1)));
      expect((await run(some)).startsWith('y\ny\n')).toBe(true);
    });

    test('a sink gets it', async () => {
      const sizes = Sink.map(
        Sink.reduce(
          () => 0,
          (sum: number, chunk: Uint8Array) => sum + chunk.length,
        ),
        (sum) => bytes(`${sum}`),
      );
      const command = ChildProcess.make('printf', ['12345'], { stdout: sizes });
      expect(await run(Effect.flatMap(command, ({ stdout }) => text(stdout)))).toMatch(/^5/);
    });

    test('ignored outputs are empty', async () => {
      const command = ChildProcess.make('sh', ['-c', 'echo out; echo err >&2'], { stdout: 'ignore', stderr: 'ignore' });
      expect(await run(Effect.flatMap(command, ({ all }) => text(all)))).toBe('');
    });
  });

  describe('stdin', () => {
    test('a stream is written, then closed', async () => {
      const command = ChildProcess.make('cat', [], { stdin: Stream.make(bytes('a'), bytes('b')) });
      expect(await run(Effect.flatMap(command, ({ stdout }) => text(stdout)))).toBe('ab');
    });

    test('the sink of the handle, and what is larger than a pipe', async () => {
      const command = ChildProcess.make('wc', ['-c']);
      const work = Effect.gen(function* () {
        const { stdin, stdout } = yield* command;
        yield* Stream.run(Stream.fromIterable(Array.from({ length: 100 }, () => new Uint8Array(30_000))), stdin);
        return (yield* text(stdout)).trim();
      });
      expect(await run(work)).toBe('3000000');
    });

    test('stays open with endOnDone false', async () => {
      const command = ChildProcess.make('cat', [], {
        stdin: { stream: 'pipe', endOnDone: false },
        forceKillAfter: '1 second',
      });
      const work = Effect.gen(function* () {
        const { stdin, stdout } = yield* command;
        const reader = yield* Effect.forkChild(text(Stream.take(stdout, 2)));
        yield* Stream.run(Stream.make(bytes('first ')), stdin);
        yield* Effect.sleep('50 millis');
        yield* Stream.run(Stream.make(bytes('second')), stdin);
        return yield* Fiber.join(reader);
      });
      expect(await run(work)).toBe('first second');
    });

    test('is empty with ignore', async () => {
      const command = ChildProcess.make('cat', [], { stdin: 'ignore' });
      expect(await run(Effect.flatMap(command, ({ exitCode }) => exitCode))).toBe(0);
    });

    test('a failing source is what the exit code fails with', async () => {
      const broken = PlatformError.badArgument({ module: 'test', method: 'source', description: 'broken' });
      const command = ChildProcess.make('cat', [], {
        stdin: Stream.concat(Stream.make(bytes('x')), Stream.fail(broken)),
      });
      expect(await run(failure(Effect.flatMap(command, ({ exitCode }) => exitCode)))).toMatchObject({
        description: 'broken',
      });
    });

    test('DIFFERENCE a program that stops reading', async () => {
      const command = ChildProcess.make('sh', ['-c', 'exec 0<&-; sleep 0.3; exit 5']);
      const work = Effect.gen(function* () {
        const { stdin, exitCode } = yield* command;
        const chunks = Stream.fromIterable(Array.from({ length: 50 }, () => new Uint8Array(30_000)));
        const fed = yield* Effect.exit(Stream.run(chunks, stdin));
        return [Exit.isSuccess(fed), yield* exitCode] as const;
      });
      expect(await run(work)).toEqual(differs({ ours: [true, 5], node: [false, 5] }));
    });
  });

  describe('where and with what it runs', () => {
    test('cwd', async () => {
      const command = ChildProcess.make('pwd', [], { cwd: folder });
      expect(await run(Effect.flatMap(command, ({ stdout }) => text(stdout)))).toBe(`${folder}\n`);
    });

    test('env replaces, extendEnv extends and removes, Redacted reaches the program', async () => {
      const shown = (options: ChildProcess.CommandOptions) =>
        run(Effect.flatMap(ChildProcess.make('/usr/bin/env', [], options), ({ stdout }) => text(stdout)));
      expect(await shown({ env: { A: '1', B: Redacted.make('secret') } })).toBe('A=1\nB=secret\n');
      process.env['ADAPTER_TEST'] = 'inherited';
      expect(await shown({ extendEnv: true, env: { A: '1' } })).toMatch(/^ADAPTER_TEST=inherited$/m);
      expect(await shown({ extendEnv: true, env: { ADAPTER_TEST: undefined } })).not.toContain('ADAPTER_TEST');
      expect(await shown({})).toContain('ADAPTER_TEST=inherited');
    });

    test('the shell option runs a script, and takes no arguments', async () => {
      const command = ChildProcess.make('echo a | tr a b', [], { shell: true });
      expect(await run(Effect.flatMap(command, ({ stdout }) => text(stdout)))).toBe('b\n');
      const bash = ChildProcess.make('echo $BASH', [], { shell: '/bin/bash' });
      expect(await run(Effect.flatMap(bash, ({ stdout }) => text(stdout)))).toBe('/bin/bash\n');
      expect(await run(failure(ChildProcess.make('echo', ['x'], { shell: true })))).toMatchObject({
        _tag: 'BadArgument',
      });
    });

    test('DIFFERENCE outputs are pipes, not sockets', async () => {
      const command = ChildProcess.make('sh', ['-c', 'readlink /proc/self/fd/1; echo x > /dev/stdout']);
      const shown = await run(Effect.flatMap(command, ({ stdout }) => text(stdout)));
      expect(shown).toMatch(differs({ ours: /^pipe:.*\nx\n$/, node: /^socket:.*\n$/ }));
    });

    test('DIFFERENCE detached: false', async () => {
      const sessionOf = (pid: number): string =>
        readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[3] ?? '';
      const command = ChildProcess.make('sleep', ['600'], { detached: false });
      const session = await run(Effect.map(command, ({ pid }) => sessionOf(pid)));
      expect(session === sessionOf(process.pid)).toBe(differs({ ours: false, node: true }));
    });

    test('DIFFERENCE additional descriptors', async () => {
      const command = ChildProcess.make('sh', ['-c', 'echo three >&3'], { additionalFds: { fd3: { type: 'output' } } });
      const end = await run(Effect.exit(Effect.flatMap(command, ({ getOutputFd }) => text(getOutputFd(3)))));
      if (name === 'node') expect(end).toEqual(Exit.succeed('three\n'));
      else expect(Exit.isFailure(end) && Cause.pretty(end.cause)).toContain('additionalFds (fd3) are not offered');
    });
  });

  describe('errors', () => {
    test('a missing program', async () => {
      const reason = await run(failure(ChildProcess.make('no-such-program', ['x'])));
      expect(reason).toMatchObject({ _tag: 'NotFound', module: 'ChildProcess', method: 'spawn' });
      expect(reason).toHaveProperty('pathOrDescriptor', 'no-such-program x');
      expect(reason.cause).toMatchObject({ code: 'ENOENT' });
    });

    test('a file that may not be executed', async () => {
      const file = join(folder, 'plain');
      writeFileSync(file, '', { mode: 0o644 });
      expect(await run(failure(ChildProcess.make(file)))).toMatchObject({ _tag: 'PermissionDenied' });
    });

    test('DIFFERENCE a missing folder', async () => {
      const reason = await run(failure(ChildProcess.make('true', [], { cwd: '/no/such/folder' })));
      expect(reason).toMatchObject({
        _tag: 'NotFound',
        ...differs({ ours: { module: 'ChildProcess' }, node: { module: 'FileSystem' } }),
      });
    });

    test('a NUL is refused, and redacted values are in no error', async () => {
      for (const command of [
        ChildProcess.make('true', [Redacted.make('sec\0ret')]),
        ChildProcess.make('true', [], { env: { A: Redacted.make('sec\0ret') } }),
      ]) {
        const error = await run(Effect.flip(command));
        expect(error.reason._tag).toBe('BadArgument');
        expect(JSON.stringify(error) + String(error.stack)).not.toMatch(/sec|ret"/);
      }
      const missing = await run(Effect.flip(ChildProcess.make('no-such-program', [Redacted.make('hidden-word')])));
      expect(JSON.stringify([missing, missing.reason.cause, missing.message])).not.toContain('hidden-word');
    });

    test('a signal is a failure of the exit code', async () => {
      const command = ChildProcess.make('sh', ['-c', 'kill -KILL $$']);
      const reason = await run(failure(Effect.flatMap(command, ({ exitCode }) => exitCode)));
      expect(reason.cause).toMatchObject({ message: "Process interrupted due to receipt of signal: 'SIGKILL'" });
    });
  });

  describe('ending', () => {
    test('isRunning, kill, isRunning', async () => {
      const work = Effect.gen(function* () {
        const handle = yield* ChildProcess.make('sleep', ['600']);
        const before = yield* handle.isRunning;
        yield* handle.kill();
        return [handle.pid > 0, before, yield* handle.isRunning, isAlive(handle.pid)] as const;
      });
      expect(await run(work)).toEqual([true, true, false, false]);
    });

    test('another signal, and one that the program outlives until it is forced', async () => {
      const trap = (signal: string) =>
        ChildProcess.make('sh', ['-c', `trap 'exit 9' ${signal}; echo up; while :; do sleep 0.05; done`]);
      const work = Effect.gen(function* () {
        const handle = yield* trap('USR1');
        yield* Stream.runHead(handle.stdout);
        yield* handle.kill({ killSignal: 'SIGUSR1' });
        return yield* handle.exitCode;
      });
      expect(await run(work)).toBe(9);
      const stubborn = Effect.gen(function* () {
        const handle = yield* ChildProcess.make('sh', ['-c', `trap '' TERM; echo up; while :; do sleep 0.05; done`]);
        yield* Stream.runHead(handle.stdout);
        yield* handle.kill({ forceKillAfter: '100 millis' });
        return yield* Effect.flip(handle.exitCode);
      });
      expect((await run(stubborn)).cause).toMatchObject({ message: expect.stringContaining('SIGKILL') as string });
    });

    test('the end of the scope ends the tree', async () => {
      const span = uniqueSpan();
      const command = ChildProcess.make('sh', ['-c', `sleep ${span} & sleep ${span}`]);
      await run(
        Effect.andThen(
          command,
          Effect.promise(() => until('both run', () => running(`sleep ${span}`) === 2)),
        ),
      );
      expect(running(`sleep ${span}`)).toBe(0);
    });

    test('an interruption ends it', async () => {
      const span = uniqueSpan();
      const work = Effect.scoped(Effect.flatMap(ChildProcess.make('sleep', [span]), ({ exitCode }) => exitCode));
      const fiber = Effect.runFork(work.pipe(Effect.provide(engine)));
      await until('it runs', () => running(`sleep ${span}`) === 1);
      await Effect.runPromise(Fiber.interrupt(fiber));
      expect(running(`sleep ${span}`)).toBe(0);
    });

    test('DIFFERENCE a descendant in a session of its own', async () => {
      const span = uniqueSpan();
      const command = ChildProcess.make('sh', ['-c', `setsid sleep ${span} & sleep ${span}`]);
      await run(
        Effect.andThen(
          command,
          Effect.promise(() => until('both run', () => running(`sleep ${span}`) === 2)),
        ),
      );
      const left = findByCommand(`sleep\0${span}`);
      for (const pid of left) process.kill(pid, 'SIGKILL');
      expect(left.length).toBe(differs({ ours: 0, node: 1 }));
    });

    test('DIFFERENCE a descendant that outlives the program while the scope is open', async () => {
      const span = uniqueSpan();
      const work = Effect.gen(function* () {
        const handle = yield* ChildProcess.make('sh', ['-c', `sleep ${span} >/dev/null 2>&1 & exit 0`]);
        yield* handle.exitCode;
        return running(`sleep ${span}`);
      });
      expect(await run(work)).toBe(differs({ ours: 0, node: 1 }));
      expect(running(`sleep ${span}`)).toBe(0);
    });

    test('unref leaves it at the end of the scope, and reref takes that back', async () => {
      const span = uniqueSpan();
      const command = ChildProcess.make('sleep', [span]);
      await run(Effect.flatMap(command, ({ unref }) => unref));
      const [left = 0] = findByCommand(`sleep\0${span}`);
      expect(isAlive(left)).toBe(true);
      process.kill(left, 'SIGKILL');
      await until('it is gone', () => !isAlive(left));
      await run(Effect.flatMap(command, ({ unref }) => Effect.flatten(unref)));
      expect(running(`sleep ${span}`)).toBe(0);
    });
  });

  describe('pipelines', () => {
    const from = ChildProcess.make('sh', ['-c', 'echo out; echo err >&2']);
    const cat = ChildProcess.make('cat');
    test.each([
      [{}, 'out\n'],
      [{ from: 'stderr' }, 'err\n'],
    ] as const)('%j', async (options, expected) => {
      const command = from.pipe(ChildProcess.pipeTo(cat, options));
      expect(await run(Effect.flatMap(command, ({ stdout }) => text(stdout)))).toBe(expected);
    });

    test('three commands, and both outputs', async () => {
      const command = from.pipe(
        ChildProcess.pipeTo(ChildProcess.make('sort'), { from: 'all' }),
        ChildProcess.pipeTo(ChildProcess.make('tr', ['a-z', 'A-Z'])),
      );
      expect(await run(Effect.flatMap(command, ({ stdout }) => text(stdout)))).toBe('ERR\nOUT\n');
    });

    test('kill ends all of them', async () => {
      const span = uniqueSpan();
      const command = ChildProcess.make('sleep', [span]).pipe(ChildProcess.pipeTo(cat));
      await run(Effect.flatMap(command, (handle) => handle.kill()));
      expect(running(`sleep ${span}`)).toBe(0);
    });

    test('DIFFERENCE to a descriptor beyond stdin', async () => {
      const reader = ChildProcess.make('sh', ['-c', 'cat <&3']);
      const command = from.pipe(ChildProcess.pipeTo(reader, { to: 'fd3' }));
      const end = await run(Effect.exit(Effect.flatMap(command, ({ stdout }) => text(stdout))));
      if (name === 'node') expect(end).toEqual(Exit.succeed('out\n'));
      else expect(Exit.isFailure(end) && Cause.pretty(end.cause)).toContain('pipeTo(fd3) is not offered');
    });
  });
});
