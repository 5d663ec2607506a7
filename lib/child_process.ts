// argv-spawn/child_process. Re-exports only.

export {
  ChildProcess,
  default,
  exec,
  execFile,
  execFileSync,
  execSync,
  fork,
  spawn,
  spawnSync,
} from './child_process/functions.ts';
export type * from 'node:child_process';
export type { HandOverReason, StartRecord } from './child_process/hand-over.ts';
