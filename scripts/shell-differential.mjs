// Runs random programs in real shells and compares with what the scan says. A program that the scan calls complete must
// run no command and create no file that is not listed. Exit code 1 when one does.
//
// usage: node scripts/shell-differential.mjs [--shell=bash,zsh,dash] [--count=20000] [--seed=N] [--verbose]

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { scan } from '../dist/shell.js';
import { createRandom, makeProgram } from './differential/generate.mjs';
import { findUnlisted } from './differential/judge.mjs';
import { openShell } from './differential/real-shell.mjs';

const { values } = parseArgs({
  options: {
    shell: { type: 'string', default: 'bash,zsh,dash' },
    count: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
});
const STUB = fileURLToPath(new URL('../build/fixtures/stub', import.meta.url));
if (!existsSync(STUB)) {
  console.error('the stub is not built: run "npm run setup"');
  process.exit(2);
}

async function compare(shell, count, seed) {
  const random = createRandom(seed);
  const seen = new Set();
  const real = openShell(shell, STUB);
  const totals = { shell, seed, programs: 0, complete: 0, calls: 0, files: 0, timeouts: 0, unlisted: 0 };
  try {
    while (totals.programs < count) {
      const program = makeProgram(random);
      if (seen.has(program) || program.includes('\0')) continue;
      seen.add(program);
      totals.programs++;
      const result = scan({ mode: 'shell', shell, command: program });
      // An incomplete scan promises nothing, so there is nothing to run.
      if (!result.shell_io_complete) continue;
      totals.complete++;
      const done = await real.run(program);
      totals.calls += done.calls.length;
      totals.files += done.files.length;
      if (!done.ended) totals.timeouts++;
      const unlisted = findUnlisted(result, done);
      if (unlisted.length === 0) continue;
      totals.unlisted++;
      console.log(`${shell}: ${JSON.stringify(program)}: ${unlisted.join('; ')}`);
      if (values.verbose) console.log(JSON.stringify(result, null, 1));
    }
  } finally {
    real.close();
  }
  console.log(JSON.stringify(totals));
  return totals.unlisted;
}

let unlisted = 0;
for (const shell of values.shell.split(','))
  unlisted += await compare(shell, Number(values.count), Number(values.seed));
process.exit(unlisted === 0 ? 0 : 1);
