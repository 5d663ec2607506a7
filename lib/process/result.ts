// From the engine's last event to the result users see.

import type { Plan } from '../command/types.ts';
import { ExitError } from '../errors/errors.ts';
import type { ExitErrorCode } from '../errors/errors.ts';
import type { NativeFinished } from '../native/contract.ts';
import { getBuiltin } from '../util/builtin.ts';
import { quoteVisibly } from '../util/describe.ts';
import { decodeOutput } from './decode.ts';
import type { Collected } from './decode.ts';
import { findNtStatusName } from './nt-status.ts';
import type { ExitStatus, OutputData, RunResult } from './types.ts';

let signalNames: ReadonlyMap<number, NodeJS.Signals> | undefined;

function getSignalNames(): ReadonlyMap<number, NodeJS.Signals> {
  // The first name of a number wins: SIGABRT before SIGIOT.
  signalNames ??= new Map(
    Object.entries(getBuiltin('node:os').constants.signals)
      .reverse()
      .map(([name, number]) => [number, name as NodeJS.Signals]),
  );
  return signalNames;
}

/** Name of a signal number; a real-time signal has none, and is shown as `SIG<number>`. */
export function toSignalName(number: number | null): NodeJS.Signals | null {
  if (number === null) return null;
  return getSignalNames().get(number) ?? (`SIG${number}` as NodeJS.Signals);
}

const NOTHING_LEFT: ExitStatus['leftovers'] = Object.freeze([]);

function toLeftovers(found: NativeFinished['leftovers']): ExitStatus['leftovers'] {
  if (found.length === 0) return NOTHING_LEFT;
  return Object.freeze(found.map((one) => Object.freeze({ ...one, why: one.why === '' ? null : one.why })));
}

/** Not frozen yet: a result has three fields more, and a copy of all the others would cost it two microseconds. */
function describeExit(finished: NativeFinished, plan: Plan): ExitStatus {
  return {
    argv: plan.argv,
    program: finished.program,
    cwd: plan.cwd,
    pid: finished.pid,
    ok: finished.reason === 'exit' && finished.code === 0,
    reason: finished.reason,
    code: finished.code,
    signal: toSignalName(finished.signal),
    ntStatus: findNtStatusName(finished.code),
    timedOut: finished.reason === 'timeout' || finished.reason === 'idle-timeout',
    aborted: finished.reason === 'abort',
    forced: finished.forced,
    statusKnown: finished.statusKnown,
    stdin: Object.freeze(finished.stdin),
    leftovers: toLeftovers(finished.leftovers),
    containment: Object.freeze({ tree: finished.tree, parentDeath: finished.parentDeath }),
    startedAt: finished.startedAt,
    durationMs: finished.durationMs,
    usage: finished.usage === null ? null : Object.freeze(finished.usage),
  };
}

export function toExitStatus(finished: NativeFinished, plan: Plan): ExitStatus {
  return Object.freeze(describeExit(finished, plan));
}

/** `outputs` has null for a stream that was not collected. */
export function toRunResult(
  finished: NativeFinished,
  plan: Plan,
  outputs: { readonly stdout: Collected | null; readonly stderr: Collected | null },
): RunResult {
  const { encoding, tee } = plan;
  const stdout = outputs.stdout === null ? null : decodeOutput(outputs.stdout, encoding, tee.stdout);
  const stderr = outputs.stderr === null ? null : decodeOutput(outputs.stderr, encoding, tee.stderr);
  const result: { -readonly [Name in keyof RunResult]?: RunResult[Name] } = describeExit(finished, plan);
  result.stdout = stdout === null ? null : stdout.data;
  result.stderr = stderr === null ? null : stderr.data;
  result.capture = Object.freeze({ stdout: stdout?.capture ?? null, stderr: stderr?.capture ?? null });
  return Object.freeze(result as RunResult);
}

const CHECK_CODES: Readonly<Record<ExitStatus['reason'], ExitErrorCode>> = {
  exit: 'ERR_EXIT',
  signal: 'ERR_SIGNAL',
  timeout: 'ERR_TIMEOUT',
  'idle-timeout': 'ERR_IDLE_TIMEOUT',
  'max-buffer': 'ERR_MAX_BUFFER',
  abort: 'ERR_STOPPED',
  stop: 'ERR_STOPPED',
};

function describeEnd(status: ExitStatus, plan: Plan): string {
  switch (status.reason) {
    case 'exit':
      return status.statusKnown
        ? `exited with code ${status.code}${status.ntStatus === null ? '' : ` (${status.ntStatus})`}`
        : 'ended, but another part of this process took its exit status';
    case 'signal':
      return `was ended by ${status.signal}`;
    case 'timeout':
      return `was ended after its timeout of ${plan.timeoutMs} ms`;
    case 'idle-timeout':
      return `was ended after ${plan.idleTimeoutMs} ms without output`;
    case 'max-buffer':
      return 'was ended because its output passed maxBuffer';
    case 'abort':
    case 'stop':
      return 'was stopped';
  }
}

const SHOWN_STDERR = 1000;

function showEnd(stderr: OutputData | null | undefined): string {
  const text = typeof stderr === 'string' ? stderr.trimEnd() : '';
  if (text === '') return '';
  // A second half that the cut has left alone is no character.
  const end = text.length > SHOWN_STDERR ? '...' + text.slice(-SHOWN_STDERR).replace(/^[\udc00-\udfff]/, '') : text;
  return `\n${end}`;
}

/** What `check: true` rejects with. */
export function makeExitError<R extends ExitStatus>(result: R, plan: Plan): ExitError<R> {
  const stderr = (result as { stderr?: OutputData | null }).stderr;
  const message = `${quoteVisibly(plan.program)} ${describeEnd(result, plan)}${showEnd(stderr)}`;
  return new ExitError(message, CHECK_CODES[result.reason], result);
}
