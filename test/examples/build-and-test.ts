// Runs steps one after the other, shows their output as it comes, and says which failed and why.

import { commandLine, run } from 'argv-spawn';
import type { Argv } from 'argv-spawn';

const steps: readonly Argv[] = [
  ['node', '--version'],
  ['sh', '-c', 'echo compiling; exit 0'],
  ['sh', '-c', 'echo 1 test failed >&2; exit 1'],
];

let failed = 0;
for (const argv of steps) {
  const { ok, reason, code, stderr } = await run(argv, { stdout: 'ignore', timeout: 60_000 });
  if (ok) continue;
  failed++;
  console.log(`${commandLine(argv)}: ${reason} ${code}: ${stderr.trimEnd()}`);
}
console.log(failed);
// prints sh -c 'echo 1 test failed >&2; exit 1': exit 1: 1 test failed
// prints 1
