// What an allowed `git` may be asked to do: listed commands with listed options. Everything else is refused, since git
// has many ways to run other programs (-c, --exec-path, --upload-pack, ext::, --output, --ext-diff, -O, editors, ...).
// Options are matched whole and never abbreviated. Values are read as git 2.39 reads them (parse-options).
//
// Not covered, because no argument shows it: the configuration, hooks and attributes of the repository can name programs.
// Whoever may write those in an approved folder may run programs through git.

import type { ArgsGuard, GuardContext } from './policy-types.ts';

interface Command {
  /** Whole options that take no further argument. */
  readonly options?: RegExp;
  /** Options whose value is the next argument. */
  readonly valued?: readonly string[];
  /** One argument has to match: without it the command starts an editor. */
  readonly needs?: RegExp;
  /** @returns what is wrong with the operands. */
  readonly operands?: (operands: readonly string[], context: GuardContext) => string | null;
}

/** A configured remote. Addresses can name commands (`ext::`) and other repositories' hooks. */
const REMOTE = /^[A-Za-z0-9_][\w.-]*$/;
const REFSPEC = /^[\w@][^\s:]*(?::[\w@][^\s:]*)?$/;

function checkRemote(operands: readonly string[]): string | null {
  const [remote, ...refs] = operands;
  if (remote !== undefined && !REMOTE.test(remote)) return `${remote} is not the name of a remote`;
  const bad = refs.find((ref) => !REFSPEC.test(ref));
  return bad === undefined ? null : `${bad} is not a plain ref`;
}

function checkWorktree(operands: readonly string[], context: GuardContext): string | null {
  const [action, path] = operands;
  if (action === 'list' || action === 'prune') return operands.length === 1 ? null : `${action} takes nothing`;
  if (action !== 'add' && action !== 'remove') return `worktree ${action ?? ''} is not in the rule`;
  if (path === undefined) return `worktree ${action} takes a path`;
  return context.isInFolders(path) ? null : `${path} is not in the workflow's folders`;
}

const none = (operands: readonly string[]): string | null =>
  operands.length === 0 ? null : `${operands[0]} is one argument too many`;

const SHOWN =
  '-z|-p|-u|--patch|-s|--no-patch|--raw|--stat(?:=\\d[\\d,]*)?|--shortstat|--numstat|--summary|--name-only|--name-status|' +
  '--patch-with-stat|-U\\d+|--unified=\\d+|--color(?:=\\w+)?|--no-color|--word-diff(?:=\\w+)?|-w|-b|--ignore-space-change|' +
  '--ignore-all-space|-M\\d*%?|-C\\d*%?|--find-renames(?:=\\d+%?)?|--no-renames|--diff-filter=\\w+|--full-index|--binary|' +
  '--abbrev(?:=\\d+)?|--no-ext-diff|--no-textconv|--no-prefix|--relative|-R|--check|--exit-code|-q|--quiet';
const LISTED =
  '--oneline|--format=.*|--pretty(?:=.*)?|-\\d+|-n\\d+|--max-count=\\d+|--skip=\\d+|--graph|--decorate(?:=\\w+)?|' +
  '--no-decorate|--all|--branches|--tags|--remotes|--first-parent|--merges|--no-merges|--reverse|--follow|--date=[^\\n]*|' +
  '--since=.*|--until=.*|--after=.*|--before=.*|--author=.*|--committer=.*|--grep=.*|-i|--abbrev-commit|--no-abbrev-commit|' +
  '--date-order|--topo-order|--boundary|--left-right|--cherry-pick|--count|--not';

const options = (...parts: string[]): RegExp => new RegExp(`^(?:${parts.join('|')})$`, 's');

