// Programs that only note that they were started, so that a wrong approval leaves a trace.

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeProgram } from '../helpers/folder.ts';

export interface Stubs {
  /** Folder to put first on the PATH. */
  readonly bin: string;
  /** One line for each start since the last call: the name and the arguments. */
  takeStarts(): string[];
}

export function makeStubs(folder: string, names: readonly string[]): Stubs {
  const bin = join(folder, 'bin');
  const log = join(folder, 'starts.log');
  mkdirSync(bin);
  for (const name of names) {
    writeProgram(bin, name, `#!/bin/sh\n{ printf '%s' '${name}'; printf ' <%s>' "$@"; echo; } >> '${log}'\n`);
  }
  let seen = 0;
  return {
    bin,
    takeStarts() {
      const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [];
      const fresh = lines.slice(seen);
      seen = lines.length;
      return fresh;
    },
  };
}
