// What a user's first program does, in whatever runtime this is: copied into a project that has the tarball installed.
// Prints one line of JSON with what protected the calls; any failed check ends it with an exception.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import { platform, resolveProgram, run, runSync, spawn } from 'argv-spawn';
import { createExecutor } from 'argv-spawn/agent';
import { scan } from 'argv-spawn/shell';
import { createWorkflow } from 'argv-spawn/workflow';

const windows = process.platform === 'win32';
const PRINT_ARGS = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
// On Unix programs that are no runtime: they start in a millisecond.
const printArgs = (args) =>
  windows ? [process.execPath, '-e', PRINT_ARGS, '--', ...args] : ['printf', '%s\\0', ...args];
const readArgs = (text) => (windows ? JSON.parse(text) : text.split('\0').slice(0, -1));
const copy = windows ? [process.execPath, '-e', 'process.stdin.pipe(process.stdout)'] : ['cat'];
const wait = windows ? [process.execPath, '-e', 'setInterval(() => {}, 1e6)'] : ['sleep', '300'];

const args = ['a b', '"quoted"', "it's", '$HOME', '*', '', 'ü€😀', 'back\\slash\\'];
assert.deepEqual(readArgs((await run(printArgs(args))).stdout), args);
assert.deepEqual(readArgs(runSync(printArgs(args)).stdout), args);

const input = 'x'.repeat(300_000);
assert.equal((await run(copy, { stdin: input })).stdout, input);

const late = await run(wait, { timeout: 300, forceKillAfter: 100 });
assert.equal(late.timedOut, true);
assert.deepEqual(late.leftovers, []);

const child = spawn(copy, { stdin: 'pipe' });
child.stdin.end('one\ntwo\n');
const lines = [];
for await (const line of child.lines()) lines.push(typeof line === 'string' ? line : line.text);
assert.deepEqual(lines, ['one', 'two']);
assert.equal((await child.exited).code, 0);

await assert.rejects(run(['argv-spawn-no-such-program']), { code: 'ENOENT' });
assert.ok((await resolveProgram(windows ? process.execPath : 'cat')).path);

const result = await run(printArgs(['x']));
if (!windows) {
  // A descendant that stays behind with the output closed.
  const script = 'sleep 300 >/dev/null 2>&1 & echo $!';
  const { stdout } = await run(['sh', '-c', script]);
  const pid = Number(stdout);
  assert.notEqual(result.containment.tree, 'none');
  // Without a keeper it is an orphan when it ends, and stays a zombie until the system's first process has reaped it.
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : 'gone';
  assert.match(status, result.containment.tree === 'tree' ? /^gone$/ : /^gone$|^State:\tZ/m);
}

const required = createRequire(import.meta.url)('argv-spawn');
assert.equal(required.run, run);

const inWorker = await new Promise((resolve, reject) => {
  const worker = new Worker(new URL('./worker.mjs', import.meta.url), { workerData: printArgs(['in', 'a worker']) });
  worker.once('message', resolve);
  worker.once('error', reject);
});
assert.deepEqual(readArgs(inWorker), ['in', 'a worker']);

assert.equal(scan({ mode: 'shell', shell: 'bash', command: 'ls > x' }).shell_redirects.length, 1);
// On Windows the program would be node.exe, which an allowlist takes with a rule for its arguments only.
const workflow = createWorkflow({ allow: windows ? [] : ['printf'] });
if (windows) await assert.rejects(workflow.sh(printArgs(['step'])), { code: 'ERR_ALLOWLIST' });
else assert.equal((await workflow.sh(printArgs(['step']))).code, 0);
await workflow.close();
const executor = createExecutor({ policy: { rules: [] } });
assert.equal(typeof executor.run, 'function');

/** The file that the system's loader has taken in, whoever chose it. */
function findLoadedAddon() {
  if (process.platform !== 'linux') return null;
  const paths = new Set(readFileSync('/proc/self/maps', 'utf8').match(/\/\S*argv-spawn\S*\.node$/gm));
  assert.equal(paths.size, 1);
  return basename([...paths][0]);
}

console.log(
  JSON.stringify({
    ...result.containment,
    os: platform.os,
    libc: platform.libc,
    addon: findLoadedAddon(),
    keeperProblem: platform.keeperProblem,
    version: globalThis.Deno?.version.deno ?? process.versions.bun ?? process.version,
  }),
);
