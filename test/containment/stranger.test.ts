// No signal ever goes to a number that has changed hands: in a namespace of processes of its own every number is given
// away again on purpose (ns_last_pid), at the worst moment for each way of ending something.

import { describe, expect, test } from 'vitest';
import { runHost } from '../helpers/host.ts';
import { HELPERS } from '../helpers/host-script.ts';

const NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc'];

/** `occupy(pid)` starts a stranger under a number that is free; its state at the end is what the tests are about. */
const PRELUDE = `${HELPERS}
  import { readFileSync, writeFileSync } from 'node:fs';
  import { spawn as startForeign } from 'node:child_process';
  const parentOf = (pid) => {
    try { return Number(readFileSync('/proc/' + pid + '/stat', 'latin1').split(') ')[1].split(' ')[1]); } catch { return undefined; }
  };
  const stateOf = (pid) => readFileSync('/proc/' + pid + '/stat', 'latin1').split(') ')[1][0];
  const strangers = [];
  const occupy = (pid) => {
    for (let i = 0; i < 200; i++) {
      writeFileSync('/proc/sys/kernel/ns_last_pid', String(pid - 1));
      const stranger = startForeign('sleep', ['600'], { stdio: 'ignore' });
      if (stranger.pid === pid) { strangers.push(stranger); return; }
      stranger.kill('SIGKILL');
    }
    throw new Error('the number ' + pid + ' could not be had');
  };
  const finish = async (...facts) => {
    await until('they sleep, or are hurt', () => strangers.every((one) => stateOf(one.pid) !== 'R'));
    console.log(JSON.stringify([...facts, strangers.length > 0, strangers.map((one) => [one.exitCode, one.signalCode, stateOf(one.pid)])]));
    for (const one of strangers) one.kill('SIGKILL');
  };`;

async function attack(script: string): Promise<unknown[]> {
  const end = await runHost(PRELUDE + script, { prefix: NAMESPACE });
  expect(end.stderr).toBe('');
  return JSON.parse(end.stdout) as unknown[];
}

const UNHURT = [null, null, 'S'];

describe('a stranger is not hurt when it has got the number of', () => {
  test('a child that has ended, and of its keeper', async () => {
    const facts = await attack(`
      const ours = spawn(['sleep', '0.3']);
      const { pid } = await ours.spawned;
      const keeper = parentOf(pid);
      await ours.exited;
      await until('the keeper is gone', () => parentOf(keeper) === undefined);
      occupy(pid);
      occupy(keeper);
      const sent = ours.kill('SIGKILL');
      await ours.stop();
      await ours[Symbol.asyncDispose]();
      await finish(sent);`);
    expect(facts).toEqual([false, true, [UNHURT, UNHURT]]);
  });

  test.each(['stop', 'timeout'])('a descendant that ended long before the tree is ended by %s', async (how) => {
    const facts = await attack(`
      const options = ${how === 'timeout'} ? { timeout: 3000, forceKillAfter: 100 } : { forceKillAfter: 100 };
      // A daemon that starts a short program, which prints its own number, and reaps it itself.
      const daemon = 'readlink /proc/self; sleep 500';
      const ours = spawn(['sh', '-c', "trap '' TERM; setsid sh -c '" + daemon + "' & wait"], options);
      let short = 0;
      for await (const line of ours.lines()) { short = Number(line.text); break; }
      await until('it has been reaped', () => parentOf(short) === undefined);
      occupy(short);
      const status = await (${how === 'timeout'} ? ours.exited : ours.stop());
      await finish(status.forced, status.containment.tree, status.leftovers.some((one) => one.pid === short));`);
    expect(facts).toEqual([true, 'tree', false, true, [UNHURT]]);
  });

  test('a direct child whose number is free while its daemons live on', async () => {
    const facts = await attack(`
      const result = await run(['sh', '-c', 'setsid sleep 500 & exit 0'], { lingering: 'leave' });
      const [left] = result.leftovers;
      await until('the child has been reaped', () => parentOf(result.pid) === undefined);
      occupy(result.pid);
      process.kill(left.pid, 'SIGKILL');
      await until('the daemon has been reaped', () => parentOf(left.pid) === undefined);
      await finish(left.fate);`);
    expect(facts).toEqual(['left', true, [UNHURT]]);
  });

  test('a child whose keeper was killed', async () => {
    const facts = await attack(`
      const ours = spawn(['sh', '-c', 'sleep 0.5']);
      const { pid } = await ours.spawned;
      process.kill(parentOf(pid), 'SIGKILL');
      const status = await ours.exited;
      await until('the child has been reaped', () => parentOf(pid) === undefined || stateOf(pid) === 'Z');
      if (parentOf(pid) === undefined) occupy(pid); else strangers.push(startForeign('sleep', ['600'], { stdio: 'ignore' }));
      const sent = ours.kill('SIGKILL');
      await ours.stop();
      await finish(status.containment.tree, sent);`);
    expect(facts).toEqual(['group', false, true, [UNHURT]]);
  });
});

test('where /proc shows another namespace the keeper touches nobody: the call gets a group', async () => {
  const script = `
    const result = await run(['sh', '-c', 'sleep 500 & echo hi'], { drainTimeout: 50 });
    const required = await run(['true'], { require: 'tree' }).catch((error) => error.code);
    console.log(JSON.stringify([result.stdout, result.containment.tree, required]));`;
  // Without --mount-proc.
  const end = await runHost(script, { prefix: ['unshare', '--pid', '--fork'] });
  expect(end.stderr).toBe('');
  expect(JSON.parse(end.stdout)).toEqual(['hi\n', 'group', 'ERR_CONTAINMENT']);
});
