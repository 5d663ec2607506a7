// The ChildProcessSpawner service of effect 4 on this engine.
//
// effect's contract is in its process/ChildProcess and process/ChildProcessSpawner modules. lib/effect/README.md lists
// where this one does otherwise than effect's layer for Node, and why; test/effect runs one suite on both.

import * as Deferred from 'effect/Deferred';
import * as Duration from 'effect/Duration';
import * as Effect from 'effect/Effect';
import * as Layer from 'effect/Layer';
import type { PlatformError } from 'effect/PlatformError';
import * as Scope from 'effect/Scope';
import * as Sink from 'effect/Sink';
import * as Stream from 'effect/Stream';
import * as ChildProcess from 'effect/process/ChildProcess';
import type { Command, KillOptions, StandardCommand } from 'effect/process/ChildProcess';
import type { ChildProcessHandle } from 'effect/process/ChildProcessSpawner';
import { ChildProcessSpawner, ExitCode, ProcessId, make, makeHandle } from 'effect/process/ChildProcessSpawner';
import type { Signal } from '../command/types.ts';
import { RunningProcess } from '../process/process.ts';
import { spawn } from '../process/spawn.ts';
import type { ExitStatus, Process } from '../process/types.ts';
import { Refusal, readOutput, readStdin, toArgv, toSpawnOptions } from './command-options.ts';
import type { SpawnerOptions } from './command-options.ts';
import { flattenCommand, selectSource } from './pipeline.ts';
import { toPlatformError } from './platform-error.ts';
import { makeInput, makeOutput } from './streams.ts';
import type { Output } from './streams.ts';

type Service = ChildProcessSpawner['Service'];
type Spawn = Service['spawn'];

interface Running {
  readonly child: Process;
  /** How it ended; never fails. */
  readonly ended: Promise<ExitStatus>;
  exited: boolean;
  referenced: boolean;
}

const start = (command: StandardCommand, options: SpawnerOptions): Effect.Effect<Running, PlatformError> =>
  Effect.callback<Running, PlatformError>((resume) => {
    const fail = (error: unknown): void => resume(Effect.fail(toPlatformError('spawn', error, command)));
    let child: Process;
    try {
      child = spawn(toArgv(command), toSpawnOptions(command, options));
    } catch (error) {
      fail(error);
      return undefined;
    }
    const running: Running = { child, ended: child.exited, exited: false, referenced: true };
    child.exited.then(
      () => (running.exited = true),
      () => undefined, // it never ran: `spawned` says why
    );
    child.spawned.then(() => resume(Effect.succeed(running)), fail);
    return Effect.promise(() => child.stop().catch(() => undefined));
  });

const sendToTree = (child: Process, signal: Signal): void => {
  if (child instanceof RunningProcess) child.signalTree(signal);
};

/** Signal, grace, SIGKILL; done when the process has ended and nothing of its tree is left. */
const terminate = (running: Running, options: KillOptions): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (running.exited) return Effect.void;
    const ended = Effect.promise(() => running.ended);
    sendToTree(running.child, options.killSignal ?? 'SIGTERM');
    if (options.forceKillAfter === undefined) return Effect.asVoid(ended);
    const force = Effect.suspend(() => {
      sendToTree(running.child, 'SIGKILL');
      return ended;
    });
    return Effect.asVoid(Effect.timeoutOrElse(ended, { duration: options.forceKillAfter, orElse: () => force }));
  });

const readExitCode = (status: ExitStatus, command: StandardCommand): Effect.Effect<ExitCode, PlatformError> => {
  if (status.code !== null) return Effect.succeed(ExitCode(status.code));
  const error = new Error(`Process interrupted due to receipt of signal: '${status.signal ?? 'unknown'}'`);
  return Effect.fail(toPlatformError('exitCode', error, command));
};

const throughSink = (output: Output, target: unknown): Output =>
  Sink.isSink(target)
    ? Stream.transduce(output, target as Sink.Sink<Uint8Array, Uint8Array, never, PlatformError>)
    : output;

const withDefaults = (given: KillOptions | undefined, options: SpawnerOptions): KillOptions => ({
  ...given,
  forceKillAfter:
    given?.forceKillAfter ??
    (options.forceKillAfter === undefined ? undefined : Duration.millis(options.forceKillAfter)),
});

