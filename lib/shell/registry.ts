// The catalog of one host, and which shell is selected in it. Each registry has a selection of its own.

import type { Candidate } from './candidate.ts';
import { listUnixCandidates } from './discover-unix.ts';
import { listWindowsCandidates } from './discover-windows.ts';
import { ShellError } from './errors.ts';
import { REAL_HOST } from './host.ts';
import type { ShellHost } from './host.ts';
import { makeInvocation } from './invocation.ts';
import { findKnownShell, toShellName } from './known-shells.ts';
import type { ArgsProfile } from './known-shells.ts';
import type { Shell, ShellInvocation, ShellInvocationRequest, ShellList } from './types.ts';

export interface ShellRegistryOptions {
  /** Parts of another machine; what is absent is this one's. */
  readonly host?: Partial<ShellHost>;
  /** Absolute path of a shell that comes first in the catalog. Absent: none. */
  readonly configured?: string;
  /** Absent: `safe`. */
  readonly argsProfile?: ArgsProfile;
  /** List the distributions of the Windows Subsystem for Linux, which starts `wsl.exe`. Absent: true. */
  readonly wsl?: boolean;
}

export interface ShellRegistry {
  listShells(): ShellList;
  /** The selected shell while it is available, else the first that can be a default; null when there is none. */
  getDefaultShell(): Shell | null;
  /** @throws ShellError for an unknown id, an unavailable shell, and one that cannot be analysed or trusted. */
  setDefaultShell(id: string): Shell;
  /**
   * Program and arguments that run a command with a shell. Any shell may be named, a default only if it is supported.
   *
   * @throws ShellError for an unknown id, and when no shell is named and there is no default.
   */
  shellInvocation(request?: ShellInvocationRequest): ShellInvocation;
  /** Looks again. The selection is kept, and holds again when its shell does. */
  refresh(): void;
}

function describeCandidate(candidate: Candidate, id: string, host: ShellHost, profile: ArgsProfile): Shell {
  const { path, source } = candidate;
  const known = findKnownShell(candidate.wsl === undefined ? toShellName(path) : '');
  const args = candidate.wsl === undefined ? known.args[profile] : ['-d', candidate.wsl, '--', 'sh', '-c'];
  const loginArgs = candidate.wsl === undefined ? known.loginArgs : null;
  return Object.freeze({
    id,
    label: candidate.label ?? known.label ?? id,
    path,
    platform: candidate.wsl !== undefined ? 'linux' : host.platform === 'win32' ? 'windows' : host.platform,
    available: host.isFile(path) && host.isExecutable(path),
    supports_login: loginArgs !== null,
    supports_interactive: loginArgs !== null,
    default_args: Object.freeze([...args]),
    login_args: Object.freeze([...(loginArgs ?? args)]),
    source,
    extensions: Object.freeze({
      dialect: known.dialect,
      variant: known.variant,
      real_path: host.realpath(path),
      startup_files: known.startupFiles,
      untrusted_location: candidate.untrusted ?? false,
      ...(candidate.wsl === undefined ? {} : { wsl_distribution: candidate.wsl }),
    }),
  });
}

/** `/bin` is often a link to `/usr/bin`: the same file under the same name is one shell, and the first source wins. */
function dropRepeated(candidates: readonly Candidate[], host: ShellHost): Candidate[] {
  const seen = new Set<string>();
  return candidates.filter(({ path, wsl }) => {
    const file = host.realpath(path) ?? path;
    const key = `${wsl ?? ''}\0${toShellName(path)}\0${host.platform === 'win32' ? file.toLowerCase() : file}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function discover(host: ShellHost, options: ShellRegistryOptions): readonly Shell[] {
  const configured: Candidate[] =
    options.configured === undefined ? [] : [{ path: options.configured, source: 'configured' }];
  const found =
    host.platform === 'win32' ? listWindowsCandidates(host, { wsl: options.wsl ?? true }) : listUnixCandidates(host);
  const ids = new Set<string>();
  const shells = dropRepeated([...configured, ...found], host).map((candidate) => {
    const base =
      candidate.wsl === undefined
        ? toShellName(candidate.path)
        : `wsl-${candidate.wsl.toLowerCase().replace(/[^a-z0-9.]+/g, '-')}`;
    let id = base;
    for (let n = 2; ids.has(id); n++) id = `${base}-${n}`;
    ids.add(id);
    return describeCandidate(candidate, id, host, options.argsProfile ?? 'safe');
  });
  return Object.freeze(shells);
}

const isSupported = (shell: Shell): boolean =>
  shell.extensions !== undefined && shell.extensions.dialect !== null && !shell.extensions.untrusted_location;

function refuseAsDefault(shell: Shell): ShellError | undefined {
  if (!shell.available) {
    const message = `shell '${shell.id}' is not available: ${shell.path} is not an executable file`;
    return new ShellError('ERR_SHELL_UNAVAILABLE', message, shell.id);
  }
  if (isSupported(shell)) return undefined;
  const why = shell.extensions?.untrusted_location
    ? `${shell.path} is in a folder that any user may create`
    : 'its command syntax cannot be analysed';
  return new ShellError('ERR_SHELL_UNSUPPORTED', `shell '${shell.id}' cannot be the default: ${why}`, shell.id);
}

/** A catalog with a selection of its own. Nothing is looked at before the first question. */
export function createShellRegistry(options: ShellRegistryOptions = {}): ShellRegistry {
  const given = options.host ?? {};
  const host: ShellHost = { ...REAL_HOST, env: process.env, ...given };
  let shells: readonly Shell[] | undefined;
  let selected: string | undefined;

  const list = (): readonly Shell[] => (shells ??= discover(host, options));
  const getDefaultShell = (): Shell | null => {
    const choice = list().find(({ id, available }) => id === selected && available);
    return choice ?? list().find((shell) => refuseAsDefault(shell) === undefined) ?? null;
  };
  const findShell = (id: string): Shell => {
    const shell = list().find((one) => one.id === id);
    if (shell) return shell;
    const ids = list().map((one) => one.id);
    throw new ShellError('ERR_SHELL_UNKNOWN', `there is no shell '${id}'; known are ${ids.join(', ') || 'none'}`, id);
  };

  return Object.freeze({
    getDefaultShell,
    listShells: () => Object.freeze({ shells: list(), default_shell_id: getDefaultShell()?.id ?? null }),
    setDefaultShell(id: string): Shell {
      const shell = findShell(id);
      const refusal = refuseAsDefault(shell);
      if (refusal) throw refusal;
      selected = id;
      return shell;
    },
    shellInvocation: (request: ShellInvocationRequest = {}) =>
      makeInvocation(request, { list, findShell, getDefaultShell, profile: options.argsProfile ?? 'safe' }),
    refresh(): void {
      shells = undefined;
    },
  });
}
