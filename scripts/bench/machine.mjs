// Where and on what a run was made.

import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Commit of the measured code, marked when files differ from it; null outside of a repository. */
function describeCommit() {
  try {
    const git = (...args) =>
      execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const changed = git('status', '--porcelain', '--', 'lib', 'native', 'binding.gyp').trim() !== '';
    return git('rev-parse', '--short', 'HEAD').trim() + (changed ? ' with changes' : '');
  } catch {
    return null;
  }
}

export const describeMachine = () => ({
  date: new Date().toISOString().slice(0, 10),
  commit: describeCommit(),
  node: process.version,
  cpus: cpus().length,
  model: cpus()[0]?.model ?? 'unknown processor',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  kernel: release(),
  load: loadavg()[0].toFixed(1),
});
