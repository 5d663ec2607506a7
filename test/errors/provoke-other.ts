// For each row of lib/errors/other-errors.ts a call that ends with it.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { createExecutor } from '../../lib/agent.ts';
import { run, runSync, spawn } from '../../lib/index.ts';
import type { Argv, RunOptions } from '../../lib/index.ts';
import { assertSameRequest, createShellRegistry, scan } from '../../lib/shell.ts';
import { createBudget, createWorkflow } from '../../lib/workflow.ts';
import type { Workflow, WorkflowOptions } from '../../lib/workflow.ts';
import { makeFolder, writeProgram } from '../helpers/folder.ts';
import { runHost } from '../helpers/host.ts';
import { makeHost } from '../shell/fake-host.ts';

type Provoke = () => unknown;
const folder = makeFolder();

const SLEEP: Argv = ['sleep', '600'];
/** The types forbid it; that is the point. */
const wrong = (options: object): RunOptions => options;
const checked =
  (argv: Argv, options: RunOptions = {}): Provoke =>
  () =>
    run(argv, { check: true, ...options });

const shells = (): ReturnType<typeof createShellRegistry> =>
  createShellRegistry({
    host: makeHost({ platform: 'linux', env: { SHELL: '/bin/fish' }, files: { '/bin/fish': 'x' } }),
  });

const ALLOW_ALL = { rules: [], otherwise: 'allow' } as const;
const TRUE = { mode: 'process', program: 'true', args: [] };

async function swapProgram(): Promise<unknown> {
  const tool = writeProgram(folder, 'tool', '#!/bin/sh\n');
  const executor = createExecutor({ policy: ALLOW_ALL });
  const plan = await executor.plan({ mode: 'process', program: tool, args: [] });
  rmSync(tool);
  writeProgram(folder, 'tool', '#!/bin/sh\necho another\n');
  return executor.run(plan);
}

let journals = 0;
const makeJournal = (): string => join(folder, `journal-${journals++}`);

async function work(options: Partial<WorkflowOptions>, steps: (workflow: Workflow) => unknown): Promise<void> {
  const workflow = createWorkflow({ allow: ['echo', 'head'], cwd: folder, ...options });
  try {
    await steps(workflow);
  } finally {
    await workflow.close();
  }
}
const twoSteps = async ({ sh }: Workflow): Promise<void> => {
  await sh(['echo', 'first']);
  await sh(['head', '-c', '9000', '/dev/zero']);
};

/** A journal of a whole run, changed by `damage`; then the run is resumed. */
const resumeAfter =
  (damage: (journal: string) => void, steps = twoSteps): Provoke =>
  async () => {
    const journal = makeJournal();
    await work({ journal, runId: 'r' }, twoSteps);
    damage(journal);
    await work({ journal, resumeFromRunId: 'r' }, steps);
  };

function changeVersion(journal: string): void {
  const path = join(journal, 'r.jsonl');
  const head = '{"type":"run","version":2,"run":"r","at":"x"}';
  const sum = createHash('sha256').update(head).digest('hex').slice(0, 16);
  const [, ...rest] = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, [`${head.slice(0, -1)},"sum":"${sum}"}`, ...rest].join('\n'));
}

function damageRecord(journal: string): void {
  const path = join(journal, 'r.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"code":0', '"code":1'));
}

function loseOutput(journal: string): void {
  const [name = ''] = readdirSync(join(journal, 'outputs'));
  writeFileSync(join(journal, 'outputs', name), 'something else');
}

const journalWithoutPlace: Provoke = () => {
  const journal = makeJournal();
  mkdirSync(journal);
  // A file stands where the folder of outputs would be.
  writeFileSync(join(journal, 'outputs'), '');
  return work({ journal, runId: 'r' }, twoSteps);
};

const journalInUse: Provoke = () => {
  const journal = makeJournal();
  return work({ journal, runId: 'r' }, async ({ sh }) => {
    await sh(['echo', 'first']);
    await work({ journal, resumeFromRunId: 'r' }, twoSteps);
  });
};

/** A copy of the compiled package in a folder that has no packages beside it. */
async function withoutSdk(): Promise<unknown> {
  // The module alone, where no packages are.
  const source = readFileSync(new URL('../../lib/mcp/sdk.ts', import.meta.url), 'utf8');
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const bare = join(folder, 'sdk.mjs');
  writeFileSync(bare, ts.transpileModule(source, { compilerOptions }).outputText);
  const sdk = pathToFileURL(bare).href;
  const end = await runHost(`
    const { loadSdk } = await import(${JSON.stringify(sdk)});
    const error = await loadSdk().catch((e) => e);
    console.log(JSON.stringify({ code: error.code, name: error.name }));`);
  throw Object.assign(new Error(end.stderr), JSON.parse(end.stdout));
}

/** More text than a string can be; in a host of its own, since it takes a gigabyte. */
async function tooLong(): Promise<unknown> {
  const end = await runHost(`
    const error = await run(['head', '-c', '600000000', '/dev/zero'], { maxBuffer: Infinity }).catch((e) => e);
    console.log(JSON.stringify({ code: error.code, name: error.name }));`);
  throw Object.assign(new Error(end.stderr), JSON.parse(end.stdout));
}

