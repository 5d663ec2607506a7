// Holds the architecture's absences: who may import whom, what may not be mentioned where, how long a file may be.
//
// usage: node scripts/check-layers.mjs [root]
//
// The tests show it a tree with a violation of every rule.

import { readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const LONGEST_FILE = 350;

/** For each folder of lib, the folders it may import from (beside its own). */
const MAY_IMPORT = {
  util: [],
  native: ['util'],
  errors: ['native/contract', 'util'],
  command: ['errors', 'native/contract', 'util'],
  process: ['command', 'errors', 'native', 'util'],
  shell: ['process', 'command', 'errors', 'util'],
  agent: ['shell', 'process', 'command', 'errors', 'util'],
  workflow: ['agent', 'shell', 'process', 'command', 'errors', 'util'],
  child_process: ['process', 'command', 'errors', 'native', 'util'],
  effect: ['process', 'command/types', 'errors'],
  mcp: ['agent', 'workflow', 'shell', 'process', 'command', 'errors', 'util'],
  cli: ['mcp', 'agent', 'workflow', 'shell', 'process', 'command', 'errors', 'native', 'util'],
};
/** Files at the top of lib that only re-export. */
const ENTRY_POINTS = /^lib\/(index|agent|shell|workflow|child_process|register|effect)\.ts$/;
/** What finds and loads the addon. */
const LOADERS = ['lib/native/binding.ts', 'lib/native/addon-file.ts'];
const NO_PLATFORM = ['process', 'agent', 'workflow', 'effect'];
const NO_AMBIENT = ['native', 'errors', 'util', 'process'];

/** Packages, and the folders that may import them. */
const PACKAGES = { zod: ['agent', 'mcp'], '@modelcontextprotocol/sdk': ['mcp'], effect: ['effect'] };
/** The one file of lib/agent that reaches the shells. */
const SHELL_ACCESS = 'lib/agent/shell-access.ts';

const OS_HEADER =
  /#include <(sys\/|windows|unistd|fcntl|signal|spawn|dirent|poll|pthread|dlfcn|errno\.h|cerrno|mach|libproc|winsock|time\.h)/;

const withoutComments = (text) =>
  text.replace(/\/\*[\s\S]*?\*\//g, (c) => c.replace(/[^\n]/g, ' ')).replace(/\/\/.*$/gm, '');

/** Relative imports of a TypeScript file, as paths from the root. */
function listImports(path, code) {
  const found = [];
  for (const match of code.matchAll(/(?:from|import\()\s*'(\.[^']*)'|import '(\.[^']*)'/g)) {
    const specifier = match[1] ?? match[2];
    found.push({ specifier, target: posix.normalize(posix.join(posix.dirname(path), specifier)) });
  }
  return found;
}

/** Packages that a TypeScript file imports, without the path inside them. */
function listPackages(code) {
  return [...code.matchAll(/(?:from|import\()\s*'((?:@[^/']+\/)?[^./'][^/']*)[^']*'/g)].map(([, name]) => name);
}

const folderOf = (path) => path.split('/')[1] ?? '';

function checkTypeScript(path, code, report) {
  const folder = folderOf(path);
  const entry = ENTRY_POINTS.test(path);
  const allowed = MAY_IMPORT[folder];
  if (!entry && !allowed) report(path, `lib/${folder} has no place in the layers`);
  for (const { specifier, target } of listImports(path, code)) {
    if (!specifier.endsWith('.ts')) report(path, `import '${specifier}' does not end in .ts`);
    if (entry || !allowed) continue;
    const theirs = folderOf(target);
    const fits = (rule) => (rule.includes('/') ? target === `lib/${rule}.ts` : theirs === rule);
    if (theirs !== folder && !allowed.some(fits)) report(path, `lib/${folder} may not import ${target}`);
    if (target === 'lib/native/binding.ts' && !['process', 'cli', 'child_process'].includes(folder)) {
      report(path, 'only lib/process and the edges may reach the addon');
    }
  }
  for (const name of listPackages(code)) {
    if (PACKAGES[name] && !PACKAGES[name].includes(folder)) report(path, `lib/${folder} may not import ${name}`);
  }
  if (folder === 'agent') {
    const reaches = listImports(path, code).some(({ target }) => folderOf(target) === 'shell');
    if (reaches && path !== SHELL_ACCESS) report(path, 'reaches the shells');
    if (/'-c'/.test(code)) report(path, 'makes an argv with a shell in it');
  }
  if (NO_PLATFORM.includes(folder) && /process\.platform/.test(code)) report(path, 'reads process.platform');
  if (NO_AMBIENT.includes(folder) && /process\.(env|cwd)\b/.test(code))
    report(path, 'reads process.env or process.cwd');
  if (!LOADERS.includes(path) && /\bdlopen\b|node-gyp-build/.test(code)) report(path, 'loads the addon');
  if (path !== 'lib/shell/posix-parser.ts' && /from 'unbash'/.test(code)) report(path, 'reaches the shell parser');
  if (path !== 'lib/command/options.ts' && /\bDEFAULTS?\b\s*[:=]/.test(code)) report(path, 'has defaults of its own');
  if (/^(await|(export )?const .*=\s*await)\b/m.test(code)) report(path, 'awaits at top level');
}

function checkNative(path, code, report) {
  const folder = folderOf(path);
  for (const [, header] of code.matchAll(/#include "([^"]+)"/g)) {
    const theirs = header.split('/')[0];
    const known = {
      core: ['core'],
      text: ['text', 'core'],
      unix: ['unix', 'core', 'text'],
      win: ['win', 'core', 'text'],
    };
    known.napi = ['napi', 'core', 'text'];
    known.keeper = ['keeper'];
    known.console_event = [];
    const allowed = known[folder]?.includes(theirs) || (folder === 'unix' && header === 'keeper/protocol.h');
    if (known[folder] && !allowed) report(path, `native/${folder} may not include ${header}`);
  }
  if (folder !== 'napi' && /#include <(napi|node_api)\.h>/.test(code))
    report(path, 'includes Node-API outside native/napi');
  if (['core', 'text', 'napi'].includes(folder) && OS_HEADER.test(code)) report(path, 'includes an OS header');
  if (/#\s*(if|ifdef|elif).*_WIN32/.test(code)) report(path, 'chooses Windows by macro; binding.gyp picks the folder');
  if (/\buv_[a-z]/.test(code)) report(path, 'uses libuv');
}

function checkCycles(files, report) {
  const imports = new Map();
  for (const [path, text] of files) {
    if (path.startsWith('lib/'))
      imports.set(
        path,
        listImports(path, withoutTypeImports(text)).map((one) => one.target),
      );
  }
  const done = new Set();
  const visit = (path, trail) => {
    if (trail.includes(path)) {
      report(path, `import cycle: ${[...trail.slice(trail.indexOf(path)), path].join(' -> ')}`);
      return;
    }
    if (done.has(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
}

const withoutTypeImports = (text) =>
  withoutComments(text)
    .replace(/import type [\s\S]*?;/g, '')
    .replace(/export type \{[\s\S]*?;/g, '');

/** @param files - pairs of path (from the root, with slashes) and text. @returns one line for each violation. */
export function checkFiles(files) {
  const problems = [];
  const report = (path, what) => problems.push(`${path}: ${what}`);
  for (const [path, text] of files) {
    const code = withoutComments(text);
    const lines = text.split('\n').length - 1;
    if (lines > LONGEST_FILE) report(path, `has ${lines} lines, ${LONGEST_FILE} at most`);
    if (path.startsWith('lib/')) checkTypeScript(path, code, report);
    if (path.startsWith('native/')) checkNative(path, code, report);
  }
  checkCycles(files, report);
  return problems;
}

function readTree(root, folder, pattern) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => pattern.test(path))
    .map((path) => [path, readFileSync(join(root, path), 'utf8')]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
  const files = [...readTree(root, 'lib', /\.ts$/), ...readTree(root, 'native', /\.(cc|h)$/)];
  const problems = checkFiles(files);
  for (const problem of problems) console.error(problem);
  console.log(`layers: ${files.length} files checked, ${problems.length} problems`);
  process.exit(problems.length === 0 && files.length > 0 ? 0 : 1);
}
