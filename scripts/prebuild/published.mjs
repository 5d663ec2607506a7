// What publint and arethetypeswrong say of the tarball.

import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

/** @returns one line for each message of publint, suggestions included. `folder`: the unpacked package. */
export async function lintPackage(folder) {
  const { messages, pkg } = await publint({ pkgDir: folder, pack: false, strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
}

/**
 * `node10` is a resolution that no supported Node has. A CommonJS file that requires an ES module is what this package
 * offers: from Node 20.19 on it works.
 */
const BY_DESIGN = ({ kind, resolutionKind }) =>
  (kind === 'NoResolution' && resolutionKind === 'node10') ||
  (kind === 'CJSResolvesToESM' && resolutionKind === 'node16-cjs');

/** @returns one line for each problem of the types. */
export async function checkTypes(tarball) {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))));
  if (!result.types) return ['types: there are none'];
  return result.problems
    .filter((problem) => !BY_DESIGN(problem))
    .map((problem) => `types: ${problem.kind} ${JSON.stringify(problem)}`);
}
