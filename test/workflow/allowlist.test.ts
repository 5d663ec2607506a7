// What a policy approves, what it refuses when it is built, and which file runs.

import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { platform } from '../../lib/index.ts';
import { AllowlistError, createWorkflow, gitGuard } from '../../lib/workflow.ts';
import type { AllowEntry, Command, ShOptions, Workflow, WorkflowOptions } from '../../lib/workflow.ts';
import { findFixture } from '../helpers/child.ts';
import { makeFolder, writeProgram } from '../helpers/folder.ts';

const folder = makeFolder();
const open: Workflow[] = [];
function make(allow: readonly AllowEntry[], more: Partial<WorkflowOptions> = {}): Workflow {
  const workflow = createWorkflow({ allow, cwd: folder, ...more });
  open.push(workflow);
  return workflow;
}
afterAll(() => Promise.all(open.map((one) => one.close())));

async function refusal(workflow: Workflow, command: Command, options: ShOptions = {}): Promise<string> {
  const error: unknown = await workflow.sh(command, options).then(
    () => new Error('approved'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof AllowlistError)) throw error;
  return error.reason;
}

describe('a policy that would approve everything is refused when it is built', () => {
  const runners =
    'env xargs sh bash dash zsh node python3 python3.11 perl ruby find busybox timeout nice nohup setsid stdbuf sudo ssh awk ' +
    'sed tar make npm npx docker vi less tee dd split ld-linux-x86-64.so.2 BASH node.exe';
  test.each(runners.split(' '))('%s', (name) => {
    expect(() => make([name])).toThrow(AllowlistError);
    expect(() => make([{ program: name }])).toThrow(/runner/);
    expect(() => make([{ program: name, args: [['--version']] }])).not.toThrow();
  });
  test('also by what a path leads to', () => {
    symlinkSync('/bin/sh', join(folder, 'harmless'));
    expect(() => make([join(folder, 'harmless')])).toThrow(/runner/);
    expect(() => make([{ program: 'fine', path: join(folder, 'harmless') }])).toThrow(/runner/);
  });
  test('and what a bare name leads to, when it is looked up', async () => {
    const workflow = make(['harmless'], { path: folder });
    expect(await refusal(workflow, ['harmless', '-c', 'id'])).toBe('runner');
  });
  test('or a copy of one in an approved folder has its name', async () => {
    const dir = join(folder, 'tools');
    mkdirSync(dir);
    copyFileSync('/bin/sh', join(dir, 'sh'));
    expect(await refusal(make([{ dir }]), ['sh', '-c', 'id'])).toBe('runner');
  });
});

test.each([
  [[{ program: './x' }], 'allow[0]'],
  [['../x'], 'allow[0]'],
  [[''], 'allow[0]'],
  [[7], 'allow[0]'],
  [[{ dir: 'x' }], 'allow[0].dir'],
  [[{ program: 'x', path: 'y' }], 'allow[0].path'],
  [[{ program: '/x', path: '/y' }], 'allow[0].path'],
  [[{ program: 'x', args: [] }], 'allow[0].args'],
  [[{ program: 'x', args: [[3]] }], 'allow[0].args[0][0]'],
  [[{ program: 'x', args: [[{ rest: /x/ }, 'y']] }], 'allow[0].args[0][0]'],
  [[{ program: 'x', arg: [] }], 'allow[0].arg'],
  [{}, 'allow'],
])('a wrong entry is named: %j', (allow, field) => {
  expect(() => make(allow as never)).toThrow(expect.objectContaining({ field }) as Error);
});

