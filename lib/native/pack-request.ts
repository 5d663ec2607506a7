// A request as the addon takes it: paths in one text, an array of numbers, and the blocks as they are.
//
// Runs on the JavaScript thread for every start, mostly with cold caches, where each call into Node-API for one field
// of one object costs about half a microsecond: five values cross the boundary, and not forty.

import { TREE_STRENGTHS } from './contract.ts';
import type { NativeOutput, NativeRequest, NativeStdin, PackedRequest } from './contract.ts';

// The positions of the words are their numbers; enums of native/core/request.h are in the same order.
const STDIN_KINDS: readonly NativeStdin['kind'][] = [
  'ignore',
  'inherit',
  'file',
  'data',
  'stream',
  'descriptor',
  'hand-over',
];
const OUTPUT_KINDS: readonly NativeOutput['kind'][] = [
  'ignore',
  'inherit',
  'file',
  'collect',
  'stream',
  'stdout',
  'descriptor',
  'hand-over',
];
const LINGERING: readonly NativeRequest['lingering'][] = ['kill', 'leave', 'wait'];

const FLAG = { progress: 1, hostEnv: 2, resolveShims: 4, hostSession: 8, outlivesHost: 16 } as const;
const OUTPUT_FLAG = { append: 1, tee: 2 } as const;

const NUMBER_COUNT = 24;

/** The path that an output needs: the file it is, or the file it is copied to. */
function pathOf(output: NativeOutput): string {
  if (output.kind === 'file') return output.path;
  return output.kind === 'collect' || output.kind === 'stream' ? (output.tee ?? '') : '';
}

function packOutput(output: NativeOutput, numbers: Float64Array, at: number): void {
  numbers[at] = OUTPUT_KINDS.indexOf(output.kind);
  let flags = 0;
  if (output.kind === 'file') {
    if (output.append) flags |= OUTPUT_FLAG.append;
  } else if (output.kind === 'collect') {
    if (output.tee !== null) flags |= OUTPUT_FLAG.tee;
    numbers[at + 2] = output.head;
    numbers[at + 3] = output.tail;
    numbers[at + 4] = output.killAbove;
  } else if (output.kind === 'stream' && output.tee !== null) {
    flags |= OUTPUT_FLAG.tee;
  } else if (output.kind === 'descriptor') {
    numbers[at + 5] = output.descriptor;
  }
  numbers[at + 1] = flags;
}

// One for all requests: the addon has copied it before the next is packed.
const scratch = new Float64Array(NUMBER_COUNT);

/** Valid until the next call: to be handed to the addon at once. */
export function packRequest(request: NativeRequest): PackedRequest {
  const { stdin, stdout, stderr } = request;
  const numbers = scratch;
  numbers[0] = request.id;
  numbers[1] =
    (request.progress ? FLAG.progress : 0) |
    (request.hostEnv ? FLAG.hostEnv : 0) |
    (request.resolveShims ? FLAG.resolveShims : 0) |
    (request.hostSession ? FLAG.hostSession : 0) |
    (request.outlivesHost ? FLAG.outlivesHost : 0);
  numbers[2] = STDIN_KINDS.indexOf(stdin.kind);
  numbers[3] = stdin.kind === 'descriptor' ? stdin.descriptor : -1;
  packOutput(stdout, numbers, 4);
  packOutput(stderr, numbers, 10);
  numbers[16] = request.timeoutMs;
  numbers[17] = request.idleTimeoutMs;
  numbers[18] = request.killSignal;
  numbers[19] = request.forceKillAfterMs;
  numbers[20] = LINGERING.indexOf(request.lingering);
  numbers[21] = request.drainTimeoutMs;
  numbers[22] = TREE_STRENGTHS.indexOf(request.containment);
  numbers[23] = TREE_STRENGTHS.indexOf(request.require);
  const stdinPath = stdin.kind === 'file' ? stdin.path : '';
  const program = `${request.program}\0${request.base ?? ''}\0${request.cwd ?? ''}\0`;
  return {
    text: `${program}${stdinPath}\0${pathOf(stdout)}\0${pathOf(stderr)}\0`,
    numbers,
    argv: request.argv,
    env: request.env,
    data: stdin.kind === 'data' ? stdin.data : null,
  };
}
