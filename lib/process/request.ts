// From a Plan to the engine's request: the same facts in the boundary's words, nothing decided.

import { encodeArgv } from '../command/argv.ts';
import { encodeEnv } from '../command/env.ts';
import type { Keep, Plan } from '../command/types.ts';
import type { PackedRequest } from '../native/contract.ts';
import {
  APPEND,
  AT_FLAGS,
  AT_ID,
  AT_STDERR,
  AT_STDIN,
  AT_STDOUT,
  HEAD,
  HOST_ENV,
  KILL_ABOVE,
  numbers,
  OUTPUT_FLAGS,
  OUTPUT_KIND,
  PROGRESS,
  RESOLVE_SHIMS,
  STDIN_KIND,
  TAIL,
  TEE,
  writeLimits,
} from '../native/pack-request.ts';

/** `collect`: the engine gathers the output. `stream`: it delivers it as it comes. */
export type OutputMode = 'collect' | 'stream';

/** How a cap is divided: bytes from the beginning and bytes from the end. */
export function splitCap(cap: number, keep: Keep): { readonly head: number; readonly tail: number } {
  if (cap === Infinity || keep === 'head') return { head: cap, tail: 0 };
  if (keep === 'tail') return { head: 0, tail: cap };
  const head = Math.floor(cap / 2);
  return { head, tail: cap - head };
}

/** @returns the path that goes with it: of the file it is, or is copied to; else ''. */
function writeOutput(at: number, plan: Plan, name: 'stdout' | 'stderr', mode: OutputMode): string {
  const output = plan[name];
  const tee = plan.tee[name];
  const appends = output.kind === 'file' && output.append;
  numbers[at] = OUTPUT_KIND[output.kind === 'pipe' ? mode : output.kind];
  numbers[at + OUTPUT_FLAGS] = (appends ? APPEND : 0) | (tee === null ? 0 : TEE);
  if (output.kind === 'pipe' && mode === 'collect') {
    const cap = plan.maxBuffer[name];
    const { head, tail } = splitCap(cap, plan.keep);
    numbers[at + HEAD] = head;
    numbers[at + TAIL] = tail;
    numbers[at + KILL_ABOVE] = plan.onMaxBuffer === 'kill' ? cap : Infinity;
  }
  return output.kind === 'file' ? output.path : (tee ?? '');
}

/** Valid until the next is made: to be handed to the addon at once. */
export function toRequest(plan: Plan, id: number, mode: OutputMode): PackedRequest {
  const { stdin, env } = plan;
  const streamsInput = stdin.kind === 'pipe' || stdin.kind === 'iterable';
  numbers[AT_ID] = id;
  numbers[AT_FLAGS] =
    (mode === 'stream' || stdin.kind === 'iterable' ? PROGRESS : 0) |
    (env.host ? HOST_ENV : 0) |
    (plan.windowsShims === 'resolve' ? RESOLVE_SHIMS : 0);
  numbers[AT_STDIN] = STDIN_KIND[streamsInput ? 'stream' : stdin.kind];
  const input = stdin.kind === 'file' ? stdin.path : '';
  const output = writeOutput(AT_STDOUT, plan, 'stdout', mode);
  const error = writeOutput(AT_STDERR, plan, 'stderr', mode);
  writeLimits(plan);
  return {
    id,
    text: `${plan.file ?? plan.program}\0${plan.base ?? ''}\0${plan.cwd ?? ''}\0${input}\0${output}\0${error}\0`,
    numbers,
    argv: encodeArgv(plan.argv),
    env: encodeEnv(env),
    data: stdin.kind === 'data' ? stdin.data : null,
  };
}
