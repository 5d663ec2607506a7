// `argv-spawn run`: one program, its streams passed through or its result as JSON.

import { fstatSync } from 'node:fs';
import { constants } from 'node:os';
import type { Argv, Env, SpawnOptions } from '../command/types.ts';
import { isAbortError, isSpawnError } from '../errors/errors.ts';
import { spawn } from '../process/spawn.ts';
import type { ExitStatus, RunResult } from '../process/types.ts';
import { parseNumber, parseOptions, readExactArgv } from './arguments.ts';
import { EXIT, print, UsageError } from './command.ts';
import type { Command, Streams } from './command.ts';

const HELP = `Usage: argv-spawn run [options] -- program [argument ...]

Starts the program with exactly these arguments, no shell in between, and ends its whole tree when it is over.
stdin is passed on when it is a pipe or a file, and is at its end otherwise. stdout and stderr are passed through.

  --cwd FOLDER             start in this folder
  --env NAME=VALUE         set a variable (may be repeated)
  --unset NAME             leave a variable out (may be repeated)
  --clear-env              start from an empty environment
  --stdin inherit|ignore   pass stdin on, or not, whatever it is
  --timeout MS             end the tree after so long; 0 = never (default)
  --idle-timeout MS        end the tree after so long without output (with --json)
  --kill-signal NAME       the polite signal (default SIGTERM)
  --force-kill-after MS    time between it and SIGKILL (default 2000)
  --lingering kill|leave|wait   what happens to descendants that outlive the program (default kill)
  --drain-timeout MS       how long they may hold the output before that (default 100)
  --containment tree|group|none, --require tree|group|none
  --json                   print the result as one JSON object instead; holds the output
  --max-buffer BYTES, --keep ends|head|tail, --encoding LABEL   of the output in the JSON; 'buffer' gives base64

SIGINT, SIGTERM and SIGHUP to argv-spawn end the tree. Exit code: the program's; 128+n when signal n ended it;
124 after a timeout; 127 when the program was not found; 126 when it could not be started; 125 for wrong usage.
`;

const OPTIONS = {
  cwd: { type: 'string' },
  env: { type: 'string', multiple: true },
  unset: { type: 'string', multiple: true },
  'clear-env': { type: 'boolean' },
  stdin: { type: 'string' },
  timeout: { type: 'string' },
  'idle-timeout': { type: 'string' },
  'kill-signal': { type: 'string' },
  'force-kill-after': { type: 'string' },
  lingering: { type: 'string' },
  'drain-timeout': { type: 'string' },
  containment: { type: 'string' },
  require: { type: 'string' },
  json: { type: 'boolean' },
  'max-buffer': { type: 'string' },
  keep: { type: 'string' },
  encoding: { type: 'string' },
} as const;

const NEEDS_JSON = ['idle-timeout', 'max-buffer', 'keep', 'encoding'] as const;
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type Values = ReturnType<typeof parseOptions<typeof OPTIONS>>;

interface Call {
  readonly argv: Argv;
  readonly options: SpawnOptions;
  readonly json: boolean;
}

function parseEnvironment(values: Values): Pick<SpawnOptions, 'env' | 'extendEnv'> {
  const entries: Record<string, string | undefined> = Object.create(null) as Env;
  for (const name of values.unset ?? []) entries[name] = undefined;
  for (const entry of values.env ?? []) {
    const at = entry.indexOf('=');
    if (at < 1) throw new UsageError(`--env takes NAME=VALUE, got '${entry}'`);
    entries[entry.slice(0, at)] = entry.slice(at + 1);
  }
  if (values['clear-env'] === true) return { env: entries };
  return { extendEnv: entries };
}

/** A terminal is not passed on unasked: a program that reads it would stop a script that nobody watches. */
function chooseStdin(asked: string | undefined): 'inherit' | 'ignore' {
  if (asked === 'inherit' || asked === 'ignore') return asked;
  if (asked !== undefined) throw new UsageError(`--stdin takes 'inherit' or 'ignore', got '${asked}'`);
  try {
    const stdin = fstatSync(0);
    return stdin.isFIFO() || stdin.isFile() || stdin.isSocket() ? 'inherit' : 'ignore';
  } catch {
    return 'ignore'; // closed
  }
}