const spawnOne = (
  command: StandardCommand,
  options: SpawnerOptions,
): Effect.Effect<ChildProcessHandle, PlatformError, Scope.Scope> =>
  Effect.gen(function* () {
    const running = yield* Effect.acquireRelease(start(command, options), (one) =>
      one.referenced ? terminate(one, withDefaults(command.options, options)) : Effect.void,
    );
    const { child } = running;
    const stdin = readStdin(command.options);
    const input = makeInput(child.stdin, stdin.endOnDone, stdin.encoding);
    const inputFailure = Deferred.makeUnsafe<never, PlatformError>();
    if (Stream.isStream(stdin.stream)) {
      const source = Stream.tapError(stdin.stream, (error) => Deferred.fail(inputFailure, error));
      yield* Effect.forkScoped(Stream.run(source, input));
    }
    const onError = (name: string) => (error: unknown) => toPlatformError(`fromReadable(${name})`, error, command);
    const stdout = throughSink(makeOutput(child.stdout, onError('stdout')), readOutput(command.options.stdout));
    const stderr = throughSink(makeOutput(child.stderr, onError('stderr')), readOutput(command.options.stderr));
    const ended = Effect.flatMap(
      Effect.promise(() => running.ended),
      (status) => readExitCode(status, command),
    );
    const reref = Effect.sync(() => {
      running.referenced = true;
      child.ref();
    });
    return makeHandle({
      pid: ProcessId(child.pid ?? 0),
      exitCode: Effect.raceFirst(ended, Deferred.await(inputFailure)),
      isRunning: Effect.sync(() => !running.exited),
      kill: (given) => terminate(running, withDefaults(given, options)),
      stdin: input,
      stdout,
      stderr,
      all: Stream.merge(stdout, stderr),
      getInputFd: () => Sink.drain,
      getOutputFd: () => Stream.empty,
      unref: Effect.sync(() => {
        running.referenced = false;
        child.unref();
        return reref;
      }),
    });
  });

const spawnPipeline = (
  command: Command,
  options: SpawnerOptions,
): Effect.Effect<ChildProcessHandle, PlatformError, Scope.Scope> =>
  Effect.gen(function* () {
    const { commands, joints } = flattenCommand(command);
    const handles: ChildProcessHandle[] = [];
    for (const [index, one] of commands.entries()) {
      const before = handles.at(-1);
      if (before === undefined) {
        handles.push(yield* spawnOne(one, options));
        continue;
      }
      const source = yield* Effect.try({
        try: () => selectSource(before, joints[index - 1] ?? {}),
        catch: (error) => toPlatformError('spawn', error, one),
      });
      const stdin = { ...readStdin(one.options), stream: source };
      const fed = ChildProcess.make(one.command, one.args, { ...one.options, stdin });
      handles.push(yield* spawnOne(fed, options));
    }
    const [first] = handles;
    const last = handles.at(-1);
    if (first === undefined || last === undefined) throw new Refusal('a pipeline without a command');
    const backwards = [...handles].reverse();
    return makeHandle({
      ...last,
      stdin: first.stdin,
      kill: (given) => Effect.forEach(backwards, (one) => Effect.ignore(one.kill(given)), { discard: true }),
      unref: Effect.map(
        Effect.forEach(handles, (one) => one.unref),
        (rerefs) => Effect.forEach([...rerefs].reverse(), (reref) => reref, { discard: true }),
      ),
    });
  });

/** The service itself, for programs that put it into a context by hand. */
export function makeSpawner(options: SpawnerOptions = {}): Service {
  const spawnCommand: Spawn = (command) =>
    command._tag === 'StandardCommand' ? spawnOne(command, options) : spawnPipeline(command, options);
  return make(spawnCommand);
}

/** Commands of `effect/process` are started by this engine. It needs no other service. */
export const layer: Layer.Layer<ChildProcessSpawner> = Layer.sync(ChildProcessSpawner, () => makeSpawner());

/** The same with what commands have no word for. */
export const layerWith = (options: SpawnerOptions): Layer.Layer<ChildProcessSpawner> =>
  Layer.sync(ChildProcessSpawner, () => makeSpawner(options));