describe('patterns', () => {
  const echo = (args: readonly (readonly never[])[]): Workflow => make([{ program: 'echo', args }]);
  const patterns = echo([['a'], ['b', ['c', 'd'], /e+/g], ['f', { rest: /[a-z]+/m }]] as never);
  test.each([['a'], ['b', 'c', 'e'], ['b', 'd', 'eee'], ['f'], ['f', 'x', 'y']])(
    '%s %s %s: approved',
    async (...args) => {
      const words = args.filter((one) => (one as string | undefined) !== undefined);
      for (let i = 0; i < 3; i++) expect((await patterns.sh(['echo', ...words])).stdout).toBe(`${words.join(' ')}\n`);
    },
  );
  test.each([[[]], [['a', 'a']], [['b', 'x', 'e']], [['b', 'c', 'ef']], [['f', 'x', 'Y']], [['f', 'x\ny']], [['F']]])(
    '%j: refused',
    async (args) => {
      expect(await refusal(patterns, ['echo', ...args])).toBe('arguments');
    },
  );
  test('bytes are refused where a rule has to read them', async () => {
    expect(await refusal(patterns, ['echo', Buffer.from('a')])).toBe('arguments');
    expect((await make(['echo']).sh(['echo', Buffer.from([0xff])], { encoding: 'buffer' })).stdout).toEqual(
      Buffer.from([0xff, 0x0a]),
    );
  });
  test('a guard that answers anything but true refuses, and one that throws rejects', async () => {
    for (const answer of [false, undefined, 'no', 1]) {
      const guard = (): never => answer as never;
      expect(await refusal(make([{ program: 'echo', args: guard }]), ['echo'])).toBe('arguments');
    }
    const failing = (): never => {
      throw new Error('broken guard');
    };
    await expect(make([{ program: 'echo', args: failing }]).sh(['echo'])).rejects.toThrow('broken guard');
  });
});

describe('git, when it is allowed by name', () => {
  const inFolders = { cwd: '/w', isInFolders: (path: string) => !path.includes('evil') };
  test.each([
    'status --porcelain',
    '-C sub status',
    '--no-pager log --oneline -n 3 HEAD~2..HEAD -- a b',
    'commit -q -m --output=x',
    'push -q -u origin feature/x:main',
    'worktree add -q -b topic ../topic main',
    'fetch --prune origin',
    '--version',
  ])('%s', (line) => {
    expect(gitGuard(line.split(' '), inFolders)).toBe(true);
  });
  test.each([
    '',
    '-c a=b status',
    '--config-env=a=b status',
    '--git-dir=/x status',
    '--work-tree=/x status',
    '-C evil status',
    '-C sub -C evil status',
    '-C',
    '--no-pager',
    '-p log',
    'log --outp=f',
    'log --output f',
    'log -o f',
    'log --stat --ext-diff',
    'show --textconv',
    'diff --no-index a b',
    'diff -O/x',
    'commit',
    'commit -m',
    'commit -F /etc/passwd',
    'commit -qS -m x',
    'push --receive-pack=x origin',
    'push --exec=x origin',
    'push --force origin main',
    'push origin +main',
    'push ext::sh',
    'push https://e/x',
    'push ssh://-oProxyCommand=x/y',
    'push ../evil.git',
    'push -- ext::sh',
    'fetch --upload-pack=x origin',
    'fetch -u origin',
    'pull --rebase=interactive',
    'ls-remote --upload-pack=x origin',
    'clone x',
    'config a.b c',
    'submodule foreach x',
    'bisect run x',
    'rebase -x id',
    'grep -Ox',
    'merge -s evil',
    'merge --strategy=evil',
    'worktree add ../evil main',
    'worktree move a b',
    'add -p',
    'branch --edit-description',
    'tag -s v1',
    'difftool',
    'Status',
    'alias',
  ])('not: %s', (line) => {
    expect(gitGuard(line === '' ? [] : line.split(' '), inFolders)).toBeTypeOf('string');
  });
  test('patterns narrow that rule, a function replaces it', async () => {
    const wide = make([{ program: 'git', args: [[{ rest: /.*/ }]] }]);
    expect(await refusal(wide, ['git', '-c', 'a.b=c', 'version'])).toBe('arguments');
    const own = make([{ program: 'git', args: () => true }]);
    expect((await own.sh(['git', '-c', 'a.b=c', 'version'])).ok).toBe(true);
  });
});