function parseCall(args: readonly string[]): Call {
  const end = args.indexOf('--');
  if (end < 0) throw new UsageError('put -- before the program');
  const values = parseOptions(args.slice(0, end), OPTIONS);
  const json = values.json === true;
  const misplaced = NEEDS_JSON.find((name) => !json && values[name] !== undefined);
  if (misplaced !== undefined) throw new UsageError(`--${misplaced} needs --json: other output is not looked at`);
  const options = {
    ...parseEnvironment(values),
    cwd: values.cwd,
    stdin: chooseStdin(values.stdin),
    stdout: json ? 'pipe' : 'inherit',
    stderr: json ? 'pipe' : 'inherit',
    timeout: parseNumber('--timeout', values.timeout),
    idleTimeout: parseNumber('--idle-timeout', values['idle-timeout']),
    killSignal: values['kill-signal'],
    forceKillAfter: parseNumber('--force-kill-after', values['force-kill-after']),
    lingering: values.lingering,
    drainTimeout: parseNumber('--drain-timeout', values['drain-timeout']),
    containment: values.containment,
    require: values.require,
    maxBuffer: parseNumber('--max-buffer', values['max-buffer']),
    keep: values.keep,
    encoding: values.encoding,
  } as SpawnOptions; // words are checked by the core, like those of any caller
  return { argv: readExactArgv(args.slice(end + 1)), options, json };
}

function toExitCode(status: ExitStatus): number {
  if (status.timedOut) return EXIT.timeout;
  if (status.code !== null) return status.code;
  return EXIT.signalBase + (status.signal === null ? 0 : constants.signals[status.signal]);
}

const toText = (output: string | Uint8Array | null): string | null =>
  output === null || typeof output === 'string' ? output : Buffer.from(output).toString('base64');

function formatResult(result: RunResult, options: SpawnOptions): string {
  return `${JSON.stringify({
    ...result,
    argv: result.argv.map((word) => (typeof word === 'string' ? word : { hex: Buffer.from(word).toString('hex') })),
    encoding: options.encoding === 'buffer' ? 'base64' : 'text',
    stdout: toText(result.stdout),
    stderr: toText(result.stderr),
  })}\n`;
}

function formatError(error: Error): string {
  const fields = isSpawnError(error) ? { ...Object.fromEntries(Object.entries(error)), argv: undefined } : {};
  return `${JSON.stringify({ error: { ...fields, name: error.name, message: error.message } })}\n`;
}

/** Until the run is over, a signal that asks this process to end asks the tree to end first. */
async function carryOut({ argv, options, json }: Call, streams: Streams): Promise<number> {
  const controller = new AbortController();
  let received: (typeof FORWARDED)[number] | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    received ??= FORWARDED.find((one) => one === signal);
    controller.abort();
  };
  for (const signal of FORWARDED) process.on(signal, onSignal);
  try {
    const child = spawn(argv, { ...options, signal: controller.signal });
    const code = json ? await printResult(child.collect(), options, streams) : toExitCode(await child.exited);
    return received === undefined ? code : EXIT.signalBase + constants.signals[received];
  } catch (error) {
    if (received !== undefined && isAbortError(error)) return EXIT.signalBase + constants.signals[received];
    throw error;
  } finally {
    for (const signal of FORWARDED) process.off(signal, onSignal);
  }
}

async function printResult(collected: Promise<RunResult>, options: SpawnOptions, streams: Streams): Promise<number> {
  const result = await collected;
  await print(streams.stdout, formatResult(result, options));
  return toExitCode(result);
}

export const RUN: Command = {
  name: 'run',
  summary: 'start a program with exact arguments, end its tree with it',
  help: HELP,
  async run(args, streams) {
    const call = parseCall(args);
    try {
      return await carryOut(call, streams);
    } catch (error) {
      if (error instanceof TypeError || error instanceof RangeError) {
        throw new UsageError(error.message, { cause: error });
      }
      if (!isSpawnError(error)) throw error;
      if (call.json) await print(streams.stdout, formatError(error));
      else await print(streams.stderr, `argv-spawn: ${error.message}\n`);
      return error.stage === 'resolve' && error.code === 'ENOENT' ? EXIT.notFound : EXIT.notExecutable;
    }
  },
};
