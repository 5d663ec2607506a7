// The table "What differs" in README.md of lib/child_process: each row on both engines, each with its own outcome.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../helpers/folder.ts';
import { runHost } from '../helpers/host.ts';
import { NODE, OURS, trace } from './engines.ts';
import type { Module } from './engines.ts';

const ENTRY = new URL('../../dist/child_process.js', import.meta.url).href;

async function onBoth<T>(run: (cp: Module) => T | Promise<T>): Promise<{ node: T; ours: T }> {
  return { node: await run(NODE), ours: await run(OURS) };
}

describe('what differs from Node', () => {
  test('standard streams are real pipes, so /dev/stdin and /dev/stderr can be opened', async () => {
    const { node, ours } = await onBoth(async (cp) => {
      const one = cp.spawn('sh', ['-c', 'cat < /dev/stdin && echo err > /dev/stderr']);
      one.stdin.on('error', () => undefined); // the child that could not open it has gone
      one.stdin.end('in');
      return trace(one);
    });
    expect(node.stdout).toBe('');
    expect(node.stderr).toMatch(/No such device or address/);
    expect(ours).toMatchObject({ stdout: 'in', stderr: 'err\n' });
    const kinds = await onBoth(
      (cp) => cp.spawnSync('sh', ['-c', 'readlink /proc/$$/fd/1'], { encoding: 'utf8' }).stdout,
    );
    expect([kinds.node.slice(0, 7), kinds.ours.slice(0, 5)]).toEqual(['socket:', 'pipe:']);
  });

  test('child.stdout has one direction', async () => {
    const { node, ours } = await onBoth(async (cp) => {
      const one = cp.spawn('sh', ['-c', 'read line <&1; echo "got $line"'], { stdio: ['ignore', 'pipe', 'ignore'] });
      let refused: string | undefined;
      one.stdout.on('error', (error: NodeJS.ErrnoException) => (refused = error.code));
      (one.stdout as unknown as NodeJS.WritableStream).write('text\n');
      const [code, signal] = await new Promise<unknown[]>((resolve) => {
        one.once('exit', (...end) => resolve(end));
        one.stdout.once('error', () => one.kill());
      });
      return { refused: refused !== undefined, code, signal };
    });
    expect(node).toEqual({ refused: false, code: 0, signal: null });
    expect(ours.refused).toBe(true);
  });

  test('a descriptor without close-on-exec stays with the host', async () => {
    const script = `
      import node from 'node:child_process';
      import ours from ${JSON.stringify(ENTRY)};
      const list = (cp) => cp.execFileSync('sh', ['-c', 'ls /proc/$$/fd'], { encoding: 'utf8' }).includes('20');
      console.log(JSON.stringify([list(node), list(ours)]));`;
    // Node makes those that it inherits close-on-exec, but stops looking at the first gap above 15.
    const end = await runHost(script, { prefix: ['bash', '-c', 'exec 20</dev/null; exec "$@"', 'bash'] });
    expect([end.stderr, end.stdout]).toEqual(['', '[true,false]\n']);
  });

  test('a blocking call takes every kind of stdio, where Node aborts the whole process', async () => {
    const call = (module: string): string => `
      import cp from ${JSON.stringify(module)};
      const first = cp.spawn('echo', ['sent']);
      const { stdout } = cp.spawnSync('cat', [], { stdio: [first.stdout, 'overlapped', 'inherit'], encoding: 'utf8' });
      process.stdout.write(stdout);`;
    const node = await runHost(call('node:child_process'));
    expect([node.stdout, node.stderr]).toEqual(['', expect.stringMatching(/invalid child stdio type/)]);
    const ours = await runHost(call(ENTRY));
    expect([ours.stderr, ours.stdout]).toEqual(['', 'sent\n']);
  });

  test('the name of a script that was found through a relative entry of PATH', async () => {
    const folder = makeFolder();
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin', 'tool'), '#!/bin/sh\nprintf %s "$0"\n', { mode: 0o755 });
    const { node, ours } = await onBoth((cp) =>
      cp.execFileSync('tool', { cwd: folder, env: { PATH: 'bin:/usr/bin:/bin' }, encoding: 'utf8' }),
    );
    expect([node, ours]).toEqual(['bin/tool', join(folder, 'bin', 'tool')]);
  });

  test('a real-time signal is told', async () => {
    const { node, ours } = await onBoth(async (cp) => (await trace(cp.spawn('sh', ['-c', 'kill -34 $$']))).events);
    expect(node).toEqual([['spawn'], ['exit', 0, null], ['close', 0, null]]);
    expect(ours).toEqual([['spawn'], ['exit', null, 'SIG34'], ['close', null, 'SIG34']]);
  });

  test('a start does not copy the memory of the host', async () => {
    const script = `
      import node from 'node:child_process';
      import ours from ${JSON.stringify(ENTRY)};
      const held = Buffer.alloc(768 * 1024 * 1024, 1);
      const median = async (cp) => {
        const spans = [];
        for (let i = 0; i < 9; i++) {
          const before = performance.now();
          const child = cp.spawn('/bin/true', [], { stdio: 'ignore' });
          spans.push(performance.now() - before);
          await new Promise((resolve) => child.once('close', resolve));
        }
        return spans.sort((a, b) => a - b)[4];
      };
      await median(ours);
      console.log(JSON.stringify([await median(node), await median(ours), held[0]]));`;
    const end = await runHost(script);
    expect(end.stderr).toBe('');
    const [node = 0, ours = 0] = JSON.parse(end.stdout) as number[];
    expect(ours).toBeLessThan(node);
  });

  test('a signal goes to the process, not to a number', async () => {
    const script = (module: string): string => `
      import cp from ${JSON.stringify(module)};
      const child = cp.spawn('sleep', ['60'], { stdio: 'ignore' });
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('close', resolve));`;
    const calls = async (module: string): Promise<string[]> => {
      const prefix = ['strace', '-f', '-qq', '-e', 'trace=kill,pidfd_send_signal', '-e', 'signal=none'];
      const end = await runHost(script(module), { prefix });
      expect(end.code).toBe(0);
      return [...end.stderr.matchAll(/(\w+)\(.*SIGKILL/g)].map(([, name = '']) => name);
    };
    expect(await calls('node:child_process')).toEqual(['kill']);
    expect(await calls(ENTRY)).toEqual(['pidfd_send_signal']);
  });
});
