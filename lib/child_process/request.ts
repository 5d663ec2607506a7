// From what Node's JavaScript hands to its native part, to a request for our engine.

import { resolve } from 'node:path';
import { makeId } from '../native/binding.ts';
import type { NativeDescriptor, NativeRequest, PackedRequest } from '../native/contract.ts';
import { packRequest } from '../native/pack-request.ts';
import type { HandOverReason } from './hand-over.ts';
import type { StartOptions, StdioEntry } from './internals.ts';
import { lookUp } from './lookup.ts';

/** As Node passes text on: half a surrogate pair becomes U+FFFD. */
function toText(value: unknown): string {
  return String(value).toWellFormed();
}

function toBlock(texts: readonly unknown[]): string {
  return texts.map((text) => `${toText(text)}\0`).join('');
}

/** The host's descriptor that becomes the child's; null when the stream has none. */
export function toDescriptor(entry: StdioEntry): NativeDescriptor | null {
  const descriptor = entry.type === 'wrap' ? entry.handle?.fd : entry.fd;
  return typeof descriptor === 'number' && descriptor >= 0 ? { kind: 'descriptor', descriptor } : null;
}

type Place = Pick<NativeRequest, 'program' | 'base' | 'cwd'>;

/** An empty `cwd` means none, in Node. null: a relative path needs the host's folder, and that is gone. */
function findPlace(options: StartOptions): Place | null {
  const file = toText(options.file);
  const given = typeof options.cwd === 'string' && options.cwd !== '' ? options.cwd : null;
  try {
    const cwd = given === null ? null : resolve(toText(given));
    const needsBase = file.includes('/') && !file.startsWith('/');
    return { program: lookUp(file, cwd, options.envPairs), base: needsBase ? (cwd ?? process.cwd()) : null, cwd };
  } catch {
    return null;
  }
}

type Streams = Pick<NativeRequest, 'stdin' | 'stdout' | 'stderr'>;
type Limits = Pick<NativeRequest, 'timeoutMs' | 'killSignal' | 'lingering'>;

/**
 * What Node's contract asks for, in the engine's words: no tree is held, the child stays in our session unless it is
 * detached, and our end is not its end. Valid until the next is made: to be handed to the addon at once.
 */
export function toRequest(options: StartOptions, streams: Streams, limits: Limits): PackedRequest | HandOverReason {
  const place = findPlace(options);
  if (place === null) return 'removed-folder';
  return packRequest({
    id: makeId(),
    progress: false,
    ...place,
    argv: toBlock(options.args ?? []),
    hostEnv: options.envPairs === undefined,
    env: toBlock(options.envPairs ?? []),
    ...streams,
    ...limits,
    idleTimeoutMs: 0,
    forceKillAfterMs: Infinity,
    drainTimeoutMs: Infinity,
    containment: 'none',
    require: 'none',
    hostSession: options.detached !== true,
    outlivesHost: true,
    resolveShims: false,
  });
}
