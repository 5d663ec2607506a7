// What is known about a shell from the name of its program: syntax, arguments, start-up files. No file is looked at.

import type { Dialect, PosixVariant, ShellExtensions } from './types.ts';

/** `safe` keeps start-up files and prompts out where the shell has a flag for it; `plain` has the bare flags only. */
export type ArgsProfile = 'safe' | 'plain';

export interface KnownShell {
  readonly dialect: Dialect | null;
  readonly variant: PosixVariant | null;
  readonly label?: string;
  readonly args: Readonly<Record<ArgsProfile, readonly string[]>>;
  /** null: it has no login form, and no interactive one that takes a command. */
  readonly loginArgs: readonly string[] | null;
  readonly startupFiles: ShellExtensions['startup_files'];
}

const same = (...args: string[]): KnownShell['args'] => ({ safe: args, plain: args });

const unixShell = (
  dialect: Dialect | null,
  variant: PosixVariant | null,
  startupFiles: KnownShell['startupFiles'],
): KnownShell => ({
  dialect,
  variant,
  args: same('-c'),
  loginArgs: ['-l', '-c'],
  startupFiles,
});

const POWERSHELL: Omit<KnownShell, 'label'> = {
  dialect: 'powershell',
  variant: null,
  args: { safe: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command'], plain: ['-NoProfile', '-Command'] },
  loginArgs: null,
  startupFiles: 'none',
};

/** With plain `-c`: zsh reads .zshenv, fish its configuration; the others read nothing, but for BASH_ENV. */
const KNOWN: ReadonlyMap<string, KnownShell> = new Map(
  Object.entries<KnownShell>({
    sh: unixShell('posix', 'sh', 'none'),
    dash: unixShell('posix', 'sh', 'none'),
    ash: unixShell('posix', 'sh', 'none'),
    bash: unixShell('posix', 'bash', 'none'),
    zsh: unixShell('posix', 'zsh', 'always'),
    busybox: { ...unixShell('posix', 'sh', 'none'), args: same('sh', '-c'), loginArgs: ['sh', '-l', '-c'] },
    fish: unixShell(null, null, 'always'),
    ksh: unixShell(null, null, 'none'),
    ksh93: unixShell(null, null, 'none'),
    mksh: unixShell(null, null, 'none'),
    yash: unixShell(null, null, 'none'),
    pwsh: { ...POWERSHELL, label: 'PowerShell 7' },
    powershell: { ...POWERSHELL, label: 'Windows PowerShell' },
    cmd: {
      dialect: 'cmd',
      variant: null,
      label: 'Command Prompt',
      // /d: no AutoRun command of the registry. /s: of the quotes, exactly the outer pair is removed ("cmd /?").
      args: { safe: ['/d', '/s', '/c'], plain: ['/C'] },
      loginArgs: null,
      startupFiles: 'none',
    },
  }),
);

const OTHER: KnownShell = unixShell(null, null, 'unknown');

/** Last part of a path of either kind, lower case, without `.exe`. */
export function toShellName(path: string): string {
  const last =
    path
      .replace(/[\\/]+$/, '')
      .split(/[\\/]/)
      .at(-1) ?? '';
  const name = last.toLowerCase().replace(/\.exe$/, '');
  if (name === 'windowspowershell') return 'powershell';
  return name === '' ? 'shell' : name;
}

/** @param name - from toShellName. */
export const findKnownShell = (name: string): KnownShell => KNOWN.get(name) ?? OTHER;
