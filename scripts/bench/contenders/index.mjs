// Who is compared. A contender is either a module loaded in a runtime (`load`, with operations as scenarios need them)
// or a program of its own (`command`, called as a scenario's `program` says). What one cannot do has its reason in
// `cannot`, by operation or by scenario, and is printed instead of numbers.

import * as childProcess from 'node:child_process';
import { RUNTIMES, importPeer, programPath } from '../peers.mjs';
import { builtIn, ofPeer, ours } from './load.mjs';
import { execa, nanoSpawn, tinyexec, zx } from './libraries.mjs';
import { overStreams, withGroupKill } from './node-streams.mjs';
import { argvSpawn } from './ours.mjs';
import { bun, deno } from './runtimes.mjs';

const node = (runtime) => [RUNTIMES[runtime], '--expose-gc'];
const BUFFERS = 'collects everything; it has no other mode';
const SAME = 'the same interface as child_process';
const FOUR = 'not run: touching 4 GB takes 16 s for each process of each round';

const ONLY_STARTS = Object.fromEntries(
  ['capture', 'count', 'head', 'tail', 'sink', 'echo', 'tree', 'hold', 'load'].map((name) => [
    name,
    'not run: other versions of Node are compared by their starts only',
  ]),
);
const NO_LOOP = 'has no event loop';
const LIMIT_ONLY = {
  burst: NO_LOOP,
  'gap-60mb': NO_LOOP,
  'gap-1gb': NO_LOOP,
  tree: 'not run: it has no more than kill(2)',
  hold: 'not run: it keeps nothing for a child',
  load: 'nothing is loaded',
  head: 'the same reading as in discard-count',
  tail: 'the same reading as in discard-count',
};
const LIMIT = (more) => ({ need: 'c', program: true, ...more, cannot: { ...LIMIT_ONLY, ...more.cannot } });
const STREAMS_ELSEWHERE = Object.fromEntries(
  ['capture', 'count', 'head', 'tail', 'sink', 'echo'].map((name) => [name, 'the same code as in C posix_spawn']),
);

export const CONTENDERS = {
  child_process: { ...builtIn, command: node('node'), load: () => overStreams(childProcess), cannot: {} },
  'child_process (group)': {
    command: node('node'),
    load: () => withGroupKill(overStreams(childProcess), childProcess),
    cannot: {
      ...ONLY_STARTS,
      ...Object.fromEntries([...Object.keys(ONLY_STARTS), 'start', 'startSync'].map((name) => [name, SAME])),
      tree: undefined,
    },
  },
  'child_process (Node 24)': {
    need: 'node24',
    command: node('node24'),
    load: () => overStreams(childProcess),
    cannot: { ...ONLY_STARTS, 'latency-4gb': FOUR },
  },
  'child_process (Node 26)': {
    need: 'node26',
    command: node('node26'),
    load: () => overStreams(childProcess),
    cannot: { ...ONLY_STARTS, 'latency-4gb': FOUR },
  },
  execa: { ...ofPeer('execa'), need: 'execa', command: node('node'), load: execa, cannot: { 'latency-4gb': FOUR } },
  'nano-spawn': {
    ...ofPeer('nano-spawn'),
    need: 'nano-spawn',
    command: node('node'),
    load: nanoSpawn,
    cannot: {
      startSync: 'has no blocking call',
      count: BUFFERS,
      head: BUFFERS,
      tail: BUFFERS,
      'latency-4gb': FOUR,
      'capture-1gib': '1 GiB does not fit into a string',
      'stdin-sink': '1 GiB does not fit into a string',
      'stdin-echo': '1 GiB does not fit into a string',
    },
  },
  tinyexec: {
    ...ofPeer('tinyexec'),
    need: 'tinyexec',
    command: node('node'),
    load: tinyexec,
    cannot: {
      count: BUFFERS,
      head: BUFFERS,
      tail: BUFFERS,
      sink: 'stdin is text: 1 GiB does not fit into a string',
      echo: 'stdin is text: 1 GiB does not fit into a string',
      'latency-4gb': FOUR,
      'capture-1gib': '1 GiB does not fit into a string',
    },
  },
  zx: {
    ...ofPeer('zx'),
    need: 'zx',
    command: node('node'),
    load: zx,
    cannot: { count: BUFFERS, head: BUFFERS, tail: BUFFERS, 'latency-4gb': FOUR },
  },
  'cross-spawn': {
    ...ofPeer('cross-spawn'),
    need: 'cross-spawn',
    command: node('node'),
    load: async () => {
      const { default: spawn } = await importPeer('cross-spawn');
      return overStreams({ spawn, spawnSync: spawn.sync });
    },
    cannot: {
      'latency-4gb': FOUR,
      ...Object.fromEntries(
        ['capture', 'count', 'head', 'tail', 'sink', 'echo', 'tree', 'hold'].map((name) => [
          name,
          'returns what child_process returns',
        ]),
      ),
    },
  },
  Bun: { need: 'bun', command: [RUNTIMES.bun], load: bun, cannot: { load: 'a runtime: nothing is loaded' } },
  Deno: {
    need: 'deno',
    command: [RUNTIMES.deno, 'run', '--allow-all', '--no-check'],
    load: deno,
    cannot: { load: 'a runtime: nothing is loaded', 'latency-4gb': FOUR },
  },
  Python: LIMIT({
    need: 'python',
    command: ['python3', new URL('../limit/limit.py', import.meta.url).pathname],
    cannot: { count: BUFFERS, 'latency-4gb': FOUR },
  }),
  Rust: LIMIT({ need: 'rust', command: [programPath('limit-rust')], cannot: { 'latency-4gb': FOUR } }),
  'C posix_spawn': LIMIT({ command: [programPath('limit-c'), 'posix_spawn'] }),
  'C vfork': LIMIT({
    command: [programPath('limit-c'), 'vfork'],
    cannot: { ...STREAMS_ELSEWHERE, 'latency-4gb': FOUR },
  }),
  'C clone3': LIMIT({
    command: [programPath('limit-c'), 'clone3'],
    cannot: { ...STREAMS_ELSEWHERE, 'latency-4gb': FOUR },
  }),
  'argv-spawn': { ...ours, command: node('node'), load: () => argvSpawn('tree'), cannot: {} },
  'argv-spawn (group)': { command: node('node'), load: () => argvSpawn('group'), cannot: { load: 'the same package' } },
};

/** The first is what the others are divided by. */
export const BASELINE = 'child_process';
