// Field cases about what the child inherits and about pressure: F-56, F-58, F-59, F-62 to F-65.

import { describe, expect, test } from 'vitest';
import { run, runSync, spawn } from '../../lib/index.ts';
import type { RunOptions } from '../../lib/index.ts';
import { CHILD, child, fromHexLines } from '../helpers/child.ts';
import { HELPERS } from '../helpers/host-script.ts';
import { runHost } from '../helpers/host.ts';
import { countResources } from '../helpers/processes.ts';

test('F-56: 500 failed starts leave no descriptor open', async () => {
  await run(['/no/such/program']).catch(() => undefined);
  const before = countResources().descriptors;
  for (let i = 0; i < 500; i++) {
    await expect(run(['/no/such/program'], { stdin: 'x' })).rejects.toMatchObject({ code: 'ENOENT' });
  }
  expect(countResources().descriptors).toBe(before);
});

test('a host that is out of descriptors gets a rejection that says so, and recovers', async () => {
  const script = `
    import { closeSync, openSync } from 'node:fs';
    await run(['true']);
    const open = [];
    for (;;) {
      try { open.push(openSync('/dev/null')); } catch { break; }
    }
    const failed = await run(['true']).then(() => 'ran', (e) => [e.code, e.stage, /nofile 200 of/.test(e.detail)]);
    for (const fd of open) closeSync(fd);
    console.log(JSON.stringify([failed, (await run(['true'])).ok]));`;
  const end = await runHost(script, { prefix: ['prlimit', '--nofile=200:200'] });
  expect(JSON.parse(end.stdout)).toEqual([['EMFILE', 'setup', true], true]);
});

test('a host that is out of descriptors from the start gets a rejection too', async () => {
  const script = `
    import { closeSync, openSync } from 'node:fs';
    platform.tree;
    const open = [];
    for (;;) {
      try { open.push(openSync('/dev/null')); } catch { break; }
    }
    const failed = await run(['true']).then(() => 'ran', (e) => [e.name, e.code]);
    for (const fd of open) closeSync(fd);
    console.log(JSON.stringify([failed, (await run(['true'])).ok]));`;
  const end = await runHost(script, { prefix: ['prlimit', '--nofile=200:200'] });
  expect(JSON.parse(end.stdout)).toEqual([['SpawnError', 'EMFILE'], true]);
});

test('F-57 (control): a host with 12,000 open files starts programs, and they see three descriptors', async () => {
  const script = `
    import { openSync } from 'node:fs';
    for (let i = 0; i < 12000; i++) openSync('/dev/null');
    console.log(JSON.stringify((await run([${JSON.stringify(CHILD)}, 'fds'])).stdout));`;
  const end = await runHost(script, { prefix: ['prlimit', '--nofile=20000:20000'] });
  expect(JSON.parse(end.stdout)).toBe('0\n1\n2\n');
});

test('F-58: at the process limit starts are refused by name, leak nothing, and work again later', async () => {
  const script = `${HELPERS}
    const count = () => countResources().descriptors;
    await run(['true']);
    // A keeper ends just after it has told the end of its tree: then its descriptors go.
    await until('the first is reaped', () => countResources().zombies === 0);
    const before = count();
    const all = await Promise.allSettled(Array.from({ length: 200 }, () => run(['sleep', '0.5'])));
    const errors = new Set(all.filter((one) => one.status === 'rejected').map((one) => one.reason.code + ' ' + one.reason.stage));
    const later = await run(['true']);
    await until('all is as before', () => count() <= before);
    console.log(JSON.stringify([[...errors], count() === before, later.ok]));`;
  const end = await runHost(script, {
    prefix: ['setpriv', '--reuid=65533', '--regid=65533', '--clear-groups', 'prlimit', '--nproc=40:40'],
  });
  expect(JSON.parse(end.stdout)).toEqual([['EAGAIN fork'], true, true]);
});

test('F-59: the time of a start does not grow with the host', async () => {
  const measure = async (mib: number): Promise<number> => {
    const end = await runHost(`
      const touched = Buffer.alloc(${mib} * 1024 * 1024, 1);
      await run(['/bin/true']);
      const times = [];
      for (let i = 0; i < 40; i++) {
        const from = performance.now();
        await run(['/bin/true']);
        times.push(performance.now() - from);
      }
      console.log(times.sort((a, b) => a - b)[20], touched.length);`);
    return Number.parseFloat(end.stdout);
  };
  const small = await measure(1);
  const large = await measure(2048);
  // fork() is tens of times slower at this size; a noisy machine is not.
  expect(large / small).toBeLessThan(5);
});

test('F-62: a child sees descriptors 0, 1 and 2, whatever the host has open', async () => {
  // 200 is open and not close-on-exec in the host; so is a listening socket.
  const script = `
    import { createServer } from 'node:net';
    const server = createServer().listen(0, async () => {
      console.log(JSON.stringify((await run([${JSON.stringify(CHILD)}, 'fds'])).stdout));
      server.close();
    });`;
  const end = await runHost(script, { prefix: ['bash', '-c', 'exec 200</dev/null; exec "$@"', 'bash'] });
  expect(JSON.parse(end.stdout)).toBe('0\n1\n2\n');
});

