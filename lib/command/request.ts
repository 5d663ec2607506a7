// From a Plan to the engine's request: the same facts in the boundary's words, nothing decided.

import type { NativeOutput, NativeRequest, NativeStdin } from '../native/contract.ts';
import { encodeArgv } from './argv.ts';
import { encodeEnv } from './env.ts';
import type { Keep, Plan, PlanOutput, PlanStdin } from './types.ts';

/** `collect`: the engine gathers the output. `stream`: it delivers it as it comes. */
export type OutputMode = 'collect' | 'stream';

/** How a cap is divided: bytes from the beginning and bytes from the end. */
export function splitCap(cap: number, keep: Keep): { readonly head: number; readonly tail: number } {
  if (cap === Infinity || keep === 'head') return { head: cap, tail: 0 };
  if (keep === 'tail') return { head: 0, tail: cap };
  const head = Math.floor(cap / 2);
  return { head, tail: cap - head };
}

function toNativeStdin(stdin: PlanStdin): NativeStdin {
  switch (stdin.kind) {
    case 'ignore':
    case 'inherit':
      return { kind: stdin.kind };
    case 'file':
      return { kind: 'file', path: stdin.path };
    case 'data':
      return { kind: 'data', data: stdin.data };
    case 'pipe':
    case 'iterable':
      return { kind: 'stream' };
  }
}

function toNativeOutput(plan: Plan, name: 'stdout' | 'stderr', mode: OutputMode): NativeOutput {
  const output: PlanOutput = plan[name];
  if (output.kind === 'file') return { kind: 'file', path: output.path, append: output.append };
  if (output.kind !== 'pipe') return { kind: output.kind };
  if (mode === 'stream') return { kind: 'stream', tee: plan.tee[name] };
  const cap = plan.maxBuffer[name];
  const { head, tail } = splitCap(cap, plan.keep);
  const killAbove = plan.onMaxBuffer === 'kill' ? cap : Infinity;
  return { kind: 'collect', head, tail, killAbove, tee: plan.tee[name] };
}

export function toRequest(plan: Plan, id: number, mode: OutputMode): NativeRequest {
  return {
    id,
    progress: mode === 'stream' || plan.stdin.kind === 'iterable',
    program: plan.file ?? plan.program,
    base: plan.base,
    argv: encodeArgv(plan.argv),
    hostEnv: plan.env.host,
    env: encodeEnv(plan.env),
    cwd: plan.cwd,
    stdin: toNativeStdin(plan.stdin),
    stdout: toNativeOutput(plan, 'stdout', mode),
    stderr: toNativeOutput(plan, 'stderr', mode),
    timeoutMs: plan.timeoutMs,
    idleTimeoutMs: plan.idleTimeoutMs,
    killSignal: plan.killSignal,
    forceKillAfterMs: plan.forceKillAfterMs,
    lingering: plan.lingering,
    drainTimeoutMs: plan.drainTimeoutMs,
    containment: plan.containment,
    require: plan.require ?? 'none',
    hostSession: false,
    outlivesHost: false,
    resolveShims: plan.windowsShims === 'resolve',
  };
}
