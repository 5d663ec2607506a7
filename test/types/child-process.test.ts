// The drop-in has Node's types: changing the import changes nothing for the compiler.

import type * as node from 'node:child_process';
import { expect, expectTypeOf, test } from 'vitest';
import * as ours from '../../lib/child_process.ts';

test('functions, class and option types are Node’s', () => {
  expectTypeOf(ours.spawn).toEqualTypeOf<typeof node.spawn>();
  expectTypeOf(ours.exec).toEqualTypeOf<typeof node.exec>();
  expectTypeOf(ours.execFile).toEqualTypeOf<typeof node.execFile>();
  expectTypeOf(ours.fork).toEqualTypeOf<typeof node.fork>();
  expectTypeOf(ours.spawnSync).toEqualTypeOf<typeof node.spawnSync>();
  expectTypeOf(ours.execSync).toEqualTypeOf<typeof node.execSync>();
  expectTypeOf(ours.execFileSync).toEqualTypeOf<typeof node.execFileSync>();
  expectTypeOf<ours.ChildProcess>().toEqualTypeOf<node.ChildProcess>();
  expectTypeOf<ours.SpawnOptions>().toEqualTypeOf<node.SpawnOptions>();
  expect(Object.keys(ours.default).sort()).toEqual(
    Object.keys(ours)
      .filter((name) => name !== 'default')
      .sort(),
  );
});