describe('where', () => {
  test('a folder outside the workflow is refused, however it is written', async () => {
    const workflow = make(['pwd', 'git'], { folders: [join(folder, 'inside')], cwd: join(folder, 'inside') });
    expect((await workflow.sh(['pwd'])).stdout).toBe(`${join(folder, 'inside')}\n`);
    for (const cwd of [folder, '/', join(folder, 'inside', 'link'), `${folder}/inside/link/..`]) {
      expect(await refusal(workflow, ['pwd'], { cwd })).toBe('folder');
    }
    for (const path of ['..', 'link', 'link/..', 'sub/../..', 'nothing/../../..', '/']) {
      expect(await refusal(workflow, ['git', '-C', path, 'status'])).toBe('arguments');
    }
    expect(await refusal(workflow, ['git', 'worktree', 'add', 'dangling', 'main'])).toBe('arguments');
  });
  mkdirSync(join(folder, 'inside', 'sub'), { recursive: true });
  mkdirSync(join(folder, 'outside'));
  symlinkSync(join(folder, 'outside'), join(folder, 'inside', 'link'));
  symlinkSync(join(folder, 'not-there-yet'), join(folder, 'inside', 'dangling'));
});

describe('environment', () => {
  test('a step sets only what allowEnv names', async () => {
    const workflow = make([{ program: 'env', args: [[]] }], { env: { A: '1' }, allowEnv: ['B', 'CI_*'] });
    expect((await workflow.sh(['env'], { env: { B: '2', CI_X: '3' } })).stdout).toBe('A=1\nB=2\nCI_X=3\n');
    for (const name of ['PATH', 'LD_PRELOAD', 'GIT_SSH_COMMAND', 'b', 'BB', 'CI']) {
      expect(await refusal(workflow, ['env'], { env: { [name]: 'x' } })).toBe('environment');
    }
  });
  test("names are looked up on the policy's PATH, never the child's", async () => {
    const bin = join(folder, 'planted');
    mkdirSync(bin);
    writeProgram(bin, 'ls', '#!/bin/sh\necho planted\n');
    const workflow = make(['ls'], { env: { PATH: bin }, path: '/usr/bin:/bin' });
    expect((await workflow.sh(['ls', '-d', '.'])).stdout).toBe('.\n');
    expect((await workflow.sh('ls -d .')).stdout).toBe('.\n');
  });
  test('variables that make a shell read other code make text unresolved', async () => {
    for (const env of [{ BASH_ENV: '/x' }, { 'BASH_FUNC_ls%%': '() { id; }' }]) {
      expect(await refusal(make(['ls'], { env, shell: 'bash' }), 'ls')).toBe('unresolved');
    }
  });
  test('relative and empty entries of the PATH do not count, also in the shell', async () => {
    writeProgram(folder, 'only-here', '#!/bin/sh\necho here\n');
    const workflow = make(['only-here'], { path: ':.:/usr/bin' });
    expect(await refusal(workflow, ['only-here'])).toBe('not-found');
    expect(await refusal(workflow, 'only-here')).toBe('not-found');
  });
});

