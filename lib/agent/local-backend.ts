// This machine, directly.

import { platform } from '../process/platform.ts';
import type { Backend, BackendCall, BackendCommand } from './backend.ts';
import { makeHostCommand } from './shell-access.ts';
import type { ShellChoice, Shells } from './shell-access.ts';

export interface LocalOptions {
  /** Shell of shell mode: an id of the catalog, a path, or an entry. Absent: the catalog's default at each call. */
  readonly shell?: ShellChoice;
  /** The catalog, as createShellRegistry makes it. Absent: the one of the process. */
  readonly shells?: Shells;
}

/** Starts programs here; process mode without any shell, shell mode with one of this machine's. */
export function localBackend(options: LocalOptions = {}): Backend {
  const { shell: choice, shells } = options;
  return Object.freeze({
    name: 'local',
    local: true,
    ownExitCodes: Object.freeze([]),
    capabilities: Object.freeze({
      argv: true,
      quotedArgv: false,
      shell: true,
      stdin: true,
      env: true,
      workdir: true,
      treeEnd: platform.tree,
      background: true,
    }),
    prepare(call: BackendCall): BackendCommand {
      const { argv, shell } =
        call.mode === 'process' ? { argv: call.argv, shell: null } : makeHostCommand(call.command, choice, shells);
      return { argv, shell, extendEnv: call.extendEnv, ...(call.workdir === null ? {} : { cwd: call.workdir }) };
    },
  });
}