const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  [
    'status',
    {
      options: options(
        '--porcelain(?:=v?[12])?|-s|--short|-b|--branch|-z|-sb|--long|-u(?:no|normal|all)?|--untracked-files(?:=\\w+)?',
        '--ignored(?:=\\w+)?|--ignore-submodules(?:=\\w+)?|--ahead-behind|--no-ahead-behind|--no-renames',
      ),
    },
  ],
  ['log', { options: options(SHOWN, LISTED), valued: ['-n'] }],
  ['show', { options: options(SHOWN, LISTED) }],
  ['diff', { options: options(SHOWN, '--cached|--staged|--merge-base') }],
  ['rev-list', { options: options(LISTED), valued: ['-n'] }],
  [
    'rev-parse',
    {
      options: options(
        '--verify|-q|--quiet|--short(?:=\\d+)?|--abbrev-ref(?:=\\w+)?|--symbolic-full-name|--show-toplevel|--git-dir',
        '--git-common-dir|--is-inside-work-tree|--is-bare-repository|--show-prefix|--show-cdup|--absolute-git-dir',
      ),
    },
  ],
  ['merge-base', { options: options('--is-ancestor|--all|-a|--octopus|--fork-point') }],
  ['describe', { options: options('--tags|--all|--always|--long|--abbrev=\\d+|--dirty|--match=.*|--exact-match') }],
  ['ls-files', { options: options('-[cdomstuzi]+|--others|--modified|--deleted|--exclude-standard|--error-unmatch') }],
  ['ls-tree', { options: options('-[rdtlz]+|--name-only|--full-tree') }],
  ['cat-file', { options: options('-[tsep]') }],
  ['for-each-ref', { options: options('--format=.*|--sort=.*|--count=\\d+|--contains|--merged') }],
  ['show-ref', { options: options('--heads|--tags|--verify|-q|--quiet|--head|-s|--hash') }],
  ['shortlog', { options: options('-[sne]+|--all|--no-merges') }],
  [
    'ls-remote',
    { options: options('--heads|-h|--tags|-t|--refs|-q|--quiet|--exit-code|--symref'), operands: checkRemote },
  ],
  ['add', { options: options('-A|--all|-u|--update|-N|--intent-to-add|-v|--verbose|-n|--dry-run') }],
  ['rm', { options: options('-r|-q|--quiet|--cached|-n|--dry-run|--ignore-unmatch') }],
  ['mv', { options: options('-n|--dry-run|-v|--verbose') }],
  ['restore', { options: options('--staged|-S|--worktree|-W|-q|--quiet|--source=[^-].*') }],
  ['reset', { options: options('--soft|--mixed|--hard|--keep|-q|--quiet') }],
  [
    'commit',
    {
      options: options(
        '-a|--all|-q|--quiet|--amend|--no-edit|--allow-empty|-s|--signoff|--message=.+|-m.+|--author=.+|--date=.+',
      ),
      valued: ['-m', '-am', '--message', '--author', '--date'],
      needs: /^(?:-a?m|-m.+|--message(?:=.*)?|--no-edit)$/s,
    },
  ],
  [
    'branch',
    {
      options: options(
        '--show-current|--list|-l|-a|--all|-r|--remotes|-v|-vv|-q|--quiet|--format=.*|--sort=.*|-d|-D|--delete|-m|--move',
        '--merged|--no-merged|--contains|--track|--no-track|--set-upstream-to=.+|--unset-upstream',
      ),
    },
  ],
  ['tag', { options: options('-l|--list|-d|--delete|--message=.+|--sort=.*|--format=.*'), valued: ['-m'] }],
  ['switch', { options: options('--detach|-d|-q|--quiet|--no-track|--guess|--no-guess'), valued: ['-c', '--create'] }],
  ['checkout', { options: options('--detach|-q|--quiet|--no-track|--guess|--no-guess'), valued: ['-b'] }],
  [
    'merge',
    {
      options: options('--ff|--no-ff|--ff-only|--no-edit|--squash|--abort|-q|--quiet|--stat|--no-stat|-m.+'),
      valued: ['-m'],
    },
  ],
  [
    'worktree',
    {
      options: options('--detach|-d|--force|-f|-q|--quiet|--porcelain|-z|--no-track|--guess-remote'),
      valued: ['-b', '-B'],
      operands: checkWorktree,
    },
  ],
  [
    'fetch',
    {
      options: options(
        '--all|--prune|-p|-q|--quiet|--tags|-t|--no-tags|-n|--depth=\\d+|--unshallow|--atomic|--dry-run',
      ),
      operands: checkRemote,
    },
  ],
  [
    'pull',
    {
      options: options('--ff-only|--no-rebase|--rebase|--no-edit|-q|--quiet|--prune|--tags|--no-tags|--depth=\\d+'),
      operands: checkRemote,
    },
  ],
  [
    'push',
    {
      options: options(
        '-u|--set-upstream|-q|--quiet|--porcelain|--tags|--follow-tags|--atomic|-n|--dry-run|-d|--delete|--no-progress',
      ),
      operands: checkRemote,
    },
  ],
  ['version', { operands: none }],
]);

const GLOBAL = /^(?:--no-pager|--no-optional-locks|--literal-pathspecs|--no-replace-objects)$/;

function checkOptions(name: string, command: Command, args: readonly string[], context: GuardContext): true | string {
  const { needs } = command;
  if (needs && !args.some((arg) => needs.test(arg))) return `${name} would start an editor`;
  const operands: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '--') {
      operands.push(...args.slice(i + 1));
      break;
    }
    if (!arg.startsWith('-')) operands.push(arg);
    else if (command.valued?.includes(arg)) {
      if (++i >= args.length) return `${name} ${arg} needs a value`;
    } else if (!command.options?.test(arg)) return `${name} ${arg} is not in the rule for git`;
  }
  return command.operands?.(operands, context) ?? true;
}

export const gitGuard: ArgsGuard = (args, context) => {
  if (args.length === 1 && args[0] === '--version') return true;
  let i = 0;
  let folder = '';
  for (; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '-C') {
      // Each -C starts where the one before has led to.
      const next = args[++i];
      if (next === undefined || next === '') return '-C needs a folder';
      folder = next.startsWith('/') || folder === '' ? next : `${folder}/${next}`;
      if (!context.isInFolders(folder)) return `-C ${next} is not in the workflow's folders`;
    } else if (!GLOBAL.test(arg)) break;
  }
  const name = args[i];
  if (name === undefined) return 'no git command is given';
  const command = COMMANDS.get(name);
  if (!command) return `git ${name} is not in the rule for git`;
  const inner: GuardContext = {
    cwd: context.cwd,
    isInFolders: (path) => context.isInFolders(folder === '' || path.startsWith('/') ? path : `${folder}/${path}`),
  };
  return checkOptions(name, command, args.slice(i + 1), inner);
};