describe('which file', () => {
  test('a shell with start-up files of its own, or an unknown one, reads no text', async () => {
    for (const shell of ['zsh', '/usr/bin/fish', 'nosuch']) {
      expect(await refusal(make(['ls'], { shell }), 'ls')).toBe('shell');
    }
  });
  test('what the shell would find must be what is approved', async () => {
    const dir = join(folder, 'own');
    mkdirSync(dir);
    writeProgram(dir, 'ls', '#!/bin/sh\necho own\n');
    const workflow = make([{ program: 'ls', path: join(dir, 'ls') }]);
    expect((await workflow.sh(['ls'])).stdout).toBe('own\n');
    expect(await refusal(workflow, 'ls')).toBe('changed');
  });
  test('a file that any user may change or replace is refused', async () => {
    const dir = join(folder, 'loose');
    mkdirSync(dir);
    const path = writeProgram(dir, 'tool', '#!/bin/sh\necho tool\n');
    const workflow = make([path]);
    chmodSync(path, 0o757);
    expect(await refusal(workflow, [path])).toBe('writable');
    chmodSync(path, 0o755);
    chmodSync(dir, 0o757);
    expect(await refusal(workflow, [path])).toBe('writable');
    chmodSync(dir, 0o755);
    expect((await workflow.sh([path])).stdout).toBe('tool\n');
  });
  test('another path to the same file counts under the same name only', async () => {
    const dir = join(folder, 'others');
    mkdirSync(dir);
    symlinkSync('/bin/ls', join(dir, 'ls'));
    symlinkSync('/bin/ls', join(dir, 'list'));
    const workflow = make(['ls']);
    expect((await workflow.sh([join(dir, 'ls'), '-d', '.'])).stdout).toBe('.\n');
    expect(await refusal(workflow, [join(dir, 'list'), '-d', '.'])).toBe('not-listed');
  });
  test('a link that leads elsewhere than it did is refused', async () => {
    const dir = join(folder, 'moving');
    mkdirSync(dir);
    const link = join(dir, 'tool');
    symlinkSync('/bin/echo', link);
    const workflow = make([link]);
    expect((await workflow.sh([link, 'a'])).stdout).toBe('a\n');
    rmSync(link);
    symlinkSync('/bin/cat', link);
    expect(await refusal(workflow, [link, 'a'])).toBe('changed');
  });
  test('a program that is upgraded in place goes on being approved', async () => {
    const path = writeProgram(folder, 'upgraded', '#!/bin/sh\necho 1\n');
    const workflow = make([path]);
    expect((await workflow.sh([path])).stdout).toBe('1\n');
    writeProgram(folder, 'upgraded.new', '#!/bin/sh\necho 22\n');
    renameSync(join(folder, 'upgraded.new'), path);
    expect((await workflow.sh([path])).stdout).toBe('22\n');
  });

  /** Replaces the file at the last moment that JavaScript has: when the step is announced. */
  const swapAtStart = (path: string, swap: () => void): Workflow =>
    make([path], {
      onEvent: ({ type }) => {
        if (type === 'started') swap();
      },
    });
  test('a file replaced between approval and start does not run', async () => {
    const path = join(folder, 'swapped');
    copyFileSync('/bin/echo', path);
    const workflow = swapAtStart(path, () => {
      copyFileSync('/bin/cat', `${path}.new`);
      renameSync(`${path}.new`, path);
    });
    expect(await refusal(workflow, [path, 'x'])).toBe('changed');
  });
  test('nor one that is written over', async () => {
    const path = writeProgram(folder, 'rewritten', '#!/bin/sh\necho good\n');
    const ran = join(folder, 'rewritten-ran');
    const workflow = swapAtStart(path, () => writeFileSync(path, `#!/bin/sh\ntouch ${ran}\n`));
    expect(await refusal(workflow, [path])).toBe('changed');
    expect(() => readlinkSync(ran)).toThrow('ENOENT');
  });
  test('a compiled program runs through the descriptor that was checked, under its own name', async (context) => {
    if (platform.os !== 'linux') context.skip('only Linux names descriptors');
    const path = join(folder, 'pinned');
    copyFileSync(findFixture('child'), path);
    const { stdout, program } = await make([path]).sh([path, 'args', 'a b', '']);
    const words = stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => Buffer.from(line, 'hex').toString());
    expect(words).toEqual([path, 'args', 'a b', '']);
    expect(program).toBe(path);
    const link = await make([{ program: 'readlink', args: [['/proc/self/exe']] }]).sh(['readlink', '/proc/self/exe']);
    expect(basename(link.stdout.trim())).toBe('readlink');
  });
  test('a program that replaced itself while it ran is told, and its step not recorded', async () => {
    const path = join(folder, 'self');
    writeProgram(folder, 'self', `#!/bin/sh\nsed -i 's/one/two/' "$0"\necho one\n`);
    const journal = join(folder, 'self-journal');
    const workflow = make([path], { journal, runId: 'r' });
    expect(await refusal(workflow, [path])).toBe('changed');
    await workflow.close();
    const again = make([path], { journal, resumeFromRunId: 'r' });
    expect((await again.sh([path]).catch(() => null))?.cached ?? false).toBe(false);
  });
});
