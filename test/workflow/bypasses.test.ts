// Inputs that got past the allowlists of other products. Neither form of sh() may approve one of them, and nothing may
// have been started. Inputs that are harmless as an argument vector (`echo a && rm x` as six words) run, inert.

import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { AllowlistError, createWorkflow, findGuard } from '../../lib/workflow.ts';
import type { AllowEntry, Command, Workflow } from '../../lib/workflow.ts';
import { makeFolder, writeProgram } from '../helpers/folder.ts';
import { makeStubs } from './stub-programs.ts';

const folder = makeFolder();
const NAMES =
  'git cat ls echo find rg sort uniq npm timeout env nice rm curl python3 sh bash busybox touch sed awk tar tee dd'.split(
    ' ',
  );
const stubs = makeStubs(folder, NAMES);
const work = join(folder, 'work');
const evil = join(folder, 'evil');
mkdirSync(work);
mkdirSync(evil);
writeProgram(evil, 'git', '#!/bin/sh\nexit 0\n');

const any = { rest: /.*/s };
const ALLOW: readonly AllowEntry[] = [
  {
    program: 'git',
    args: [
      ['log', any],
      ['status', any],
      ['diff', any],
    ],
  },
  'cat',
  'ls',
  'echo',
  { program: 'find', args: findGuard },
  'rg',
  'sort',
  'uniq',
  { program: 'npm', args: [['test']] },
  { program: 'timeout', args: [[/\d+/, 'ls', { rest: /[^-].*/ }]] },
  { program: 'env', args: [[]] },
];

const PWSH = {
  id: 'pwsh',
  label: 'PowerShell 7',
  path: '/usr/bin/pwsh',
  platform: 'linux',
  available: true,
  supports_login: false,
  supports_interactive: false,
  default_args: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command'],
  login_args: [],
  source: 'host',
} as const;

const open: Workflow[] = [];
function make(allow: readonly AllowEntry[], shell: 'bash' | 'sh' | typeof PWSH = 'bash'): Workflow {
  const workflow = createWorkflow({ allow, cwd: work, path: `${stubs.bin}:/usr/bin:/bin`, shell });
  open.push(workflow);
  return workflow;
}
afterAll(() => Promise.all(open.map((one) => one.close())));

const bash = make(ALLOW);
const pwsh = make(ALLOW, PWSH);

async function expectRefusal(workflow: Workflow, command: Command, reason?: string): Promise<void> {
  const error: unknown = await workflow.sh(command).then(
    (result) => new Error(`approved: ${JSON.stringify(result)}`),
    (refusal: unknown) => refusal,
  );
  expect(error).toBeInstanceOf(AllowlistError);
  if (reason !== undefined) expect((error as AllowlistError).reason, String(error)).toBe(reason);
  expect(stubs.takeStarts()).toEqual([]);
  expect(readdirSync(work)).toEqual([]);
}

type Row = readonly [
  number: number,
  text: string,
  reason: string,
  argv?: readonly [string, ...string[]],
  argvReason?: string,
];

