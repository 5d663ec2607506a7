// The layer check: each rule is shown a violation, through the script and a scratch tree as through its function.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import { makeFolder } from '../helpers/folder.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/check-layers.mjs', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Checked {
  readonly code: number | null;
  readonly problems: string[];
  readonly summary: string;
}

async function check(...root: string[]): Promise<Checked> {
  const { code, stdout, stderr } = await run([process.execPath, SCRIPT, ...root]);
  return { code, problems: stderr.split('\n').slice(0, -1), summary: stdout.trim() };
}

/** A tree that breaks no rule, with `files` on top. */
async function checkTree(files: Readonly<Record<string, string>>): Promise<Checked> {
  const folder = makeFolder();
  const tree = {
    'lib/index.ts': "export { run } from './process/run.ts';\n",
    'lib/util/text.ts': 'export const x = 1;\n',
    'lib/command/plan.ts': "import { x } from '../util/text.ts';\nexport const plan = x;\n",
    'lib/process/run.ts': "import { plan } from '../command/plan.ts';\nexport const run = plan;\n",
    'native/core/bytes.h': '#include <cstddef>\n',
    'native/unix/fd.h': '#include <unistd.h>\n#include "core/bytes.h"\n',
    'native/napi/addon.cc': '#include <napi.h>\n#include "core/bytes.h"\n',
    ...files,
  };
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return check(folder);
}

test('the real tree breaks none, and all of it was looked at', async () => {
  const { code, problems, summary } = await check();
  expect([code, problems]).toEqual([0, []]);
  const files = await run(['git', 'ls-files', 'lib/*.ts', 'native/*.cc', 'native/*.h'], { cwd: ROOT });
  const tracked = files.stdout.split('\n').length - 1;
  expect(Number(/(\d+) files checked, 0 problems/.exec(summary)?.[1])).toBeGreaterThanOrEqual(tracked);
  expect(tracked).toBeGreaterThan(50);
});

test('a tree that breaks none passes, and an empty one does not', async () => {
  expect(await checkTree({})).toEqual({ code: 0, problems: [], summary: 'layers: 7 files checked, 0 problems' });
  const empty = makeFolder();
  mkdirSync(join(empty, 'lib'));
  mkdirSync(join(empty, 'native'));
  expect((await check(empty)).code).toBe(1);
});

