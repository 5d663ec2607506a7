// Where the addon reads each number of a request (`native/napi/decode.cc`), and which number stands for which word.
//
// A request is written on the JavaScript thread for every start, mostly with cold caches, where a call into Node-API for
// one field of one object costs half a microsecond, and a function or an object that is used once a third of one. So
// the facts are written where they are read, by who has them: lib/process/request.ts, lib/child_process/request.ts.

import type { NativeOutput, NativeRequest, NativeStdin, PackedRequest, TreeStrength } from './contract.ts';

export const AT_ID = 0;
export const AT_FLAGS = 1;
export const AT_STDIN = 2;
export const AT_STDIN_DESCRIPTOR = 3;
/** An output has its kind here, and its other numbers so much further on. */
export const AT_STDOUT = 4;
export const AT_STDERR = 10;
export const OUTPUT_FLAGS = 1;
export const HEAD = 2;
export const TAIL = 3;
export const KILL_ABOVE = 4;
export const DESCRIPTOR = 5;
const AT_TIMEOUT = 16;
const AT_IDLE_TIMEOUT = 17;
const AT_KILL_SIGNAL = 18;
const AT_FORCE_KILL_AFTER = 19;
const AT_LINGERING = 20;
const AT_DRAIN_TIMEOUT = 21;
const AT_CONTAINMENT = 22;
const AT_REQUIRE = 23;
const NUMBER_COUNT = 24;

/** Bits of the flags. */
export const PROGRESS = 1;
export const HOST_ENV = 2;
export const RESOLVE_SHIMS = 4;
export const HOST_SESSION = 8;
export const OUTLIVES_HOST = 16;

/** Bits of the flags of an output. */
export const APPEND = 1;
export const TEE = 2;

// In the order of the enums of native/core/request.h.
export const STDIN_KIND: Readonly<Record<NativeStdin['kind'], number>> = {
  ignore: 0,
  inherit: 1,
  file: 2,
  data: 3,
  stream: 4,
  descriptor: 5,
  'hand-over': 6,
};
export const OUTPUT_KIND: Readonly<Record<NativeOutput['kind'], number>> = {
  ignore: 0,
  inherit: 1,
  file: 2,
  collect: 3,
  stream: 4,
  stdout: 5,
  descriptor: 6,
  'hand-over': 7,
};
const LINGERING: Readonly<Record<NativeRequest['lingering'], number>> = { kill: 0, leave: 1, wait: 2 };
const STRENGTH: Readonly<Record<TreeStrength, number>> = { none: 0, group: 1, tree: 2 };

/**
 * One for all requests, which the addon has copied before the next is written. What one kind of stream does not need is
 * left from the request before, and is not read.
 */
export const numbers: Float64Array = new Float64Array(NUMBER_COUNT);

/** `require`: null is the same as `'none'`. */
type Limits = Pick<
  NativeRequest,
  'timeoutMs' | 'idleTimeoutMs' | 'killSignal' | 'forceKillAfterMs' | 'lingering' | 'drainTimeoutMs' | 'containment'
> & { readonly require: TreeStrength | null };

export function writeLimits(limits: Limits): void {
  numbers[AT_TIMEOUT] = limits.timeoutMs;
  numbers[AT_IDLE_TIMEOUT] = limits.idleTimeoutMs;
  numbers[AT_KILL_SIGNAL] = limits.killSignal;
  numbers[AT_FORCE_KILL_AFTER] = limits.forceKillAfterMs;
  numbers[AT_LINGERING] = LINGERING[limits.lingering];
  numbers[AT_DRAIN_TIMEOUT] = limits.drainTimeoutMs;
  numbers[AT_CONTAINMENT] = STRENGTH[limits.containment];
  numbers[AT_REQUIRE] = STRENGTH[limits.require ?? 'none'];
}

function toTee(output: NativeOutput): string {
  return output.kind === 'collect' || output.kind === 'stream' ? (output.tee ?? '') : '';
}

/** @returns the path that goes with it. */
function writeOutput(at: number, output: NativeOutput): string {
  const tee = toTee(output);
  const appends = output.kind === 'file' && output.append;
  numbers[at] = OUTPUT_KIND[output.kind];
  numbers[at + OUTPUT_FLAGS] = (appends ? APPEND : 0) | (tee === '' ? 0 : TEE);
  if (output.kind === 'collect') {
    numbers[at + HEAD] = output.head;
    numbers[at + TAIL] = output.tail;
    numbers[at + KILL_ABOVE] = output.killAbove;
  }
  if (output.kind === 'descriptor') numbers[at + DESCRIPTOR] = output.descriptor;
  return output.kind === 'file' ? output.path : tee;
}

/** A request that is at hand as an object. Valid until the next is written: to be handed to the addon at once. */
export function packRequest(request: NativeRequest): PackedRequest {
  const { stdin, stdout, stderr, program, base, cwd } = request;
  numbers[AT_ID] = request.id;
  numbers[AT_FLAGS] =
    (request.progress ? PROGRESS : 0) |
    (request.hostEnv ? HOST_ENV : 0) |
    (request.resolveShims ? RESOLVE_SHIMS : 0) |
    (request.hostSession ? HOST_SESSION : 0) |
    (request.outlivesHost ? OUTLIVES_HOST : 0);
  numbers[AT_STDIN] = STDIN_KIND[stdin.kind];
  if (stdin.kind === 'descriptor') numbers[AT_STDIN_DESCRIPTOR] = stdin.descriptor;
  const outputPath = writeOutput(AT_STDOUT, stdout);
  const errorPath = writeOutput(AT_STDERR, stderr);
  writeLimits(request);
  const inputPath = stdin.kind === 'file' ? stdin.path : '';
  return {
    id: request.id,
    text: `${program}\0${base ?? ''}\0${cwd ?? ''}\0${inputPath}\0${outputPath}\0${errorPath}\0`,
    numbers,
    argv: request.argv,
    env: request.env,
    data: stdin.kind === 'data' ? stdin.data : null,
  };
}