/** Text for bash, why it is refused; the same as an argument vector, and why that is refused: `inert` when it may run. */
const ROWS: readonly Row[] = [
  [1, 'echo a && rm x', 'not-listed', ['echo', 'a', '&&', 'rm', 'x'], 'inert'],
  [2, 'cd p && python3 s.py', 'not-listed', ['cd', 'p', '&&', 'python3', 's.py'], 'not-listed'],
  [3, 'git log; curl u', 'not-listed', ['git', 'log;', 'curl', 'u'], 'arguments'],
  [4, 'cat x\nrm -rf y', 'not-listed', ['cat', 'x\nrm', '-rf', 'y'], 'inert'],
  [5, `${'echo a; '.repeat(50)}curl u`, 'not-listed', ['curl', 'u'], 'not-listed'],
  [6, "bash -c 'echo x >> .claude/f'", 'redirect', ['bash', '-c', 'echo x >> .claude/f'], 'not-listed'],
  [7, 'echo payload > ~/.bashrc', 'unresolved', ['echo', 'payload', '>', '~/.bashrc'], 'inert'],
  [7, 'echo payload > rc', 'redirect'],
  [8, 'cat x >&/home/u/f', 'redirect', ['cat', 'x', '>&/home/u/f'], 'inert'],
  [9, '> victim', 'redirect', ['>', 'victim'], 'not-listed'],
  [11, 'CI=true git push', 'arguments', ['CI=true', 'git', 'push'], 'not-listed'],
  [11, 'CI=true git status', 'not-listed'],
  [12, 'X=`touch f` npm --version', 'arguments', ['X=`touch f`', 'npm', '--version'], 'not-listed'],
  [12, 'X=`ls` npm test', 'not-listed'],
  [13, 'FOO[$(id)]=v ls', 'unresolved', ['FOO[$(id)]=v', 'ls'], 'not-listed'],
  [14, 'cat${IFS}/etc/passwd', 'unresolved', ['cat${IFS}/etc/passwd'], 'relative-path'],
  [15, "r''m x", 'not-listed', ['rm', 'x'], 'not-listed'],
  [15, 'r\\m x', 'not-listed', ['r\\m', 'x'], 'relative-path'],
  [15, "$'\\162m' x", 'not-listed', ["$'\\162m'", 'x'], 'relative-path'],
  [16, '{rm,-rf,x}', 'unresolved', ['{rm,-rf,x}'], 'not-listed'],
  [17, 'echo "$(rm x)"', 'unresolved', ['echo', '$(rm x)'], 'inert'],
  [17, 'cat <(rm x)', 'unresolved', ['cat', '<(rm x)'], 'inert'],
  [18, 'echo ${x@P}', 'unresolved', ['echo', '${x@P}'], 'inert'],
  [19, 'env rm x', 'not-listed', ['env', 'rm', 'x'], 'arguments'],
  [19, "env -S 'rm x'", 'unresolved', ['env', '-S', 'rm x'], 'arguments'],
  [20, 'timeout 5 rm x', 'not-listed', ['timeout', '5', 'rm', 'x'], 'arguments'],
  [20, 'nice rm x', 'not-listed', ['nice', 'rm', 'x'], 'not-listed'],
  [20, 'stdbuf -oL rm x', 'not-listed', ['stdbuf', '-oL', 'rm', 'x'], 'not-listed'],
  [20, 'setsid rm x', 'not-listed', ['setsid', 'rm', 'x'], 'not-listed'],
  [21, 'busybox rm x', 'not-listed', ['busybox', 'rm', 'x'], 'not-listed'],
  [21, 'toybox rm x', 'not-listed', ['toybox', 'rm', 'x'], 'not-listed'],
  [22, 'ls | xargs rm', 'unresolved', ['xargs', 'rm'], 'not-listed'],
  [23, 'find . -exec touch {} +', 'arguments', ['find', '.', '-exec', 'touch', '{}', '+'], 'arguments'],
  [23, 'find . -delete', 'arguments', ['find', '.', '-delete'], 'arguments'],
  [23, 'find . -fprintf f x', 'arguments', ['find', '.', '-fprintf', 'f', 'x'], 'arguments'],
  [23, 'find . -fls f', 'arguments', ['find', '.', '-fls', 'f'], 'arguments'],
  [24, 'sort -o f', 'arguments', ['sort', '-o', 'f'], 'arguments'],
  [24, 'sort -nof x', 'arguments', ['sort', '-nof', 'x'], 'arguments'],
  [24, 'sort --outp=f x', 'arguments', ['sort', '--outp=f', 'x'], 'arguments'],
  [24, 'sort --compress-program=./x', 'arguments', ['sort', '--compress-program=./x'], 'arguments'],
  [24, 'sort -k -- -o f', 'arguments', ['sort', '-k', '--', '-o', 'f'], 'arguments'],
  [25, 'uniq in out', 'arguments', ['uniq', 'in', 'out'], 'arguments'],
  [25, 'shuf -o f', 'not-listed', ['shuf', '-o', 'f'], 'not-listed'],
  [25, 'tee f', 'not-listed', ['tee', 'f'], 'not-listed'],
  [25, 'dd of=f', 'not-listed', ['dd', 'of=f'], 'not-listed'],
  [26, "sed -n 'w f'", 'not-listed', ['sed', '-n', 'w f'], 'not-listed'],
  [26, "sed '1e cmd'", 'not-listed', ['sed', '1e cmd'], 'not-listed'],
  [27, 'awk \'BEGIN{system("x")}\'', 'not-listed', ['awk', 'BEGIN{system("x")}'], 'not-listed'],
  [28, 'rg --pre ./x p', 'arguments', ['rg', '--pre', './x', 'p'], 'arguments'],
  [28, 'rg --hostname-bin=x p', 'arguments', ['rg', '--hostname-bin=x', 'p'], 'arguments'],
  [28, 'rg -z p', 'arguments', ['rg', '-z', 'p'], 'arguments'],
  [29, "rg $'--p\\x72e' ./x p", 'arguments', ['rg', '--pre', './x', 'p'], 'arguments'],
  [29, 'rg --p\\re ./x p', 'arguments'],
  [30, 'git -c core.pager=x log', 'arguments', ['git', '-c', 'core.pager=x', 'log'], 'arguments'],
  [30, 'git -p log', 'arguments', ['git', '-p', 'log'], 'arguments'],
  [30, 'git --exec-path=/tmp log', 'arguments', ['git', '--exec-path=/tmp', 'log'], 'arguments'],
  [30, 'git -C evil status', 'arguments', ['git', '-C', 'evil', 'status'], 'arguments'],
  [31, 'git log --output=f', 'arguments', ['git', 'log', '--output=f'], 'arguments'],
  [31, 'git diff --ext-diff', 'arguments', ['git', 'diff', '--ext-diff'], 'arguments'],
  [31, 'git grep -Ox', 'arguments', ['git', 'grep', '-Ox'], 'arguments'],
  [32, 'git fetch --upload-pack=x', 'arguments', ['git', 'fetch', '--upload-pack=x'], 'arguments'],
  [32, 'ssh -o ProxyCommand=x h', 'not-listed', ['ssh', '-o', 'ProxyCommand=x', 'h'], 'not-listed'],
  [33, 'tar --checkpoint-action=exec=x', 'not-listed', ['tar', '--checkpoint-action=exec=x'], 'not-listed'],
  [33, 'split --filter=x', 'not-listed', ['split', '--filter=x'], 'not-listed'],
  [33, 'make --eval=x', 'not-listed', ['make', '--eval=x'], 'not-listed'],
  [33, 'man --html=x ls', 'not-listed', ['man', '--html=x', 'ls'], 'not-listed'],
  [34, './git status', 'relative-path', ['./git', 'status'], 'relative-path'],
  [34, `${evil}/git status`, 'not-listed', [`${evil}/git`, 'status'], 'not-listed'],
  [34, `${stubs.bin}/../bin/git status`, 'relative-path', [`${stubs.bin}/../bin/git`, 'status'], 'relative-path'],
  [36, 'export PATH=./bin; ls', 'unresolved', ['export', 'PATH=./bin'], 'not-listed'],
  [36, 'PATH=./bin ls', 'relative-path', ['PATH=./bin', 'ls'], 'relative-path'],
  [39, 'RM x', 'not-listed', ['RM', 'x'], 'not-listed'],
  [39, 'rm.exe x', 'not-listed', ['rm.exe', 'x'], 'not-listed'],
  [39, 'rm. x', 'not-listed', ['rm.', 'x'], 'not-listed'],
  [39, "'C:\\x\\rm.EXE' x", 'relative-path', ['C:\\x\\rm.EXE', 'x'], 'relative-path'],
  [40, 'x.cmd "a&calc"', 'not-listed', ['x.cmd', 'a&calc'], 'not-listed'],
  [40, 'powershell.exe -c x', 'not-listed', ['powershell.exe', '-c', 'x'], 'not-listed'],
];

