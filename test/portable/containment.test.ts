// Nothing outlives a call, on every system.

import { expect, test } from 'vitest';
import { platform, run } from '../../lib/index.ts';
import { child } from '../helpers/child.ts';

test('the result says what protected the call, and require refuses less', async () => {
  const result = await run(child('exit', '0'));
  expect(result.containment).toEqual({ tree: platform.tree, parentDeath: platform.parentDeath });
  const bare = await run(child('exit', '0'), { containment: 'none' });
  expect(bare.containment.tree).not.toBe('tree');
  expect((await run(child('exit', '0'), { require: platform.tree })).ok).toBe(true);
});

test('a descendant that holds the pipe does not hold up the call', async () => {
  const result = await run(child('escape', '3000'), { drainTimeout: 50 });
  expect([result.stdout.trim(), result.code]).toEqual(['leaving', 0]);
  expect(result.leftovers).toHaveLength(1);
  expect(result.durationMs).toBeLessThan(15_000);
});

test('a timeout ends the whole tree', async () => {
  const result = await run(child('tree', '3'), { idleTimeout: 3000, forceKillAfter: 200 });
  expect([result.reason, result.stdout.trim(), result.forced]).toEqual(['idle-timeout', 'grown', true]);
  expect(result.leftovers.filter(({ fate }) => fate !== 'ended')).toEqual([]);
});
