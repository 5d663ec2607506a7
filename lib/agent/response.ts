// Results and errors as plain data, for edges that speak JSON. Nothing of stdin is in any of them.

import type { BackgroundOutput, BackgroundStatus } from './background.ts';
import type { ExecutionResult } from './options.ts';

export type PlainData = Readonly<Record<string, unknown>>;

export function describeResult(result: ExecutionResult): PlainData {
  const { plan, permission, capture } = result;
  return {
    ok: result.ok,
    reason: result.reason,
    code: result.code,
    signal: result.signal,
    timedOut: result.timedOut,
    stdout: result.stdout,
    stderr: result.stderr,
    omittedBytes: { stdout: capture.stdout?.omitted ?? 0, stderr: capture.stderr?.omitted ?? 0 },
    durationMs: Math.round(result.durationMs),
    leftovers: result.leftovers,
    workdir: plan.workdir,
    backend: plan.backend.name,
    permission: { effect: permission.decision.effect, answer: permission.answer },
  };
}

export function describeBackground(run: BackgroundStatus): PlainData {
  const { status } = run;
  return {
    id: run.id,
    state: run.state,
    pid: run.pid,
    mode: run.plan.mode,
    ok: status?.ok ?? null,
    reason: status?.reason ?? null,
    code: status?.code ?? null,
    signal: status?.signal ?? null,
    bytes: { stdout: run.stdoutBytes, stderr: run.stderrBytes },
    ...(run.error === null ? {} : describeError(run.error)),
  };
}

export function describeOutput(output: BackgroundOutput): PlainData {
  return { state: output.state, stdout: output.stdout, stderr: output.stderr };
}

/** `{error: {...}}`: name, code and message, and what the class adds for the caller to act on. */
export function describeError(error: unknown): PlainData {
  if (!(error instanceof Error)) return { error: { name: 'Error', code: null, message: String(error) } };
  const fields = error as Error & Record<string, unknown>;
  const known = ['issues', 'decision', 'stage', 'subject', 'path', 'step'].flatMap((name) =>
    fields[name] === undefined ? [] : [[name, fields[name]] as const],
  );
  return {
    error: { name: error.name, code: fields['code'] ?? null, message: error.message, ...Object.fromEntries(known) },
  };
}
