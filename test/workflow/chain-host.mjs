// The seven hops of a layer-by-layer implementation chain, as a script for a workflow: a branch in a worktree, status,
// gate, commit and push, a request, waiting for its check, merge. Run by chain.test.ts in hosts that it may kill.
//
// usage: node chain-host.mjs FOLDER PORT RUN [resume]

import { join } from 'node:path';
import { createWorkflow } from '../../dist/workflow.js';

const [, , folder, port, run, resume] = process.argv;
const main = join(folder, 'main');

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
  onEvent: ({ type, step, command }) => process.stderr.write(`${type} ${step ?? ''} ${command ?? ''}\n`),
});

const { sh, pipeline } = workflow;
const checked = { check: true };

// Item names come from a model: as arguments they are inert, whatever they hold.
const merged = await pipeline(['feature-a', "feature-$(touch hacked)'b"], async (_, item, index) => {
  const branch = `item-${index}`;
  const tree = join(folder, branch);
  await sh(['create-branch', main, tree, branch], checked);
  await sh(['write-change', tree, item], checked);
  const status = await sh(['git', '-C', tree, 'status', '--porcelain'], checked);
  await sh(['gate', tree], { ...checked, cwd: tree });
  await sh(['commit', tree, `Add ${item}`], checked);
  await sh(['git', '-C', tree, 'push', '-q', '-u', 'origin', branch], checked);
  const request = await sh(['open-request', branch, item], checked);
  await sh(['wait-check', request.stdout.trim()], { ...checked, timeout: 60_000 });
  return { branch, item, status: status.stdout, request: request.stdout.trim() };
});
for (const { branch, request } of merged) await sh(['merge-request', main, request, branch], checked);
const log = await sh(['git', 'log', '--format=%s', '--reverse'], checked);
const tree = await sh(['git', 'rev-parse', 'HEAD:'], checked);
await workflow.close();
process.stdout.write(JSON.stringify({ merged, log: log.stdout, tree: tree.stdout }));
