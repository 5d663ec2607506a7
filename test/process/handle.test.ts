// The handle of a running process: what each method means before, while and after the program runs.

import { describe, expect, test } from 'vitest';
import { spawn } from '../../lib/index.ts';
import { child } from '../helpers/child.ts';
import { runHost } from '../helpers/host.ts';
import { isAlive } from '../helpers/processes.ts';
import { until } from '../helpers/until.ts';

describe('the states of a handle', () => {
  test('it is there at once; pid and program are known once it is spawned', async () => {
    const running = spawn(['sh', '-c', 'echo $$']);
    expect(running.pid).toBe(undefined);
    const { pid, program } = await running.spawned;
    expect(running.pid).toBe(pid);
    const result = await running.collect();
    expect(result).toMatchObject({ pid, program, stdout: `${pid}\n`, argv: ['sh', '-c', 'echo $$'] });
    expect(program).toMatch(/^\/.*\/sh$/);
  });

  test('a failed start rejects spawned and exited with the same error, and its streams end', async () => {
    const running = spawn(['/no/such/program'], { stdin: 'pipe' });
    const closed = new Promise((resolve) => running.stdin?.once('close', resolve));
    const error: unknown = await running.spawned.catch((reason: unknown) => reason);
    await expect(running.exited).rejects.toBe(error);
    await expect(running.collect()).rejects.toBe(error);
    await expect(running.stop()).rejects.toBe(error);
    await closed;
    expect(running.pid).toBe(undefined);
  });

  test('a stream that is no pipe of ours is null', async () => {
    const running = spawn(['true'], { stdout: 'ignore', stderr: 'stdout' });
    expect([running.stdin, running.stdout, running.stderr]).toEqual([null, null, null]);
    expect((await running.collect()).stdout).toBe(null);
  });

  test('exited comes for a program whose output nobody reads', async () => {
    expect((await spawn(['echo', 'unread']).exited).code).toBe(0);
  });

  test('output that was not read yet can still be read after the end', async () => {
    const running = spawn(['echo', 'kept']);
    await running.exited;
    const pieces: Buffer[] = [];
    for await (const piece of running.stdout ?? []) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).toString()).toBe('kept\n');
  });

  test('a stream that is looked at only after the end is the same each time, and ended', async () => {
    const silent = spawn(['true']);
    await silent.exited;
    expect(silent.stdout).toBe(silent.stdout);
    const failed = spawn(['/no/such/program']);
    await expect(failed.exited).rejects.toThrow('/no/such/program');
    for (const stream of [silent.stdout, silent.stderr, failed.stdout, failed.stderr]) {
      if (stream === null) throw new Error('no stream');
      expect(await stream.toArray()).toEqual([]);
      expect(stream.readableEnded).toBe(true);
    }
  });
});

describe('kill', () => {
  test('sends the signal that was named, and SIGTERM when none was', async () => {
    for (const [sent, name] of [
      [undefined, 'SIGTERM'],
      ['SIGUSR1', 'SIGUSR1'],
      [9, 'SIGKILL'],
    ] as const) {
      // prettier-ignore
      const running = spawn(['sleep', '30']);
      await running.spawned;
      expect(running.kill(sent)).toBe(true);
      expect(await running.exited).toMatchObject({ reason: 'signal', signal: name, ok: false, code: null });
    }
  });

  test('is false before the program exists, after it has ended and when it never ran', async () => {
    const running = spawn(['true']);
    expect(running.kill('SIGKILL')).toBe(false);
    await running.exited;
    expect([running.kill(), running.kill('SIGKILL')]).toEqual([false, false]);
    const failed = spawn(['/no/such/program']);
    await failed.exited.catch(() => undefined);
    expect(failed.kill()).toBe(false);
  });

  test('is a fact of its own: a program may live on after a signal', async () => {
    const running = spawn(['sh', '-c', "trap 'echo heard' USR1; echo ready; read word; echo over"], { stdin: 'pipe' });
    const texts: string[] = [];
    for await (const line of running.lines()) {
      texts.push(line.text);
      if (line.text === 'ready') running.kill('SIGUSR1');
      if (line.text === 'heard') running.stdin?.end('\n');
    }
    expect(texts).toEqual(['ready', 'heard', 'over']);
    expect((await running.exited).reason).toBe('exit');
  });

  test.each(['SIGNOPE', 'sigterm', 'TERM', '', 0, -1, 999, 1.5, NaN, null, {}])(
    'refuses the signal %j by name, and sends nothing',
    async (signal) => {
      const running = spawn(['sleep', '0.1']);
      await running.spawned;
      const expected = expect.objectContaining({ name: 'TypeError', code: 'ERR_UNKNOWN_SIGNAL', field: 'signal' });
      expect(() => running.kill(signal as never)).toThrow(expected);
      expect((await running.exited).reason).toBe('exit');
    },
  );
});

