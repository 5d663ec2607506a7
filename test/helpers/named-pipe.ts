// A named pipe: who opens it to read is stuck in the kernel until somebody opens it to write.

import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

export function makeNamedPipe(path: string): string {
  execFileSync('mkfifo', [path]);
  return path;
}

/** Whoever waits for a writer goes on. */
export function letGo(path: string): void {
  closeSync(openSync(path, 'r+'));
}