describe('a violation is reported with its file', () => {
  test.each<[string, string, string, string]>([
    [
      'a lower layer that imports a higher one',
      'lib/command/x.ts',
      "import { run } from '../process/run.ts';",
      'lib/command may not import lib/process/run.ts',
    ],
    [
      'a type import of a higher layer',
      'lib/util/x.ts',
      "import type { P } from '../command/plan.ts';",
      'lib/util may not import lib/command/plan.ts',
    ],
    [
      'a re-export of a higher layer',
      'lib/util/x.ts',
      "export { plan } from '../command/plan.ts';",
      'lib/util may not import lib/command/plan.ts',
    ],
    [
      'a dynamic import of a higher layer',
      'lib/util/x.ts',
      "void import('../command/plan.ts');",
      'lib/util may not import lib/command/plan.ts',
    ],
    [
      'an import for its effects',
      'lib/util/x.ts',
      "import '../command/plan.ts';",
      'lib/util may not import lib/command/plan.ts',
    ],
    [
      'products that import each other',
      'lib/agent/x.ts',
      "import { w } from '../workflow/w.ts';",
      'lib/agent may not import lib/workflow/w.ts',
    ],
    [
      'process importing shell',
      'lib/process/x.ts',
      "import { s } from '../shell/s.ts';",
      'lib/process may not import lib/shell/s.ts',
    ],
    [
      'a shell reached beside the one file for it',
      'lib/agent/x.ts',
      "import { scan } from '../shell/scan.ts';",
      'reaches the shells',
    ],
    [
      'an argv with a shell in it',
      'lib/agent/shell-access.ts',
      "export const argv = ['/bin/sh', '-c', 'x'];",
      'makes an argv with a shell in it',
    ],
    [
      'the adapter for effect reaching another product',
      'lib/effect/x.ts',
      "import { a } from '../agent/a.ts';\nexport { a };",
      'lib/effect may not import lib/agent/a.ts',
    ],
    [
      'effect outside of its adapter',
      'lib/process/x.ts',
      "import { Effect } from 'effect/Effect';",
      'lib/process may not import effect',
    ],
    [
      'a package of the agent layer below it',
      'lib/process/x.ts',
      "import { z } from 'zod';",
      'lib/process may not import zod',
    ],
    [
      'the protocol package outside the server',
      'lib/agent/x.ts',
      "import type { Server } from '@modelcontextprotocol/sdk/server/index.js';",
      'lib/agent may not import @modelcontextprotocol/sdk',
    ],
    [
      'native beyond its contract',
      'lib/errors/x.ts',
      "import { b } from '../native/binding.ts';",
      'lib/errors may not import lib/native/binding.ts',
    ],
    [
      'command importing the addon',
      'lib/command/x.ts',
      "import { b } from '../native/binding.ts';",
      'only lib/process and the edges may reach the addon',
    ],
    [
      'an import without its extension',
      'lib/process/x.ts',
      "import { plan } from '../command/plan';",
      "import '../command/plan' does not end in .ts",
    ],
    ['a folder without a place', 'lib/helpers/x.ts', 'export {};', 'lib/helpers has no place in the layers'],
    [
      'the platform asked for above command',
      'lib/process/x.ts',
      "export const w = process.platform === 'win32';",
      'reads process.platform',
    ],
    [
      'the environment read outside command',
      'lib/errors/x.ts',
      'export const e = process.env;',
      'reads process.env or process.cwd',
    ],
    [
      'the folder read outside command',
      'lib/process/x.ts',
      'export const c = process.cwd();',
      'reads process.env or process.cwd',
    ],
    ['a second loader of the addon', 'lib/process/x.ts', "export const n = 'node-gyp-build';", 'loads the addon'],
    ['a second dlopen', 'lib/cli/x.ts', "process.dlopen({}, 'x.node');", 'loads the addon'],
    ['defaults in a second place', 'lib/process/x.ts', 'const DEFAULTS = { timeout: 5 };', 'has defaults of its own'],
    ['await at top level', 'lib/process/x.ts', 'await Promise.resolve();', 'awaits at top level'],
    [
      'await in a declaration at top level',
      'lib/process/x.ts',
      'export const x = await Promise.resolve();',
      'awaits at top level',
    ],
    ['a file that is too long', 'lib/util/long.ts', 'export {};\n'.repeat(351), 'has 351 lines, 350 at most'],
    ['a C++ file that is too long', 'native/core/long.cc', '\n'.repeat(351), 'has 351 lines, 350 at most'],
    ['Node-API outside napi', 'native/unix/x.cc', '#include <napi.h>', 'includes Node-API outside native/napi'],
    ['an OS header in core', 'native/core/x.h', '#include <sys/wait.h>', 'includes an OS header'],
    ['an OS header in napi', 'native/napi/x.cc', '#include <unistd.h>', 'includes an OS header'],
    ['Windows in core', 'native/core/x.h', '#include <windows.h>', 'includes an OS header'],
    [
      'unix including napi',
      'native/unix/x.cc',
      '#include "napi/encode.h"',
      'native/unix may not include napi/encode.h',
    ],
    ['unix including win', 'native/unix/x.cc', '#include "win/job.h"', 'native/unix may not include win/job.h'],
    ['win including unix', 'native/win/x.cc', '#include "unix/fd.h"', 'native/win may not include unix/fd.h'],
    ['core including unix', 'native/core/x.cc', '#include "unix/fd.h"', 'native/core may not include unix/fd.h'],
    [
      'the keeper including core',
      'native/keeper/x.cc',
      '#include "core/bytes.h"',
      'native/keeper may not include core/bytes.h',
    ],
    [
      'Windows chosen by macro',
      'native/unix/x.cc',
      '#ifdef _WIN32\n#endif',
      'chooses Windows by macro; binding.gyp picks the folder',
    ],
    ['libuv', 'native/unix/x.cc', 'void F() { uv_run(nullptr, 0); }', 'uses libuv'],
  ])('%s', async (_name, path, text, problem) => {
    // prettier-ignore
    const checked = await checkTree({ [path]: `${text}\n`.replace(/\n\n$/, '\n') });
    expect(checked.problems).toContain(`${path}: ${problem}`);
    expect(checked.code).toBe(1);
  });

  test('an import cycle, with its way round', async () => {
    const { code, problems } = await checkTree({
      'lib/util/a.ts': "import { b } from './b.ts';\nexport const a = b;\n",
      'lib/util/b.ts': "import { c } from './c.ts';\nexport const b = c;\n",
      'lib/util/c.ts': "import { a } from './a.ts';\nexport const c = a;\n",
    });
    expect(code).toBe(1);
    expect(problems).toEqual([
      expect.stringMatching(/import cycle: lib\/util\/a\.ts -> .*b\.ts -> .*c\.ts -> lib\/util\/a\.ts$/),
    ]);
  });
});

describe('no violation', () => {
  test.each<[string, string, string]>([
    ['words in a comment', 'lib/process/x.ts', '// process.platform, process.env and node-gyp-build\nexport {};'],
    [
      'await inside a function',
      'lib/process/x.ts',
      'export async function f(): Promise<void> {\n  await Promise.resolve();\n}',
    ],
    ['a cycle of types only', 'lib/command/x.ts', "import type { Y } from './y.ts';\nexport type X = Y;"],
    ['a file of exactly the longest length', 'lib/util/x.ts', 'export {};\n'.repeat(349) + 'export {};'],
    ['the platform in command', 'lib/command/x.ts', "export const w = process.platform === 'win32';"],
  ])('%s', async (_name, path, text) => {
    const extra = { 'lib/command/y.ts': "import type { X } from './x.ts';\nexport type Y = X;\n" };
    const checked = await checkTree({ ...(path === 'lib/command/x.ts' ? extra : {}), [path]: `${text}\n` });
    expect(checked.problems).toEqual([]);
  });
});