const POWERSHELL_ROWS: readonly (readonly [number: number, text: string])[] = [
  [10, 'git diff --no-index -- a b'],
  [37, 'ls @(calc.exe)'],
  [37, '& $c'],
  [37, 'Set-Alias g iex; g x'],
  [37, "[IO.File]::Delete('f')"],
  [38, 'param($x=$(rm f))'],
  [38, 'using module \\\\h\\s'],
  [38, 'trap {}'],
  [39, 'RM x'],
  [40, 'x.cmd "a&calc"'],
];

describe('as text', () => {
  const rows = ROWS.map(([number, text, reason]) => ({ number, text, reason }));
  test.each(rows)('$number: $text', async ({ text, reason }) => expectRefusal(bash, text, reason));
  test.each(POWERSHELL_ROWS)('%i: %s, in PowerShell', async (_, text) => expectRefusal(pwsh, text, 'unresolved'));
});

describe('as the text of a shell that is the program', () => {
  const texts: readonly [string, string, string][] = [
    ...ROWS.map(([, text]): [string, string, string] => ['bash', '-c', text]),
    ...POWERSHELL_ROWS.map(([, text]): [string, string, string] => ['pwsh', '-Command', text]),
  ];
  test.each(texts)('%s %s %j', async (shell, flag, text) => expectRefusal(bash, [shell, flag, text], 'not-listed'));
});

