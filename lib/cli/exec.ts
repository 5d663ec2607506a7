// `argv-spawn exec`: one request of the agent layer, as JSON in and JSON out. That layer is loaded by this command only.

import { constants } from 'node:os';
import { text } from 'node:stream/consumers';
import { parseOptionsAndWords } from './arguments.ts';
import { EXIT, print, UsageError } from './command.ts';
import type { Command, Streams } from './command.ts';
import { EXECUTOR_HELP, EXECUTOR_OPTIONS } from './executor-flags.ts';

const HELP = `Usage: argv-spawn exec [options] [FILE]

Runs one request, read as JSON from FILE or from stdin, and prints the outcome as one JSON object.

  {"mode": "process", "program": "git", "args": ["commit", "-m", "two words"], "stdin": "...", "workdir": "...", "timeout": 5000}
  {"command": "git log | head"}

Process mode inserts no shell; prefer it for a single program. Neither mode is a sandbox.

  --dry-run           print plan, scan, canonical form and verdict; start nothing. Exit code 0 when the verdict is allow, else 1
${EXECUTOR_HELP}
Without --policy and --allow-all every request is refused. Exit code: the program's; 128+n when signal n ended it; 124
after a timeout; 127 when the program was not found; 126 when it was not permitted or could not be started; 125 for a
request or an option that is wrong.
`;

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function readRequest(words: readonly string[], streams: Streams): Promise<unknown> {
  const [file, ...more] = words;
  if (more.length > 0) throw new UsageError('exec takes one file');
  if (file !== undefined) return (await import('./executor-options.ts')).readJson(file);
  try {
    return JSON.parse(await text(streams.stdin));
  } catch {
    // The text is not quoted: it may hold stdin for the program.
    throw new UsageError('the request on stdin is not valid JSON');
  }
}

interface Ended {
  readonly timedOut: boolean;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

function toExitCode({ timedOut, code, signal }: Ended): number {
  if (timedOut) return EXIT.timeout;
  return code ?? EXIT.signalBase + (signal === null ? 0 : constants.signals[signal]);
}

function toFailureCode(error: unknown): number {
  const { name, code, stage } = error as { name?: unknown; code?: unknown; stage?: unknown };
  if (name === 'RequestError') return EXIT.usage;
  return stage === 'resolve' && code === 'ENOENT' ? EXIT.notFound : EXIT.notExecutable;
}

async function run(args: readonly string[], streams: Streams): Promise<number> {
  const { toExecutorOptions } = await import('./executor-options.ts');
  const options = { ...EXECUTOR_OPTIONS, 'dry-run': { type: 'boolean' } } as const;
  const { values, words } = parseOptionsAndWords(args, options);
  const request = await readRequest(words, streams);
  const { createExecutor } = await import('../agent/executor.ts');
  const { describeError, describeResult } = await import('../agent/response.ts');
  const executor = createExecutor(toExecutorOptions(values));
  const say = (data: unknown): Promise<void> => print(streams.stdout, `${JSON.stringify(data)}\n`);
  const controller = new AbortController();
  let received: (typeof FORWARDED)[number] | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    received ??= FORWARDED.find((one) => one === signal);
    controller.abort();
  };
  for (const signal of FORWARDED) process.on(signal, onSignal);
  try {
    if (values['dry-run'] === true) {
      const { describePlan } = await import('../agent/audit.ts');
      const { preview } = await import('../agent/preview.ts');
      const plan = await executor.plan(request);
      const decision = executor.decide(plan);
      await say({
        plan: describePlan(plan),
        canonical: plan.canonical,
        scan: plan.scan,
        preview: preview(plan),
        decision,
      });
      return decision.effect === 'allow' ? EXIT.success : EXIT.failure;
    }
    const result = await executor.run(request, { signal: controller.signal });
    await say(describeResult(result));
    return toExitCode(result);
  } catch (error) {
    if (received !== undefined) return EXIT.signalBase + constants.signals[received];
    await say(describeError(error));
    return toFailureCode(error);
  } finally {
    for (const signal of FORWARDED) process.off(signal, onSignal);
  }
}

export const EXEC: Command = {
  name: 'exec',
  summary: 'run one agent request (JSON) under a policy',
  help: HELP,
  run,
};
