// Which file a program name stands for, and whether it still is that file when the call starts.

import { realpathSync, statSync } from 'node:fs';
import type { PlanEnv } from '../command/types.ts';
import { resolveProgram } from '../process/resolve-program.ts';
import type { ProgramFile } from './decide.ts';

export interface IdentifiedFile extends ProgramFile {
  /** Device, file number and time of change: another file at the same place differs. */
  readonly identity: string;
}

function identify(path: string): IdentifiedFile {
  const realPath = realpathSync(path);
  const { dev, ino, mtimeNs, size } = statSync(realPath, { bigint: true });
  return Object.freeze({ path, realPath, identity: `${dev}:${ino}:${mtimeNs}:${size}` });
}

/** @throws SpawnError (stage `resolve`) as the start would. */
export async function findProgramFile(name: string, env: PlanEnv, cwd: string | null): Promise<IdentifiedFile> {
  const host = env.host ? process.env : {};
  const changed = Object.fromEntries(env.entries.map(([key, value]) => [key, value ?? undefined]));
  const found = await resolveProgram(name, { env: { ...host, ...changed }, ...(cwd === null ? {} : { cwd }) });
  return identify(found.path);
}

/** Whether the file that was looked at is still there. */
export function isSameFile(file: IdentifiedFile): boolean {
  try {
    return identify(file.path).identity === file.identity;
  } catch {
    return false; // gone, or no longer readable: not the file that was approved
  }
}
