// A scratch folder for one test file.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Made at once, removed after the file's tests. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'argv-spawn-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function writeProgram(folder: string, name: string, content: string, mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode });
  return path;
}
