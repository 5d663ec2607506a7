// This machine, directly.

import { platform } from '../process/platform.ts';
import type { Backend, BackendCall, BackendCommand } from './backend.ts';
import { hostShell } from './shell-access.ts';
import type { MakeShellArgv } from './shell-access.ts';

export interface LocalOptions {
  /** How a command line becomes an argv. Absent: the default shell of this machine. */
  readonly shell?: MakeShellArgv;
}

/** Starts programs here; process mode without any shell, shell mode with the host's. */
export function localBackend(options: LocalOptions = {}): Backend {
  const makeShellArgv = options.shell ?? hostShell;
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
    prepare: (call: BackendCall): BackendCommand => ({
      argv: call.mode === 'process' ? call.argv : makeShellArgv(call.command),
      extendEnv: call.extendEnv,
      ...(call.workdir === null ? {} : { cwd: call.workdir }),
    }),
  });
}
