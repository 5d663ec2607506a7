// Everything that must be true of the tarball before it is published; `npm publish` runs it.
//
// usage: node scripts/check-package.mjs [--release]      --release: every platform's binaries must be in it

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TARGETS } from './prebuild/targets.mjs';
import { checkContents, checkManifest, pack, readManifest, unpack } from './prebuild/pack.mjs';
import { checkTypes, lintPackage } from './prebuild/published.mjs';

const folder = fileURLToPath(new URL('../build/package', import.meta.url));
rmSync(folder, { recursive: true, force: true });
const description = pack(folder);
const unpacked = join(folder, 'package');
unpack(description.path, unpacked);

const prebuilt = process.argv.includes('--release')
  ? [...new Set(Object.values(TARGETS).flatMap((things) => things.map(({ output }) => `prebuilds/${output}`)))]
  : [];
const problems = [
  ...checkContents(description, prebuilt),
  ...checkManifest(
    readManifest(unpacked),
    description.files.map(({ path }) => path),
  ),
  ...(await lintPackage(unpacked)),
  ...(await checkTypes(description.path)),
];
for (const problem of problems) console.error(`package: ${problem}`);
console.log(
  `package: ${description.entryCount} files, ${description.size} bytes packed, ${description.unpackedSize} unpacked, ` +
    `${problems.length} problems`,
);
process.exit(problems.length === 0 ? 0 : 1);
