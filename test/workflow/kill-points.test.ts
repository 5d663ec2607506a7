import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../scripts/workflow-kill-points.mjs', import.meta.url));

test('hosts killed at 15 random points and resumed give the result and the effects of an undisturbed run', async () => {
  const seed = Date.now() % 2 ** 31;
  console.log(`kill points: seed ${seed}`);
  const args = [SCRIPT, '--points', '15', '--seed', String(seed)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toContain('points: 15');
  // Otherwise every kill came before the first step or after the last, and nothing was tested.
  expect(Number(/kept: (\d+)/.exec(stdout)?.[1])).toBeGreaterThan(0);
}, 600_000);