test('a host whose own standard streams are closed starts programs all the same', async () => {
  const script = `
    const r = await run([${JSON.stringify(CHILD)}, 'fds'], { stdin: 'abc' });
    const c = await run(['cat'], { stdin: 'abc' });
    (await import('node:fs')).writeFileSync(process.env.OUT, JSON.stringify([r.stdout, c.stdout]));`;
  const { mkdtempSync, readFileSync, rmSync } = await import('node:fs');
  const folder = mkdtempSync('/tmp/argv-spawn-closed-');
  await runHost(script, {
    prefix: ['bash', '-c', 'exec "$@" 0<&- 1>&- 2>&-', 'bash'],
    env: { ...process.env, OUT: `${folder}/out` },
  });
  expect(JSON.parse(readFileSync(`${folder}/out`, 'utf8'))).toEqual(['0\n1\n2\n', 'abc']);
  rmSync(folder, { recursive: true });
});

test('F-63: ignored and blocked signals of the host are not inherited', async () => {
  const show = `console.log((await run([${JSON.stringify(CHILD)}, 'signals'])).stdout + runSync([${JSON.stringify(CHILD)}, 'signals']).stdout);`;
  const end = await runHost(show, {
    prefix: ['env', '--ignore-signal=INT,PIPE,TERM', '--block-signal=USR1,TERM'],
  });
  const masks = [...end.stdout.matchAll(/Sig(?:Blk|Ign):\s*([0-9a-f]+)/g)].map((match) => match[1]);
  expect(masks).toEqual(Array<string>(4).fill('0000000000000000'));
});

test('a child leads a session of its own and has no terminal', async () => {
  const result = await run(child('session'));
  const words = result.stdout.split(' ');
  expect(words[1]).toBe(words[3]);
  expect(words[1]).toBe(words[5]);
  expect(result.pid).toBe(Number(words[1]));
});

describe('F-64: the environment', () => {
  const show = async (options: Pick<RunOptions, 'env' | 'extendEnv'> = {}): Promise<string[]> =>
    fromHexLines((await run(child('env'), options)).stdout).map(String);

  test('is exactly what was given, and the object given is not changed', async () => {
    const env = Object.freeze({ A: '1', EMPTY: '', 'odd name': 'x=y', UNICODE: 'é中😀', NL: 'a\nb', gone: undefined });
    expect(await show({ env })).toEqual(['A=1', 'EMPTY=', 'odd name=x=y', 'UNICODE=é中😀', 'NL=a\nb']);
    expect(await show({ env: {} })).toEqual([]);
  });

  test("is the host's own when none is given, with additions and removals on top", async () => {
    process.env['ARGV_SPAWN_A'] = 'set late';
    process.env['ARGV_SPAWN_B'] = 'to go';
    const shown = await show({ extendEnv: { ARGV_SPAWN_B: undefined, ARGV_SPAWN_C: 'new' } });
    delete process.env['ARGV_SPAWN_A'];
    delete process.env['ARGV_SPAWN_B'];
    expect(shown).toContain('ARGV_SPAWN_A=set late');
    expect(shown).toContain('ARGV_SPAWN_C=new');
    expect(shown.some((entry) => entry.startsWith('ARGV_SPAWN_B='))).toBe(false);
    expect((await show()).some((entry) => entry.startsWith('ARGV_SPAWN_'))).toBe(false);
  });

  test('follows process.env when a program has put another object in its place', async () => {
    const end = await runHost(`process.env = { ONLY: 'this' };
      console.log(JSON.stringify(Buffer.from((await run([${JSON.stringify(CHILD)}, 'env'])).stdout, 'hex').toString()));`);
    expect(JSON.parse(end.stdout)).toBe('ONLY=this');
  });

  test('bytes in it that are not UTF-8 arrive unchanged', async () => {
    const end = await runHost(`process.stdout.write((await run([${JSON.stringify(CHILD)}, 'env'])).stdout);`, {
      prefix: ['bash', '-c', 'export ODD=$\'\\xff\\xfe\'; exec "$@"', 'bash'],
    });
    expect(fromHexLines(end.stdout).map((entry) => entry.toString('latin1'))).toContain('ODD=\xff\xfe');
  });

  test.each([
    [{ '': 'x' }, /empty name/],
    [{ 'A=B': 'x' }, /"=" in its name/],
    [{ A: 'x\0y' }, /env\.A has a NUL character at offset 1/],
    [{ 'A\0': 'x' }, /NUL/],
    [{ A: '\ud800' }, /half a surrogate pair/],
    [{ A: 1 }, /env\.A must be a string/],
    [{ A: null }, /env\.A must be a string/],
  ])('%j is refused by name', async (env, message) => {
    await expect(run(['true'], { env: env as unknown as Record<string, string> })).rejects.toThrow(message);
  });
});

test('F-65: of 16 started at once, the quick ones do not wait for the slow one', async () => {
  const slow = spawn(['sleep', '30']);
  const started = performance.now();
  await Promise.all(Array.from({ length: 15 }, (_, i) => run(['echo', String(i)])));
  expect(performance.now() - started).toBeLessThan(10_000);
  await slow.stop();
  expect(runSync(['true']).ok).toBe(true);
});

test.each(['tree', 'group'] as const)('the scheduling policy and niceness of the host (%s)', async (containment) => {
  const script = `
    const ask = ['sh', '-c', 'cut -d" " -f19,40,41 /proc/self/stat'];
    await run(ask);
    console.log((await run(ask, { containment: '${containment}' })).stdout);`;
  // stat fields of proc(5): nice, real-time priority, policy (0 is SCHED_OTHER, 3 SCHED_BATCH).
  expect((await runHost(script, { prefix: ['nice', '-n', '5'] })).stdout.trim()).toBe('5 0 0');
  expect((await runHost(script, { prefix: ['chrt', '-b', '0'] })).stdout.trim()).toBe('0 0 3');
});