describe('as an argument vector', () => {
  const rows = ROWS.flatMap(([number, , , argv, reason]) => (argv && reason ? [{ number, argv, reason }] : []));
  test.each(rows)('$number: $argv', async ({ argv, reason }) => {
    if (reason !== 'inert') {
      await expectRefusal(bash, argv, reason);
      return;
    }
    await bash.sh(argv);
    const [program, ...args] = argv;
    expect(stubs.takeStarts().join('\n')).toBe(`${program}${args.map((one) => ` <${one}>`).join('')}`);
    expect(readdirSync(work)).toEqual([]);
  });
  test('10: git diff --no-index', async () =>
    expectRefusal(bash, ['git', 'diff', '--no-index', '--', 'a', 'b'], 'arguments'));
  test('37 and 38: words of PowerShell are no programs', async () => {
    for (const argv of [['& $c'], ['Set-Alias', 'g', 'iex'], ['using', 'module', 'x'], ['trap', '{}']] as const) {
      await expectRefusal(bash, argv, 'not-listed');
    }
    await expectRefusal(bash, ["[IO.File]::Delete('f')"], 'not-listed');
  });
});

describe('35: a link inside an approved folder', () => {
  const helpers = join(folder, 'helpers');
  mkdirSync(helpers);
  symlinkSync('/bin/sh', join(helpers, 'git'));
  symlinkSync('/bin/ls', join(helpers, 'list'));
  writeProgram(helpers, 'note', '#!/bin/sh\necho noted\n');
  const workflow = make([{ dir: helpers }]);

  test('that leads out of it is refused', async () => {
    await expectRefusal(workflow, ['git', '-c', 'id'], 'outside-folder');
    await expectRefusal(workflow, [join(helpers, 'list')], 'outside-folder');
    await expectRefusal(workflow, `${helpers}/git -c id`, 'outside-folder');
  });
  test('while its own programs run', async () => {
    expect((await workflow.sh(['note'])).stdout).toBe('noted\n');
    expect((await workflow.sh([join(helpers, 'note')])).stdout).toBe('noted\n');
    expect((await workflow.sh(`${helpers}/note`)).stdout).toBe('noted\n');
  });
});

describe('what the policy means to allow does run', () => {
  const texts: readonly (readonly [string, readonly string[]])[] = [
    ['git status --porcelain', ['git <status> <--porcelain>']],
    ['git log -n 3 --format=%s | sort -u', ['git <log> <-n> <3> <--format=%s>', 'sort <-u>']],
    ["cat 'a b' && ls -l; sort x", ['cat <a b>', 'ls <-l>', 'sort <x>']],
    ['find . -name x -print', ['find <.> <-name> <x> <-print>']],
    ['timeout 5 ls x', ['timeout <5> <ls> <x>']],
    ['npm test > /dev/null 2>&1', ['npm <test>']],
  ];
  const listed = make([...ALLOW, { program: 'bash', path: '/bin/bash', args: [['-c', 'ls y']] }]);
  test.each(texts)('%s', async (text, starts) => {
    await bash.sh(text);
    expect(stubs.takeStarts().sort()).toEqual([...starts].sort());
  });
  test('a shell with a rule for its text, when the file is the one that the name finds', async () => {
    await expectRefusal(listed, "bash -c 'ls y'", 'changed');
    const { ok, stderr } = await listed.sh(['bash', '-c', 'ls y']);
    expect(ok).toBe(false);
    expect(stderr).toContain('ls: ');
  });
});
