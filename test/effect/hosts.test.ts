// What happens to commands when their host goes away, on both layers; and the options that only ours has.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Cause, Effect, Exit } from 'effect';
import { ChildProcess } from 'effect/process';
import { expect, test } from 'vitest';
import { layerWith } from '../../lib/effect.ts';
import { makeFolder } from '../helpers/folder.ts';
import { findByCommand } from '../helpers/processes.ts';
import { uniqueSpan } from '../helpers/span.ts';
import { until } from '../helpers/until.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const folder = makeFolder();
const packages = join(folder, 'node_modules');
mkdirSync(join(packages, '@effect'), { recursive: true });
symlinkSync(ROOT, join(packages, 'argv-spawn'));
for (const name of ['effect', '@effect/platform-node-shared'])
  symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));

const OURS = `import { layer } from 'argv-spawn/effect';`;
const NODE = `
  import * as FileSystem from '@effect/platform-node-shared/NodeFileSystem';
  import * as Path from '@effect/platform-node-shared/NodePath';
  import * as Spawner from '@effect/platform-node-shared/NodeChildProcessSpawner';
  import { Layer } from 'effect';
  const layer = Spawner.layer.pipe(Layer.provide(Layer.mergeAll(FileSystem.layer, Path.layer)));`;

/** Starts `sleep SPAN` in a host, which then does `then`. @returns how many are there when the host is gone. */
async function leave(imports: string, then: string): Promise<number> {
  const span = uniqueSpan();
  const path = join(folder, `host-${span}.mjs`);
  writeFileSync(
    path,
    `${imports}
    import { Effect } from 'effect';
    import { ChildProcess } from 'effect/process';
    const command = ChildProcess.make('sleep', ['${span}'], { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
    const work = Effect.gen(function* () {
      const handle = yield* command;
      ${then}
    });
    await Effect.runPromise(Effect.scoped(work).pipe(Effect.provide(layer)));`,
  );
  const end = spawnSync(process.execPath, [path], { encoding: 'utf8', timeout: 50_000 });
  expect(end.stderr).toBe('');
  const find = (): number[] => findByCommand(`sleep\0${span}`);
  if (imports === OURS) await until('it is gone', () => find().length === 0);
  const left = find();
  for (const pid of left) process.kill(pid, 'SIGKILL');
  return left.length;
}

const KILL_HOST = `process.kill(process.pid, 'SIGKILL');`;
const UNREF = 'yield* handle.unref;';

test('DIFFERENCE a host that is killed takes its commands with it', async () => {
  expect(await leave(OURS, KILL_HOST)).toBe(0);
  expect(await leave(NODE, KILL_HOST)).toBe(1);
});

test('DIFFERENCE unref lets the host end, and the command ends with it', async () => {
  expect(await leave(OURS, UNREF)).toBe(0);
  expect(await leave(NODE, UNREF)).toBe(1);
});

test('forceKillAfter of the layer holds for commands that name none', async () => {
  const trapped = join(folder, 'trapped');
  const command = ChildProcess.make('sh', ['-c', `trap '' TERM; : > '${trapped}'; while :; do sleep 0.05; done`]);
  const isDeaf = Effect.promise(() => until('the signal is ignored', () => existsSync(trapped)));
  const work = Effect.gen(function* () {
    const handle = yield* command;
    yield* isDeaf;
    yield* handle.kill();
    return yield* handle.exitCode;
  });
  const end = await Effect.runPromiseExit(Effect.scoped(work).pipe(Effect.provide(layerWith({ forceKillAfter: 100 }))));
  expect(Exit.isFailure(end) && Cause.pretty(end.cause)).toContain('SIGKILL');
});

test('require refuses a command that would get less', async () => {
  const options = { containment: 'none', require: 'tree' } as const;
  const end = await Effect.runPromiseExit(
    Effect.scoped(ChildProcess.make('true')).pipe(Effect.provide(layerWith(options))),
  );
  expect(Exit.isFailure(end) && Cause.pretty(end.cause)).toContain('require');
});
