// The standard streams of a process as a Sink and as Streams.

import * as Effect from 'effect/Effect';
import * as Pull from 'effect/Pull';
import type { PlatformError } from 'effect/PlatformError';
import * as Sink from 'effect/Sink';
import * as Stream from 'effect/Stream';
import type { Encoding } from 'effect/process/ChildProcess';
import type { ChildProcessHandle } from 'effect/process/ChildProcessSpawner';
import type { Readable, Writable } from 'node:stream';

export type Input = ChildProcessHandle['stdin'];
export type Output = ChildProcessHandle['stdout'];

/** Resolves once the program has taken it, or takes no more, which is no failure. */
const write = (writable: Writable, chunk: Uint8Array | string, encoding: BufferEncoding): Effect.Effect<void> =>
  Effect.callback((resume: (effect: Effect.Effect<void>) => void) => {
    if (writable.destroyed || writable.writableEnded) {
      resume(Effect.void);
      return;
    }
    const settle = (): void => resume(Effect.void);
    // Called after the chunk has been taken, and with an error when the stream was closed before.
    writable.write(chunk, encoding, settle);
  });

const END = [undefined] as const;

/**
 * Writes what comes, as fast as the program takes it. Ends early when it takes no more. Closed at the end unless
 * `endOnDone` is false, and always when the source fails or is interrupted.
 */
export function makeInput(writable: Writable | null, endOnDone: boolean, encoding: Encoding): Input {
  if (writable === null) return Sink.drain;
  return Sink.fromTransform((upstream: Pull.Pull<readonly [Uint8Array, ...Uint8Array[]]>) => {
    const step = Effect.flatMap(upstream, (chunks) =>
      Effect.forEach(chunks, (chunk) => write(writable, chunk, encoding), { discard: true }),
    );
    return Effect.whileLoop({
      while: () => !writable.destroyed,
      body: () => step,
      step: () => undefined,
    }).pipe(
      Pull.catchDone(() => Effect.void),
      Effect.onError(() => Effect.sync(() => writable.end())),
      Effect.tap(() => Effect.sync(() => (endOnDone ? writable.end() : undefined))),
      Effect.as(END),
    );
  });
}

/** Ends where the output ends. Whoever stops reading lets the rest go: it is read and dropped. */
export function makeOutput(readable: Readable | null, onError: (error: unknown) => PlatformError): Output {
  if (readable === null) return Stream.empty;
  return Stream.suspend(() =>
    readable.destroyed ? Stream.empty : Stream.fromAsyncIterable<Uint8Array, PlatformError>(readable, onError),
  );
}
