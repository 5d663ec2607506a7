// The built package as others get it: both module systems, workers, nothing but its own files, and nothing started by
// loading it.

import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import * as sources from '../../lib/index.ts';
import { makeFolder } from '../helpers/folder.ts';
import { PACKAGE, PACKAGE_PATH } from '../helpers/host.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ADDON = join('build', 'Release', 'argv_spawn.node');

/** Runs `script` in a Node of its own; what it prints as JSON. */
async function node(
  script: string,
  options: { readonly cwd?: string; readonly commonjs?: boolean } = {},
): Promise<unknown> {
  const type = options.commonjs === true ? 'commonjs' : 'module';
  const result = await run([process.execPath, `--input-type=${type}`, '-e', script], {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    timeout: 50_000,
  });
  expect([result.code, result.stderr.replace(/^.*ExperimentalWarning.*\n.*\n/, '')]).toEqual([0, '']);
  return JSON.parse(result.stdout);
}

test('require and import give the same functions and the same error classes', async () => {
  const answer = await node(
    `const required = require(${JSON.stringify(PACKAGE_PATH)});
     import(${JSON.stringify(PACKAGE)}).then(async (imported) => {
       const names = Object.keys(imported).sort();
       const error = await required.run(['/no/such/program']).catch((e) => e);
       console.log(JSON.stringify([
         names,
         names.filter((name) => required[name] !== imported[name]),
         error instanceof imported.SpawnError,
         (await required.run(['echo', 'x'])).stdout + required.runSync(['echo', 'y']).stdout,
       ]));
     });`,
    { commonjs: true },
  );
  expect(answer).toEqual([Object.keys(sources).sort(), [], true, 'x\ny\n']);
});

describe('installed in another project', () => {
  const project = makeFolder();
  const home = join(project, 'node_modules', 'argv-spawn');
  mkdirSync(join(home, 'build', 'Release'), { recursive: true });
  for (const part of ['package.json', 'dist', ADDON]) cpSync(join(ROOT, part), join(home, part), { recursive: true });

  test('it needs its compiled files and the addon, and nothing else', async () => {
    const script = `
      import { run } from 'argv-spawn';
      console.log(JSON.stringify((await run(['echo', 'installed'])).stdout));`;
    expect(await node(script, { cwd: project })).toBe('installed\n');
  });

  test('it loads by name through require as well', async () => {
    const script = `console.log(JSON.stringify(require('argv-spawn').runSync(['echo', 'required']).stdout));`;
    expect(await node(script, { cwd: project, commonjs: true })).toBe('required\n');
  });

  test('its other entry points load by both ways, with the shell parser beside them', async () => {
    cpSync(join(ROOT, 'node_modules', 'unbash'), join(project, 'node_modules', 'unbash'), { recursive: true });
    cpSync(join(ROOT, 'lib', 'shell'), join(home, 'lib', 'shell'), {
      recursive: true,
      filter: (path) => !path.endsWith('.ts'),
    });
    const script = `
      const { scan } = require('argv-spawn/shell');
      const schema = require('argv-spawn/schemas/command-scan.schema.json');
      const { createWorkflow } = require('argv-spawn/workflow');
      (async () => {
        const same = [(await import('argv-spawn/shell')).scan === scan, (await import('argv-spawn/workflow')).createWorkflow === createWorkflow];
        const result = scan({ shell: 'bash', command: 'ls > x' });
        const workflow = createWorkflow({ allow: ['echo'] });
        const { stdout } = await workflow.sh(['echo', 'step']);
        await workflow.close();
        console.log(JSON.stringify([...same, Object.keys(result).sort(), schema.required.sort(), stdout]));
      })();`;
    const [sameScan, sameWorkflow, fields, required, stdout] = (await node(script, {
      cwd: project,
      commonjs: true,
    })) as unknown[];
    expect([sameScan, sameWorkflow, fields, stdout]).toEqual([true, true, required, 'step\n']);
  });

  test('its insides are no entry points', async () => {
    const script = `
      const codes = [];
      for (const inner of ['argv-spawn/dist/process/run.js', 'argv-spawn/lib/index.ts'])
        await import(inner).catch((error) => codes.push(error.code));
      const { default: manifest } = await import('argv-spawn/package.json', { with: { type: 'json' } });
      console.log(JSON.stringify([...codes, manifest.name]));`;
    expect(await node(script, { cwd: project })).toEqual([
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
      'argv-spawn',
    ]);
  });

  test('without the addon it loads, and the first call says where to read on', async () => {
    const bare = join(makeFolder(), 'node_modules', 'argv-spawn');
    for (const part of ['package.json', 'dist']) cpSync(join(ROOT, part), join(bare, part), { recursive: true });
    const script = `
      import { commandLine, run, runSync, spawn } from 'argv-spawn';
      const errors = [await run(['true']).catch((e) => e), await spawn(['true']).exited.catch((e) => e)];
      try { runSync(['true']); } catch (e) { errors.push(e); }
      console.log(JSON.stringify([commandLine(['a b']), errors.map((e) => e.message)]));`;
    const message = expect.stringMatching(
      /^argv-spawn has no native addon for .* in .*argv-spawn\. The README says under "Install and platforms" .*$/,
    ) as unknown;
    expect(await node(script, { cwd: join(bare, '..', '..') })).toEqual(["'a b'", [message, message, message]]);
  });
});

