// What node:child_process offers, and cross-spawn, which has its interface.

import { heads, tails } from '../keep.mjs';

const PIPES = { stdio: ['ignore', 'pipe', 'pipe'] };

const ended = (child) =>
  new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });

async function gather(child) {
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.resume();
  await ended(child);
  return Buffer.concat(chunks);
}

async function each(child, onChunk) {
  child.stdout.on('data', onChunk);
  child.stderr.resume();
  await ended(child);
}

export function overStreams({ spawn, spawnSync }) {
  const start = ([file, ...args], options = PIPES) => spawn(file, args, options);
  const feed = (argv, data) => {
    const child = start(argv, { stdio: 'pipe' });
    child.stdin.end(data);
    return child;
  };
  return {
    start: (argv) => gather(start(argv)),
    startSync: ([file, ...args]) => spawnSync(file, args, { maxBuffer: Infinity }),
    capture: (argv) => gather(start(argv)),
    async count(argv) {
      let bytes = 0;
      await each(start(argv), (chunk) => (bytes += chunk.length));
      return { bytes };
    },
    async head(argv, keep) {
      const kept = heads(keep);
      await each(start(argv), kept.add);
      return kept.result();
    },
    async tail(argv, keep) {
      const kept = tails(keep);
      await each(start(argv), kept.add);
      return kept.result();
    },
    sink: (argv, data) => gather(feed(argv, data)),
    echo: (argv, data) => gather(feed(argv, data)),
    hold: (argv) => {
      const child = start(argv);
      child.stdout.resume();
      child.stderr.resume();
      return { kill: () => child.kill('SIGKILL'), ended: ended(child) };
    },
    tree: (argv) => {
      const child = start(argv);
      const over = gather(child);
      return { end: () => (child.kill('SIGKILL'), over) };
    },
  };
}

/** The same, ended by its process group, as one does it by hand. */
export function withGroupKill(contender, { spawn }) {
  return {
    ...contender,
    tree: ([file, ...args]) => {
      const child = spawn(file, args, { ...PIPES, detached: true });
      const over = gather(child);
      return { end: () => (process.kill(-child.pid, 'SIGKILL'), over) };
    },
  };
}
