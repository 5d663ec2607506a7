// The native part behind spawnSync, execSync and execFileSync, on our engine.

import { constants } from 'node:os';
import { startRunSync } from '../native/binding.ts';
import type { NativeCapture, NativeFinished, NativeOutput, NativeStdin } from '../native/contract.ts';
import { toSignalName } from '../process/result.ts';
import { findHandOverReason, record } from './hand-over.ts';
import type { HandOverReason } from './hand-over.ts';
import type { StdioEntry, SyncAnswer, SyncBinding, SyncStartOptions } from './internals.ts';
import { toDescriptor, toRequest } from './request.ts';

/** Node keeps the whole read that passed the limit; a read of libuv has this size at most. */
const LAST_READ = 64 * 1024;

function toInput(entry: StdioEntry): NativeStdin | null {
  switch (entry.type) {
    case 'ignore':
      return { kind: 'ignore' };
    case 'pipe':
    case 'overlapped': {
      const { input } = entry;
      if (input == null || typeof input === 'string') return { kind: 'data', data: input ?? '' };
      return { kind: 'data', data: new Uint8Array(input.buffer, input.byteOffset, input.byteLength) };
    }
    case 'inherit':
    case 'fd':
    case 'wrap':
      return toDescriptor(entry);
    default:
      return null;
  }
}

function toOutput(entry: StdioEntry, maxBuffer: number): NativeOutput | null {
  switch (entry.type) {
    case 'ignore':
      return { kind: 'ignore' };
    case 'pipe':
    case 'overlapped':
      return { kind: 'collect', head: maxBuffer + LAST_READ, tail: 0, killAbove: maxBuffer, tee: null };
    case 'inherit':
    case 'fd':
    case 'wrap':
      return toDescriptor(entry);
    default:
      return null;
  }
}

function toNumber(value: unknown, absent: number): number {
  return typeof value === 'number' ? value : absent;
}

function toBuffer(capture: NativeCapture | null): Buffer | null {
  if (capture === null) return null;
  if (capture.head === null) return Buffer.alloc(0);
  const { buffer, byteOffset, byteLength } = capture.head;
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** A negative errno when a limit of the caller was passed. */
function findError(finished: NativeFinished, maxBuffer: number): number | undefined {
  const bytes = (finished.stdout?.bytes ?? 0) + (finished.stderr?.bytes ?? 0);
  if (bytes > maxBuffer) return -constants.errno.ENOBUFS;
  return finished.reason === 'timeout' ? -constants.errno.ETIMEDOUT : undefined;
}

function start(options: SyncStartOptions): SyncAnswer | HandOverReason {
  const reason = findHandOverReason(options);
  if (reason !== null) return reason;
  // Absent is 0 and means none, as in Node's native part.
  const maxBuffer = toNumber(options.maxBuffer, 0) || Infinity;
  const [first, second, third] = options.stdio ?? [];
  const stdin = first && toInput(first);
  const stdout = second && toOutput(second, maxBuffer);
  const stderr = third && toOutput(third, maxBuffer);
  if (!stdin || !stdout || !stderr) return 'stdio-kind';
  const request = toRequest(
    options,
    { stdin, stdout, stderr },
    {
      timeoutMs: toNumber(options.timeout, 0),
      killSignal: toNumber(options.killSignal, 0) || constants.signals.SIGTERM,
      lingering: 'wait',
    },
  );
  if (typeof request === 'string') return request;
  const finished = startRunSync(request);
  if (finished.kind === 'failed') return 'not-started';
  const error = findError(finished, maxBuffer);
  const others = (options.stdio ?? []).slice(3).map(() => null);
  return {
    pid: finished.pid,
    status: finished.code,
    signal: toSignalName(finished.signal),
    output: [null, toBuffer(finished.stdout), toBuffer(finished.stderr), ...others],
    ...(error !== undefined && { error }),
  };
}

/** @param spawn - Node's own, for what is not ours to start. */
export function makeBlockingStart(spawn: SyncBinding['spawn']): SyncBinding['spawn'] {
  return (options) => {
    const answer = start(options);
    const handedOver = typeof answer === 'string';
    record(options, true, handedOver ? answer : null);
    return handedOver ? spawn(options) : answer;
  };
}
