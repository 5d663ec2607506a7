// Every check of `npm test`, one after the other; goes on after a failure, says at the end what failed.
//
// usage: node scripts/test.mjs

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const STEPS = ['lint', 'typecheck', 'check-layers', 'docs', 'test:native', 'test:unit'];

const failed = [];
for (const step of STEPS) {
  console.log(`\n== npm run ${step}`);
  const started = Date.now();
  const result = spawnSync('npm', ['run', '--silent', step], { cwd: ROOT, stdio: 'inherit' });
  console.log(
    `== ${step}: ${result.status === 0 ? 'passed' : 'FAILED'} in ${Math.round((Date.now() - started) / 1000)} s`,
  );
  if (result.status !== 0) failed.push(step);
}
if (failed.length > 0) console.error(`\nfailed: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
