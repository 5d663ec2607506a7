// The chain that a workflow's command steps are for, with real git and a local stand-in for the forge, undisturbed and
// with hosts killed in the middle.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { makeFolder, writeProgram } from '../helpers/folder.ts';
import { findByCommand } from '../helpers/processes.ts';
import { until } from '../helpers/until.ts';

const HOST = fileURLToPath(new URL('chain-host.mjs', import.meta.url));
const root = makeFolder();

/** What is no git command. Each notes that it ran, and may be run again after an interruption. */
const HOPS: Readonly<Record<string, string>> = {
  'write-change': 'printf "%s\\n" "$2" > "$1/$(basename "$1").txt"',
  gate: 'test -n "$(git status --porcelain)"',
  'open-request': 'exec node "$(dirname "$0")/forge.mjs" open "$1" "$2"',
  'wait-check': 'exec node "$(dirname "$0")/forge.mjs" wait "$1"',
  'close-request': 'exec node "$(dirname "$0")/forge.mjs" merge "$1"',
};

/** git leaves its lock files when it is killed. */
const CLEAR_LOCKS = `#!/bin/sh
set -e
read_path() { git -C "$1" rev-parse --path-format=absolute "$2"; }
rm -f "$(read_path "$1" --git-dir)"/*.lock "$(read_path "$1" --git-common-dir)/refs/heads/$2.lock" \\
  "$(read_path "$1" --git-common-dir)"/refs/remotes/origin/*.lock
`;

/** Talks to the forge; opening twice for one branch gives the same request. */
const FORGE_CLIENT = `
const base = 'http://127.0.0.1:' + process.env.FORGE_PORT;
const post = async (path, body) => (await fetch(base + path, { method: 'POST', body: JSON.stringify(body) })).json();
const [, , action, a, b] = process.argv;
if (action === 'open') console.log((await post('/open', { branch: a, title: b })).id);
if (action === 'wait') while ((await (await fetch(base + '/status/' + a)).json()).status !== 'success') await new Promise((r) => setTimeout(r, 20));
if (action === 'merge') await post('/merge', { id: a });
`;

interface Forge {
  readonly server: Server;
  readonly port: number;
  readonly requests: { id: string; branch: string; title: string; asked: number; merged: number }[];
}

/** A check takes three questions to succeed. */
function startForge(): Promise<Forge> {
  const requests: Forge['requests'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const given = (body === '' ? {} : JSON.parse(body)) as { id?: string; branch?: string; title?: string };
      const id = given.id ?? request.url?.split('/')[2];
      let found = requests.find((one) => one.id === id || one.branch === given.branch);
      if (request.url === '/open' && !found) {
        found = { id: `pr-${given.branch}`, branch: given.branch ?? '', title: given.title ?? '', asked: 0, merged: 0 };
        requests.push(found);
      }
      if (found && request.method === 'GET') found.asked++;
      if (found && request.url === '/merge') found.merged++;
      response.end(JSON.stringify({ id: found?.id, status: (found?.asked ?? 0) >= 3 ? 'success' : 'pending' }));
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ server, port: (server.address() as AddressInfo).port, requests }));
  });
}

function prepare(name: string): string {
  const folder = join(root, name);
  const helpers = join(folder, 'helpers');
  mkdirSync(helpers, { recursive: true });
  for (const [helper, body] of Object.entries(HOPS)) {
    writeProgram(helpers, helper, `#!/bin/sh\nset -e\necho ${helper} >> "$HOPS"\n${body}\n`);
  }
  writeProgram(helpers, 'clear-locks', CLEAR_LOCKS);
  writeFileSync(join(helpers, 'forge.mjs'), FORGE_CLIENT);
  const env = {
    ...process.env,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
    GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  };
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: folder, env });
  writeFileSync(
    join(folder, '.gitconfig'),
    '[user]\nname = Test\nemail = test@example.invalid\n[init]\ndefaultBranch = main\n',
  );
  git('init', '-q', '--bare', 'origin.git');
  git('init', '-q', 'main');
  git('-C', 'main', 'commit', '-q', '--allow-empty', '-m', 'Start');
  git('-C', 'main', 'remote', 'add', 'origin', join(folder, 'origin.git'));
  git('-C', 'main', 'push', '-q', 'origin', 'main');
  return folder;
}

