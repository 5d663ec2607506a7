// The wire form of discovery: methods by their contract names, plain JSON in and out.
//
// host-shell-discovery.schema.json is the published description of what goes in and out here.

import { makeTypeError } from '../errors/option-errors.ts';
import { createShellRegistry } from './registry.ts';
import type { ShellRegistry } from './registry.ts';
import type { Shell, ShellInvocation, ShellInvocationRequest, ShellList } from './types.ts';

export interface ProcessCapability {
  list_shells(): ShellList;
  get_default_shell(): Shell | null;
  /** `id` is another name of `shell_id`. */
  set_default_shell(request: { readonly shell_id?: string; readonly id?: string }): Shell;
  shell_invocation(request: ShellInvocationRequest): ShellInvocation;
}

/** Without `extensions`, which the contract does not have and a strict reader refuses. */
function toWire(shell: Shell): Shell {
  return Object.fromEntries(Object.entries(shell).filter(([name]) => name !== 'extensions')) as unknown as Shell;
}

/** Selection state is the registry's: one registry per session. */
export function createProcessCapability(registry: ShellRegistry): ProcessCapability {
  return Object.freeze({
    list_shells(): ShellList {
      const { shells, default_shell_id } = registry.listShells();
      return { shells: shells.map(toWire), default_shell_id };
    },
    get_default_shell(): Shell | null {
      const shell = registry.getDefaultShell();
      return shell === null ? null : toWire(shell);
    },
    set_default_shell(request: { readonly shell_id?: string; readonly id?: string }): Shell {
      const id = request.shell_id ?? request.id;
      if (typeof id !== 'string') throw makeTypeError('shell_id', 'a string', id);
      return toWire(registry.setDefaultShell(id));
    },
    shell_invocation(request: ShellInvocationRequest): ShellInvocation {
      const invocation = registry.shellInvocation(request);
      return { ...invocation, shell: toWire(invocation.shell) };
    },
  });
}

/** The registry that the module's own functions use. */
const shared: ShellRegistry = createShellRegistry();

/** Every shell of this machine, and the id of the selected one. */
export const listShells = (): ShellList => shared.listShells();

/** The selected shell of this module's registry; null when this machine has none that can be analysed. */
export const getDefaultShell = (): Shell | null => shared.getDefaultShell();

/**
 * Selects a shell for this module's registry, for as long as the process lives.
 *
 * @throws ShellError `ERR_SHELL_UNKNOWN`, `ERR_SHELL_UNAVAILABLE`, `ERR_SHELL_UNSUPPORTED`.
 */
export const setDefaultShell = (id: string): Shell => shared.setDefaultShell(id);

/**
 * Program and arguments that run `command` with a shell; without one, with the selected default.
 *
 * @throws ShellError `ERR_SHELL_UNKNOWN`, `ERR_SHELL_NONE`.
 */
export const shellInvocation = (request: ShellInvocationRequest = {}): ShellInvocation =>
  shared.shellInvocation(request);

/** The wire form over this module's registry. */
export const processCapability: ProcessCapability = createProcessCapability(shared);