async function stopped(): Promise<unknown> {
  const child = spawn(SLEEP, { check: true });
  await child.spawned;
  await child.stop();
  return child.exited;
}

async function* failingSource(): AsyncGenerator<string> {
  yield 'first';
  await Promise.resolve();
  throw new Error('the source failed');
}

/** Code, then the class that carries it, then a way there. */
export const PROVOKE: Readonly<Record<string, readonly [raisedBy: string, provoke: Provoke]>> = {
  ERR_INVALID_ARG_TYPE: ['TypeError', () => run(['true'], wrong({ timeout: '5' }))],
  ERR_INVALID_ARG_VALUE: ['TypeError', () => run(['true', 'a\0b'])],
  ERR_OUT_OF_RANGE: ['RangeError', () => run(['true'], { timeout: -1 })],
  ERR_UNKNOWN_OPTION: ['TypeError', () => run(['true'], wrong({ timeOut: 5 }))],
  ERR_UNKNOWN_SIGNAL: ['TypeError', () => run(['true'], wrong({ killSignal: 'SIGNOTHING' }))],
  ERR_STRING_TOO_LONG: ['Error', tooLong],
  ERR_EXIT: ['ExitError', checked(['false'])],
  ERR_SIGNAL: ['ExitError', checked(['sh', '-c', 'kill -9 $$'])],
  ERR_TIMEOUT: ['ExitError', () => runSync(SLEEP, { check: true, timeout: 50 })],
  ERR_IDLE_TIMEOUT: ['ExitError', checked(SLEEP, { idleTimeout: 50 })],
  ERR_MAX_BUFFER: ['ExitError', checked(['yes'], { maxBuffer: 1000, onMaxBuffer: 'kill' })],
  ERR_STOPPED: ['ExitError', stopped],
  ABORT_ERR: ['AbortError', () => run(SLEEP, { signal: AbortSignal.timeout(50) })],
  ERR_STDIN_SOURCE: ['StdinError', () => run(['cat'], { stdin: failingSource() })],
  ERR_SHELL_UNKNOWN: ['ShellError', () => shells().shellInvocation({ shell_id: 'nonesuch', command: 'x' })],
  ERR_SHELL_UNAVAILABLE: [
    'ShellError',
    () => {
      const gone = makeHost({ platform: 'linux', env: { SHELL: '/opt/zsh' }, files: { '/opt/zsh': '-' } });
      return createShellRegistry({ host: gone }).setDefaultShell('zsh');
    },
  ],
  ERR_SHELL_UNSUPPORTED: ['ShellError', () => shells().setDefaultShell('fish')],
  ERR_SHELL_NONE: ['ShellError', () => shells().shellInvocation({ command: 'x' })],
  ERR_SCAN_MISMATCH: [
    'ScanMismatchError',
    () => {
      const request = { mode: 'shell', shell: 'bash', command: 'ls' } as const;
      assertSameRequest(scan(request), { ...request, command: 'rm -r .' });
    },
  ],
  ERR_INVALID_REQUEST: ['RequestError', () => createExecutor({ policy: ALLOW_ALL }).run({ program: 'true' })],
  ERR_INVALID_POLICY: ['PolicyError', () => createExecutor({ policy: { rules: [{}] } as never })],
  ERR_PERMISSION: ['PermissionError', () => createExecutor({ policy: { rules: [] } }).run(TRUE)],
  ERR_PROGRAM_CHANGED: ['ProgramChangedError', swapProgram],
  ERR_STEP_FAILED: [
    'StepError',
    () => {
      const record = (): never => {
        throw new Error('disk full');
      };
      return createExecutor({ policy: ALLOW_ALL, audit: { record } }).run(TRUE);
    },
  ],
  ERR_ALLOWLIST: ['AllowlistError', () => work({}, ({ sh }) => sh(['true']))],
  ERR_BUDGET: ['BudgetError', () => work({ budget: createBudget({ calls: 1 }) }, twoSteps)],
  ERR_WORKFLOW_CLOSED: [
    'WorkflowClosedError',
    async () => {
      const workflow = createWorkflow({ allow: ['echo'], cwd: folder });
      await workflow.close();
      await workflow.sh(['echo']);
    },
  ],
  ERR_JOURNAL_IN_USE: ['JournalError', journalInUse],
  ERR_JOURNAL_VERSION: ['JournalError', resumeAfter(changeVersion)],
  ERR_JOURNAL_CORRUPT: ['JournalError', resumeAfter(damageRecord)],
  ERR_JOURNAL_MISSING: ['JournalError', () => work({ journal: makeJournal(), resumeFromRunId: 'r' }, twoSteps)],
  ERR_JOURNAL_EXISTS: [
    'JournalError',
    async () => {
      const journal = makeJournal();
      await work({ journal, runId: 'r' }, twoSteps);
      await work({ journal, runId: 'r' }, twoSteps);
    },
  ],
  ERR_JOURNAL_OUTPUT: ['JournalError', resumeAfter(loseOutput)],
  ERR_JOURNAL_WRITE: ['JournalError', journalWithoutPlace],
  ERR_MCP_SDK_MISSING: ['SdkMissingError', withoutSdk],
};
