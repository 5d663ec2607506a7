// F-45: a host that is process 1 of a container. Orphans of our trees are the keeper's; other orphans are not our
// business, in either direction.

import { expect, test } from 'vitest';
import { runHost } from '../helpers/host.ts';
import { HELPERS } from '../helpers/host-script.ts';

const CONTAINER = ['unshare', '--pid', '--fork', '--mount-proc'];

test('fifty trees that leave orphans leave no zombie below process 1', async () => {
  const end = await runHost(
    `${HELPERS}
     const pids = new Set();
     for (let i = 0; i < 50; i++) pids.add((await run(['sh', '-c', '(sleep 0.05 &) ; setsid sleep 0.05 &'])).pid);
     await until('nothing but the host is left', () => countResources().zombies === 0 && findByCommand('sleep').length === 0);
     console.log(JSON.stringify([process.pid, pids.size, platform.tree]));`,
    { prefix: CONTAINER },
  );
  expect(end.stderr).toBe('');
  expect(JSON.parse(end.stdout)).toEqual([1, 50, 'tree']);
});

test('a foreign orphan is left to the host, dead or alive', async () => {
  const end = await runHost(
    `${HELPERS}
     import { spawn as startForeign } from 'node:child_process';
     const foreign = startForeign('sh', ['-c', 'sleep 0.2 & sleep 600 & exit 0'], { stdio: 'ignore' });
     await new Promise((resolve) => foreign.once('exit', resolve));
     await run(['sh', '-c', 'setsid sleep 30 & exit 0']);
     await until('the short orphan has ended', () => findByCommand('sleep\\0' + '0.2').length === 0);
     await run(['sh', '-c', 'setsid sleep 30 & exit 0']);
     console.log(JSON.stringify([countResources().zombies, findByCommand('sleep\\0' + '600').length]));`,
    { prefix: CONTAINER },
  );
  expect(end.stderr).toBe('');
  expect(JSON.parse(end.stdout)).toEqual([1, 1]);
});

test('the end of process 1 and of a whole container is the end of the trees', async () => {
  const end = await runHost(
    `const tree = spawn(['sh', '-c', 'setsid sleep 30 & echo up; wait']);
     for await (const line of tree.lines()) break;
     process.exit(4);`,
    { prefix: CONTAINER },
  );
  expect([end.code, end.stderr]).toEqual([4, '']);
});
