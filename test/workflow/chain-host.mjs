// The seven hops of a layer-by-layer implementation chain, as a script for a workflow: a branch in a worktree, status,
// gate, commit and push, a request, waiting for its check, merge. git is a step itself; what is the project's own or the
// forge's is a helper program. Run by chain.test.ts.
//
// usage: node chain-host.mjs FOLDER PORT RUN [resume]      KILL_AT: the host kills itself when an event matches this

import { join } from 'node:path';
import { createWorkflow } from '../../dist/workflow.js';

const [, , folder, port, run, resume] = process.argv;
const main = join(folder, 'main');
const killAt = process.env.KILL_AT ? new RegExp(process.env.KILL_AT) : null;

const workflow = createWorkflow({
  allow: ['git', { dir: join(folder, 'helpers') }],
  cwd: main,
  folders: [folder],
  env: {
    PATH: process.env.PATH,
    HOME: folder,
    FORGE_PORT: port,
    HOPS: join(folder, 'hops'),
    GIT_CONFIG_NOSYSTEM: '1',
    // Commits of an interrupted run and of an undisturbed one get the same name.
    GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
    GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  },
  journal: join(folder, 'journal'),
  ...(resume ? { resumeFromRunId: run } : { runId: run }),
  onEvent({ type, step, command }) {
    const line = `${type} ${step ?? ''} ${command ?? ''}`;
    process.stderr.write(`${line}\n`);
    if (killAt?.test(line)) process.kill(process.pid, 'SIGKILL');
  },
});

const { sh, pipeline } = workflow;
const checked = { check: true };

/** A step that a kill has cut short is started again. What it may have left is cleared away, then it is tried anew. */
async function repeat(argv, clear) {
  for (let left = 3; left > 0; left--) {
    const result = await sh(argv);
    if (result.ok) return;
    for (const command of clear) await sh(command);
  }
  await sh(argv, checked);
}

const readStatus = async (tree) => (await sh(['git', '-C', tree, 'status', '--porcelain'], checked)).stdout;

/** A commit that was made before the kill leaves nothing to commit, so what is left decides, not the code. */
async function commit(tree, branch, message) {
  for (let left = 3; left > 0; left--) {
    await sh(['git', '-C', tree, 'add', '--all']);
    await sh(['git', '-C', tree, 'commit', '-q', '-m', message]);
    if ((await readStatus(tree)) === '') return;
    await sh(['clear-locks', tree, branch], checked);
  }
  throw new Error(`${tree} could not be committed`);
}

// Item names come from a model: as arguments they are inert, whatever they hold.
const done = await pipeline(['feature-a', "feature-$(touch hacked)'b"], async (_, item, index) => {
  const branch = `item-${index}`;
  const tree = join(folder, branch);
  await repeat(
    ['git', 'worktree', 'add', '-q', '-f', '-f', '-B', branch, tree, 'main'],
    [
      ['clear-locks', main, branch],
      ['git', 'worktree', 'remove', '-f', '-f', tree],
    ],
  );
  await sh(['write-change', tree, item], checked);
  const status = await readStatus(tree);
  await sh(['gate', tree], { ...checked, cwd: tree });
  await commit(tree, branch, `Add ${item}`);
  await sh(['git', '-C', tree, 'push', '-q', 'origin', branch], checked);
  const request = await sh(['open-request', branch, item], checked);
  await sh(['wait-check', request.stdout.trim()], { ...checked, timeout: 60_000 });
  return { branch, item, status, request: request.stdout.trim() };
});
for (const { branch, request } of done) {
  await repeat(
    ['git', 'merge', '-q', '--no-ff', '--no-edit', branch],
    [
      ['clear-locks', main, 'main'],
      ['git', 'merge', '--abort'],
    ],
  );
  await sh(['close-request', request], checked);
}
// A push that was cut short may have left one of these, and later ones found nothing to do.
await sh(['clear-locks', main, 'main'], checked);
// Constant text may be text: the shell layer says what it runs, and each command is approved like an array.
await sh('git push -q origin main && git fetch -q origin', checked);
const log = await sh(['git', 'log', '--format=%s', '--reverse'], checked);
const tree = await sh(['git', 'rev-parse', 'HEAD:'], checked);
await workflow.close();
process.stdout.write(JSON.stringify({ done, log: log.stdout, tree: tree.stdout }));
