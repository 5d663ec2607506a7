// Engines that take the program and its arguments as an array behind a prefix of their own, and start them without a
// shell on their side. Each is a row of ENGINES: the words before the argv, and what holds there.

import type { Containment, Env } from '../command/types.ts';
import { platform } from '../process/platform.ts';
import type { Backend, BackendCall, BackendCommand } from './backend.ts';
import { checkOperand } from './backend.ts';
import { makeFarCommand } from './shell-access.ts';
import type { ShellChoice } from './shell-access.ts';

export type EngineName = 'docker' | 'podman' | 'kubectl' | 'bwrap' | 'nsenter' | 'chroot';

export interface PrefixOptions {
  readonly engine: EngineName;
  /** Container, pod, or folder of the new root. Not for bwrap and nsenter, which `options` describe alone. */
  readonly target?: string;
  /** Options of the engine, as they are: `['-n', 'team', '-c', 'main']`, `['--ro-bind', '/', '/']`. Absent: none. */
  readonly options?: readonly string[];
  /** The engine's own program. Absent: its name, looked up in PATH. */
  readonly program?: string;
  /** Shell of the far side, for shell mode: a path or an entry like the catalog's. Absent: `/bin/sh`. */
  readonly shell?: ShellChoice;
}

interface Engine {
  readonly env: boolean;
  readonly workdir: boolean;
  /** `host`: what it starts are descendants of ours, so they end as this machine can end them. */
  readonly treeEnd: Containment | 'host';
  readonly needsTarget: boolean;
  readonly ownExitCodes: readonly number[];
  prefix(call: BackendCall, options: readonly string[], target: string): readonly string[];
}

/** `--env NAME` takes the value from the engine's own environment: no value appears in an argument list. */
const listEnvOptions = (env: Env): string[] => Object.keys(env).flatMap((name) => ['--env', name]);

/** docker-exec(1), podman-exec(1): options end at the container's name. */
const container: Engine = {
  // The client can be ended; what it started in the container goes on (docker/cli: exec has no kill).
  env: true,
  workdir: true,
  treeEnd: 'none',
  needsTarget: true,
  ownExitCodes: [125, 126, 127],
  prefix: (call, options, target) => [
    'exec',
    ...options,
    ...(call.stdin ? ['--interactive'] : []),
    ...(call.workdir === null ? [] : ['--workdir', call.workdir]),
    ...listEnvOptions(call.extendEnv),
    target,
  ],
};

const ENGINES: Readonly<Record<EngineName, Engine>> = {
  docker: container,
  podman: container,
  kubectl: {
    env: false,
    workdir: false,
    treeEnd: 'none',
    needsTarget: true,
    ownExitCodes: [1],
    prefix: (call, options, target) => ['exec', ...options, ...(call.stdin ? ['--stdin'] : []), target, '--'],
  },
  bwrap: {
    // The kernel ends everything in a process namespace with its first process (pid_namespaces(7)).
    env: true,
    workdir: true,
    treeEnd: 'tree',
    needsTarget: false,
    ownExitCodes: [1],
    prefix: (call, options) => [
      ...options,
      '--unshare-pid',
      '--die-with-parent',
      ...(call.workdir === null ? [] : ['--chdir', call.workdir]),
      '--',
    ],
  },
  nsenter: {
    // What is started stays a descendant of ours, whichever namespaces it enters.
    env: true,
    workdir: false,
    treeEnd: 'host',
    needsTarget: false,
    ownExitCodes: [1],
    prefix: (_, options) => [...options, '--'],
  },
  chroot: {
    // It becomes the program (exec), so the tree is ours; the folder is always the new root.
    env: true,
    workdir: false,
    treeEnd: 'host',
    needsTarget: true,
    ownExitCodes: [125, 126, 127],
    prefix: (_, options, target) => [...options, '--', target],
  },
};

/**
 * A back end that runs `<program> <prefix> <argv>`.
 *
 * @throws TypeError for an engine that does not exist, a missing target, or one that begins with "-".
 */
export function prefixBackend(options: PrefixOptions): Backend {
  const engine = Object.hasOwn(ENGINES, options.engine) ? ENGINES[options.engine] : undefined;
  if (engine === undefined) throw new TypeError(`engine must be one of ${Object.keys(ENGINES).join(', ')}`);
  const target = engine.needsTarget ? checkOperand(options.target, 'target') : '';
  if (!engine.needsTarget && options.target !== undefined) {
    throw new TypeError(`target is not for ${options.engine}; use options`);
  }
  const program = options.program ?? options.engine;
  const extra = Object.freeze([...(options.options ?? [])]);
  const treeEnd = engine.treeEnd === 'host' ? platform.tree : engine.treeEnd;
  return Object.freeze({
    name: options.engine,
    local: false,
    ownExitCodes: Object.freeze([...engine.ownExitCodes]),
    capabilities: Object.freeze({
      argv: true,
      quotedArgv: false,
      shell: true,
      stdin: true,
      env: engine.env,
      workdir: engine.workdir,
      treeEnd,
      background: treeEnd !== 'none',
    }),
    prepare(call: BackendCall): BackendCommand {
      const { argv, shell } =
        call.mode === 'process' ? { argv: call.argv, shell: null } : makeFarCommand(call.command, options.shell);
      checkOperand(argv[0], 'program');
      return { argv: [program, ...engine.prefix(call, extra, target), ...argv], shell, extendEnv: call.extendEnv };
    },
  });
}
