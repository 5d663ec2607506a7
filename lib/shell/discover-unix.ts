// Where shells are looked for on Unix, in order: the configured one, $SHELL, the account's, /etc/shells, fixed places.

import type { ShellHost } from './host.ts';
import type { Candidate } from './candidate.ts';

const FOLDERS = ['/bin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin', '/run/current-system/sw/bin'];
/** The first one is the default of a machine that says nothing else: what its users find there. */
const NAMES: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = { darwin: ['zsh', 'bash', 'sh'] };
const OTHER_NAMES = ['bash', 'zsh', 'sh'];
const MORE_NAMES = ['dash', 'ksh', 'mksh', 'yash', 'fish', 'busybox', 'pwsh'];

/** Accounts that may not log in have a program here that says so and ends. */
const NO_SHELL = /\/(false|nologin)$/;

const isAbsolute = (path: string): boolean => path.startsWith('/');

/** shells(5): one absolute path a line; `#` begins a comment, at any place of the line. */
export function parseEtcShells(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*$/, '').trim())
    .filter(isAbsolute);
}

export function listUnixCandidates(host: ShellHost): Candidate[] {
  const found: Candidate[] = [];
  const add = (path: string | null | undefined, source: Candidate['source']): void => {
    if (path && isAbsolute(path) && !NO_SHELL.test(path)) found.push({ path, source });
  };
  add(host.env['SHELL'], 'env');
  add(host.accountShell(), 'login');
  for (const path of parseEtcShells(host.readFile('/etc/shells') ?? '')) add(path, 'etc_shells');
  for (const name of [...(NAMES[host.platform] ?? OTHER_NAMES), ...MORE_NAMES]) {
    for (const folder of FOLDERS) {
      if (host.isFile(`${folder}/${name}`)) add(`${folder}/${name}`, 'fallback');
    }
  }
  return found;
}