describe('stop', () => {
  test('ends the tree by the ladder and resolves once it is gone', async () => {
    const running = spawn(['sh', '-c', "trap '' TERM; sleep 30 & echo $!; wait; sleep 30"], { forceKillAfter: 50 });
    let grandchild = 0;
    for await (const line of running.lines()) {
      grandchild = Number(line.text);
      break;
    }
    const status = await running.stop('over');
    expect(status).toMatchObject({ reason: 'stop', signal: 'SIGKILL', forced: true, ok: false, aborted: false });
    expect([isAlive(status.pid), isAlive(grandchild)]).toEqual([false, false]);
  });

  test('is no failure: exited resolves with the same end', async () => {
    const running = spawn(['sleep', '30']);
    await running.spawned;
    const stopped = await running.stop();
    expect(await running.exited).toEqual(stopped);
    expect(stopped).toMatchObject({ reason: 'stop', signal: 'SIGTERM' });
  });

  test('of one that has ended resolves with its own end, as often as asked', async () => {
    const running = spawn(['sh', '-c', 'exit 3']);
    await running.exited;
    const both = await Promise.all([running.stop('late'), running.stop()]);
    expect(both.map(({ reason, code }) => [reason, code])).toEqual([['exit', 3], ['exit', 3]]); // prettier-ignore
  });

  test('before the program exists starts nothing and keeps the first reason', async () => {
    // Until the start has happened only: when the engine was quicker, the program is stopped as a running one.
    let cancelled = 0;
    for (let i = 0; i < 20; i++) {
      const running = spawn(['sleep', '30']);
      const reasons = ['first', 'second'].map((reason) => running.stop(reason));
      const [one, two] = await Promise.allSettled(reasons);
      expect(two?.status).toBe(one?.status);
      if (one?.status === 'rejected') {
        cancelled++;
        expect(one.reason).toMatchObject({ name: 'AbortError', cause: 'first', result: undefined });
        await expect(running.spawned).rejects.toBe(one.reason);
        expect(running.pid).toBe(undefined);
      } else {
        expect(one?.value.reason).toBe('stop');
      }
    }
    expect(cancelled).toBeGreaterThan(0);
  });

  test('under check is a failing end for exited, and no failure for stop itself', async () => {
    const running = spawn(['sleep', '30'], { check: true });
    await running.spawned;
    expect((await running.stop()).reason).toBe('stop');
    await expect(running.exited).rejects.toMatchObject({ name: 'ExitError', code: 'ERR_STOPPED' });
  });
});

describe('await using', () => {
  test('ends the program and its tree at the end of the block', async () => {
    const running = spawn(child('tree', '1'), { forceKillAfter: 50 });
    await running.spawned;
    await running[Symbol.asyncDispose]();
    expect(isAlive(running.pid ?? 0)).toBe(false);
    expect((await running.exited).reason).toBe('stop');
  });

  test('of one that never ran or has ended is quiet', async () => {
    const failed = spawn(['/no/such/program']);
    const ended = spawn(['false'], { check: true });
    await ended.exited.catch(() => undefined);
    await failed[Symbol.asyncDispose]();
    await ended[Symbol.asyncDispose]();
    await expect(failed.exited).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(ended.exited).rejects.toMatchObject({ code: 'ERR_EXIT' });
  });
});

describe('keeping the host alive', () => {
  test('a running process does, until it has ended', async () => {
    const end = await runHost(`spawn(['sh', '-c', 'sleep 0.3']).exited.then((s) => console.log('saw', s.code));`);
    expect([end.code, end.stdout]).toEqual([0, 'saw 0\n']);
  });

  test('unref lets the host end at once, and what it started ends with it', async () => {
    const started = performance.now();
    const end = await runHost(`
      const running = spawn(['sleep', '40'], { stdout: 'ignore', stderr: 'ignore' });
      console.log((await running.spawned).pid);
      running.unref().exited.then(() => console.log('never'));`);
    expect(end.code).toBe(0);
    expect(end.stdout).toMatch(/^\d+\n$/);
    expect(performance.now() - started).toBeLessThan(30_000);
    await until('the program is gone too', () => !isAlive(Number(end.stdout)));
  });

  test('ref takes unref back, and one that is referenced is enough', async () => {
    const end = await runHost(`
      spawn(['sleep', '40']).unref();
      spawn(['sleep', '0.3']).unref().ref().exited.then((s) => console.log('saw', s.code));`);
    expect([end.code, end.stdout]).toEqual([0, 'saw 0\n']);
  });

  test('neither means anything for one that is over', async () => {
    const end = await runHost(`
      const ended = spawn(['true']);
      await ended.exited;
      console.log(ended.ref() === ended, ended.unref() === ended);`);
    expect([end.code, end.stdout]).toEqual([0, 'true true\n']);
  });
});
