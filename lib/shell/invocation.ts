// From a shell and a command text to program and arguments. The text is one argument, unchanged.

import { makeTypeError } from '../errors/option-errors.ts';
import { ShellError } from './errors.ts';
import { findKnownShell, toShellName } from './known-shells.ts';
import type { ArgsProfile } from './known-shells.ts';
import type { Shell, ShellInvocation, ShellInvocationRequest } from './types.ts';

interface Catalog {
  list(): readonly Shell[];
  findShell(id: string): Shell;
  getDefaultShell(): Shell | null;
  readonly profile: ArgsProfile;
}

const PLACEHOLDER = '{command}';

/** A shell from outside the catalog: what its name tells. `available` is the caller's word. */
function fromPath(path: string, given: Partial<Shell>, profile: ArgsProfile): Shell {
  const name = toShellName(path);
  const known = findKnownShell(name);
  const args = known.args[profile];
  return {
    id: name,
    label: known.label ?? name,
    path,
    platform: process.platform === 'win32' ? 'windows' : process.platform,
    available: given.available ?? true,
    supports_login: known.loginArgs !== null,
    supports_interactive: known.loginArgs !== null,
    default_args: args,
    login_args: known.loginArgs ?? args,
    source: 'host',
  };
}

/** Fields the caller left out come from the catalog's entry with that path or id. */
function completeShell(given: Partial<Shell>, catalog: Catalog): Shell {
  const { path, id } = given;
  const known =
    path === undefined
      ? catalog.findShell(id ?? '')
      : (catalog.list().find((shell) => shell.path === path) ?? fromPath(path, given, catalog.profile));
  const filled = Object.entries(given).filter(([, value]) => (value as unknown) !== undefined);
  return Object.freeze({ ...known, ...Object.fromEntries(filled) });
}

function chooseShell(request: ShellInvocationRequest, catalog: Catalog): Shell {
  if (request.shell !== undefined) {
    const { id, path } = request.shell;
    if (id === undefined && path === undefined)
      throw makeTypeError('shell', 'an object with id or path', request.shell);
    return completeShell(request.shell, catalog);
  }
  if (request.shell_id !== undefined) return catalog.findShell(request.shell_id);
  const shell = catalog.getDefaultShell();
  if (shell) return shell;
  throw new ShellError('ERR_SHELL_NONE', 'no shell was named, and no listed shell can be the default', null);
}

export function makeInvocation(request: ShellInvocationRequest, catalog: Catalog): ShellInvocation {
  const { command, login, interactive } = request;
  if (command !== undefined && typeof (command as unknown) !== 'string')
    throw makeTypeError('command', 'a string', command);
  const shell = chooseShell(request, catalog);
  const args = [...(login === true && shell.supports_login ? shell.login_args : shell.default_args)];
  if (interactive === true && shell.supports_interactive && !args.includes('-i')) {
    // After an applet's name (busybox sh), which has to stay first.
    args.splice(args[0]?.startsWith('-') === false ? 1 : 0, 0, '-i');
  }
  args.push(command ?? PLACEHOLDER);
  return Object.freeze({
    program: shell.path,
    args: Object.freeze(args),
    command_arg_index: args.length - 1,
    shell,
  });
}
