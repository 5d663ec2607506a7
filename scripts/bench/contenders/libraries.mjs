// Libraries over node:child_process, each used as its documentation shows.

import { heads, tails } from '../keep.mjs';
import { importPeer } from '../peers.mjs';

export async function execa() {
  const { execa: start, execaSync } = await importPeer('execa');
  const buffer = { encoding: 'buffer', maxBuffer: Infinity, stdin: 'ignore' };
  const reduce = async ([file, ...args], kept) => {
    const child = start(file, args, { buffer: false, stdin: 'ignore' });
    for await (const chunk of child.iterable({ binary: true, preserveNewlines: true })) kept.add(chunk);
    await child;
    return kept.result();
  };
  const input = async ([file, ...args], data) =>
    Buffer.from((await start(file, args, { encoding: 'buffer', maxBuffer: Infinity, input: data })).stdout);
  return {
    start: ([file, ...args]) => start(file, args, buffer),
    startSync: ([file, ...args]) => execaSync(file, args, buffer),
    capture: async ([file, ...args]) => (await start(file, args, buffer)).stdout,
    count: (argv) => reduce(argv, heads(0)),
    head: (argv, keep) => reduce(argv, heads(keep)),
    tail: (argv, keep) => reduce(argv, tails(keep)),
    sink: input,
    echo: input,
    hold: ([file, ...args]) => {
      const child = start(file, args, { ...buffer, reject: false });
      return { kill: () => child.kill('SIGKILL'), ended: child };
    },
    tree: ([file, ...args]) => {
      const child = start(file, args, { ...buffer, reject: false });
      return { end: () => (child.kill('SIGKILL'), child) };
    },
  };
}

export async function nanoSpawn() {
  const { default: start } = await importPeer('nano-spawn');
  const nothing = { stdin: 'ignore' };
  const input = async ([file, ...args], data) =>
    Buffer.from((await start(file, args, { stdin: { string: data.toString('latin1') } })).stdout, 'latin1');
  return {
    start: ([file, ...args]) => start(file, args, nothing),
    capture: async ([file, ...args]) => Buffer.from((await start(file, args, nothing)).stdout, 'latin1'),
    sink: input,
    echo: input,
    hold: ([file, ...args]) => killable(start(file, args, nothing)),
    tree: ([file, ...args]) => ending(killable(start(file, args, nothing))),
  };

  function killable(promise) {
    const ended = promise.catch(() => undefined);
    return { kill: async () => (await promise.nodeChildProcess).kill('SIGKILL'), ended };
  }
}

const ending = ({ kill, ended }) => ({ end: async () => (await kill(), ended) });

export async function tinyexec() {
  const { x, xSync } = await importPeer('tinyexec');
  const nothing = { nodeOptions: { stdio: ['ignore', 'pipe', 'pipe'] } };
  const held = ([file, ...args]) => {
    const child = x(file, args, nothing);
    return { kill: () => child.kill('SIGKILL'), ended: Promise.resolve(child) };
  };
  return {
    start: ([file, ...args]) => x(file, args, nothing),
    startSync: ([file, ...args]) => xSync(file, args, nothing),
    capture: async ([file, ...args]) => Buffer.from((await x(file, args, nothing)).stdout, 'latin1'),
    hold: held,
    tree: (argv) => ending(held(argv)),
  };
}

export async function zx() {
  const { $ } = await importPeer('zx');
  const quiet = $({ quiet: true, nothrow: true });
  const input = async (argv, data) => (await $({ quiet: true, nothrow: true, input: data })`${argv}`).buffer();
  return {
    start: (argv) => quiet`${argv}`,
    startSync: (argv) => quiet.sync`${argv}`,
    capture: async (argv) => (await quiet`${argv}`).buffer(),
    sink: input,
    echo: input,
    hold: (argv) => {
      const child = quiet`${argv}`;
      return { kill: () => child.kill('SIGKILL'), ended: child };
    },
    tree: (argv) => {
      const child = quiet`${argv}`;
      return { end: async () => (await child.kill('SIGKILL'), child) };
    },
  };
}