test('every source has its types, every entry point its file, and every file can be required', async () => {
  const list = (folder: string, from: RegExp, to: string): string[] =>
    readdirSync(join(ROOT, folder), { recursive: true })
      .map(String)
      .filter((name) => from.test(name))
      .map((name) => name.replace(from, to))
      .sort();
  expect(list('dist', /\.d\.ts$/, '')).toEqual(list('lib', /\.ts$/, ''));
  const compiled = list('dist', /\.js$/, '');
  const entries = list('lib', /\.ts$/, '').filter((name) => !name.includes('/') || name === 'cli/main');
  expect(compiled.filter((name) => !name.startsWith('chunks/'))).toEqual(entries);
  const modules = compiled.filter((name) => !name.startsWith('cli/')).map((name) => join(ROOT, 'dist', `${name}.js`));
  const script = `console.log(${JSON.stringify(modules)}.map((one) => typeof require(one)).every((t) => t === 'object'));`;
  expect(await node(script, { commonjs: true })).toBe(true);
});

test('loading starts no thread, opens no descriptor and loads no addon; the first call does', async () => {
  const script = `
    import { readdirSync, readFileSync } from 'node:fs';
    const look = () => [
      readdirSync('/proc/self/task').map((id) => readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim()).filter((name) => name.startsWith('argv-spawn')),
      readdirSync('/proc/self/fd').length,
      readFileSync('/proc/self/maps', 'utf8').includes('argv_spawn.node'),
    ];
    const before = look();
    const { run, commandLine, platform } = await import(${JSON.stringify(PACKAGE)});
    commandLine(['a', 'b']);
    const loaded = look();
    await run(['true']);
    const used = look();
    console.log(JSON.stringify([before, loaded, used[0].length > 0, used[2]]));`;
  const [before, loaded, moreThreads, addon] = (await node(script)) as [unknown[], unknown[], boolean, boolean];
  expect(loaded).toEqual(before);
  expect([before[0], before[2], moreThreads, addon]).toEqual([[], false, true, true]);
});

test('it loads in a worker alone, by import and by require', async () => {
  const script = `
    const { Worker } = require('node:worker_threads');
    const bodies = [
      "import(workerData).then(async (p) => parentPort.postMessage((await p.run(['echo', 'imported'])).stdout))",
      "parentPort.postMessage(require(new URL(workerData).pathname).runSync(['echo', 'required']).stdout)",
    ];
    const outputs = bodies.map((body) => new Promise((resolve, reject) => {
      const source = "const { workerData, parentPort } = require('node:worker_threads');" + body;
      const worker = new Worker(source, { eval: true, workerData: ${JSON.stringify(PACKAGE)} });
      worker.once('message', resolve);
      worker.once('error', reject);
    }));
    Promise.all(outputs).then((all) => console.log(JSON.stringify(all)));`;
  expect(await node(script, { commonjs: true })).toEqual(['imported\n', 'required\n']);
});

test('one addon file serves two copies of the code in one environment', async () => {
  // As when a bundle holds the package a second time, or a test runner evaluates modules again.
  const script = `
    const { cpSync } = await import('node:fs');
    const { join } = await import('node:path');
    const first = await import(${JSON.stringify(PACKAGE)});
    const second = await import(${JSON.stringify(`${PACKAGE}?again`)});
    const { run: other } = await import(new URL('chunks/core.js?again', ${JSON.stringify(PACKAGE)}));
    const outputs = await Promise.all([first.run(['echo', '1']), second.run(['echo', '2']), other(['echo', '3'])]);
    console.log(JSON.stringify(outputs.map((one) => one.stdout)));`;
  expect(await node(script)).toEqual(['1\n', '2\n', '3\n']);
});

test('the manifest names files that are there, and asks for no Node that is not supported', () => {
  const manifest = createRequire(import.meta.url)('../../package.json') as {
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
    readonly bin: Readonly<Record<string, string>>;
    readonly scripts: Readonly<Record<string, string>>;
  };
  const targets = Object.values(manifest.exports).flatMap((one) =>
    typeof one === 'string' ? [one] : Object.values(one),
  );
  for (const target of [...targets, ...Object.values(manifest.bin)]) {
    expect(() => createRequire(import.meta.url).resolve(join(ROOT, target))).not.toThrow();
  }
  for (const hook of ['install', 'preinstall', 'postinstall', 'prepare'])
    expect(manifest.scripts[hook]).toBe(undefined);
});
