// Starting one approved step and reading its result.

import type { Plan } from '../command/types.ts';
import { isSpawnError, SpawnError } from '../errors/errors.ts';
import type { SpawnErrorFields } from '../errors/errors.ts';
import { makeExitError } from '../process/result.ts';
import { runPlan } from '../process/run.ts';
import type { OutputData, RunResult } from '../process/types.ts';
import type { RecordedResult } from './journal-record.ts';
import type { OutputStore } from './output-store.ts';
import type { Prepared } from './prepare.ts';
import { pinProgram } from './program-file.ts';
import type { StepResult } from './types.ts';

type Result = StepResult<OutputData>;

/** An error about a descriptor's name, said about the file that it stands for. */
function nameFile(error: unknown, pinned: string, path: string): unknown {
  if (!isSpawnError(error) || pinned === path) return error;
  const fields: SpawnErrorFields = error;
  return new SpawnError(error.message.replaceAll(pinned, path), {
    ...fields,
    path: fields.path === pinned ? path : fields.path,
  });
}

/** @throws AllowlistError `changed`, and what running the Plan rejects with. */
export async function execute(prepared: Prepared): Promise<RunResult> {
  const { plan, program } = prepared;
  prepared.confirm();
  const pinned = pinProgram(program.path, program.identity);
  try {
    const result = await runPlan(Object.freeze({ ...plan, file: pinned.path }));
    pinned.verify();
    return result;
  } catch (error) {
    throw nameFile(error, pinned.path, program.path);
  } finally {
    pinned.close();
  }
}

export function toStepResult(result: RunResult, prepared: Prepared, step: string): Result {
  const { stdout, stderr, capture } = result;
  return Object.freeze({
    stdout: stdout ?? '',
    stderr: stderr ?? '',
    code: result.code,
    ok: result.ok,
    signal: result.signal,
    timedOut: result.timedOut,
    truncated: capture.stdout?.truncated === true || capture.stderr?.truncated === true,
    program: prepared.program.realPath,
    containment: result.containment,
    leftovers: result.leftovers,
    step,
    cached: false,
    startedAt: result.startedAt,
    durationMs: result.durationMs,
  });
}

/** Bytes the program wrote, kept or not. */
export const countOutput = ({ capture }: RunResult): number =>
  (capture.stdout?.bytes ?? 0) + (capture.stderr?.bytes ?? 0);

/** The step came to an end of its own, so that the same result may be given again. */
export const isFinished = (result: RunResult, check: boolean): boolean =>
  result.reason === 'exit' && result.statusKnown && (result.ok || !check);

export const makeStepError = (result: RunResult, step: Result, plan: Plan): Error =>
  makeExitError({ ...result, ...step }, plan);

export async function toRecorded(result: Result, outputs: OutputStore): Promise<RecordedResult> {
  const { ok, code, program, truncated, containment, leftovers, startedAt, durationMs } = result;
  const [stdout, stderr] = await Promise.all([result.stdout, result.stderr].map((output) => outputs.put(output)));
  if (stdout === undefined || stderr === undefined) throw new Error('an output was not stored');
  return { ok, code, program, stdout, stderr, truncated, containment, leftovers, startedAt, durationMs };
}

export async function fromRecorded(recorded: RecordedResult, outputs: OutputStore, step: string): Promise<Result> {
  const { ok, code, program, truncated, containment, leftovers, startedAt, durationMs } = recorded;
  const stdout = await outputs.get(recorded.stdout);
  const stderr = await outputs.get(recorded.stderr);
  const same = { stdout, stderr, code, ok, signal: null, timedOut: false, truncated, program, containment, leftovers };
  return Object.freeze({ ...same, step, cached: true, startedAt, durationMs });
}