interface HostEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly events: string;
}

/** @param killAt - the host kills itself when an event matches; null: it comes to its end. */
function runHost(folder: string, port: number, resume: boolean, killAt: string | null): Promise<HostEnd> {
  const args = [HOST, folder, String(port), 'chain', ...(resume ? ['resume'] : [])];
  const env = { ...process.env, ...(killAt === null ? {} : { KILL_AT: killAt }) };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let [stdout, events] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (events += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, events })));
}

const countHops = (folder: string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const hop of readFileSync(join(folder, 'hops'), 'utf8').trim().split('\n')) counts[hop] = (counts[hop] ?? 0) + 1;
  return counts;
};

const ONCE_EACH = Object.fromEntries(Object.keys(HOPS).map((helper) => [helper, 2]));

function expectOutcome(folder: string, forge: Forge, end: HostEnd): void {
  expect(end.events).not.toMatch(/^failed/m);
  expect(end.code).toBe(0);
  const { log } = JSON.parse(end.stdout) as { log: string };
  for (const subject of ['Start', 'Add feature-a', "Add feature-$(touch hacked)'b"])
    expect(log.split('\n')).toContain(subject);
  expect(forge.requests.map(({ branch, title }) => [branch, title]).sort()).toEqual([
    ['item-0', 'feature-a'],
    ['item-1', "feature-$(touch hacked)'b"],
  ]);
  expect(forge.requests.map(({ merged }) => merged)).toEqual([1, 1]);
  expect(existsSync(join(folder, 'main', 'hacked'))).toBe(false);
  const pushed = execFileSync('git', ['-C', join(folder, 'origin.git'), 'branch', '--format=%(refname:short)'], {
    encoding: 'utf8',
  });
  expect(pushed.split('\n').sort()).toEqual(['', 'item-0', 'item-1', 'main']);
}

test('the chain runs without a model between its hops, and resumes where a killed host was', async () => {
  const calm = { folder: prepare('calm'), forge: await startForge() };
  const rough = { folder: prepare('rough'), forge: await startForge() };
  try {
    const undisturbed = await runHost(calm.folder, calm.forge.port, false, null);
    expectOutcome(calm.folder, calm.forge, undisturbed);
    expect(countHops(calm.folder)).toEqual(ONCE_EACH);

    // Killed as a finished step is announced (nothing of it may happen again), and as one starts.
    const moments = [
      '^finished 0[.]0[.]0 git worktree',
      '^started 0[.]1[.]\\d+ git .* commit',
      '^finished 0[.]\\d[.]\\d+ git .* push',
      '^finished 0[.]0[.]\\d+ wait-check',
      '^started 1 git merge',
      '^finished 2 close-request',
    ];
    for (const [i, moment] of moments.entries()) {
      const { code, events } = await runHost(rough.folder, rough.forge.port, i > 0, moment);
      expect(code, events).toBeNull();
      expect(events.trimEnd().split('\n').at(-1)).toMatch(new RegExp(moment));
      await until('its steps have ended with it', () => findByCommand(rough.folder).length === 0);
    }
    const resumed = await runHost(rough.folder, rough.forge.port, true, null);
    expectOutcome(rough.folder, rough.forge, resumed);
    const { tree } = JSON.parse(resumed.stdout) as { tree: string };
    expect(tree).toBe((JSON.parse(undisturbed.stdout) as { tree: string }).tree);
    expect(resumed.events).toMatch(/^cached 0\.0\.0 git worktree/m);
    expect(resumed.events).not.toMatch(/^started [012]\b/m);

    const again = await runHost(rough.folder, rough.forge.port, true, null);
    expect(again.stdout).toBe(resumed.stdout);
    expect(again.events).not.toContain('started');
  } finally {
    calm.forge.server.close();
    rough.forge.server.close();
  }
}, 300_000);
