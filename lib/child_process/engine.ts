// Puts our engine under Node's child_process: for good (register), or for the length of one call.
//
// Two functions are replaced, both looked up by Node at every call: ChildProcess.prototype.spawn, which all calls that
// return a child go through, and `spawn` of the native part behind the blocking calls. Both are called synchronously
// within the public function, so a replacement for the length of that call reaches it and nobody else.

import { createRequire } from 'node:module';
import { getFeatures } from '../native/binding.ts';
import { makeBlockingStart } from './blocking-start.ts';
import { findSyncBinding, isProcessHandle } from './internals.ts';
import type { NodeChildProcess, StartOptions, SyncBinding } from './internals.ts';
import { EngineHandle } from './process-handle.ts';

type ChildProcessModule = typeof import('node:child_process');
type ChildSpawn = (this: NodeChildProcess, options: StartOptions) => unknown;

/** By `require`: what others do to the exports later, or a test runner to imports, does not reach this. */
const { ChildProcess } = createRequire(import.meta.url)('node:child_process') as ChildProcessModule;
const prototype = ChildProcess.prototype as unknown as { spawn: ChildSpawn };

let active = false;
let blocking: { readonly binding: SyncBinding; readonly ours: SyncBinding['spawn'] } | null | undefined;

function makeChildSpawn(original: ChildSpawn): ChildSpawn {
  return function spawn(options) {
    const handle: unknown = this._handle;
    if (isProcessHandle(handle)) this._handle = new EngineHandle(this, handle);
    return original.call(this, options);
  };
}

function findBlocking(): typeof blocking {
  if (blocking === undefined) {
    const binding = findSyncBinding();
    blocking = binding === null ? null : { binding, ours: makeBlockingStart(binding.spawn.bind(binding)) };
  }
  return blocking;
}

/** Our engine under every call of this environment, from now on. Calling it again changes nothing. */
export function installEngine(): void {
  getFeatures(); // an addon that cannot be loaded is an error now, not at the first call
  if (active) return;
  active = true;
  prototype.spawn = makeChildSpawn(prototype.spawn);
  const found = findBlocking();
  if (found) found.binding.spawn = found.ours;
}

/** Our engine under what `call` starts. */
export function withEngine<T>(call: () => T): T {
  if (active) return call();
  const original = prototype.spawn;
  active = true;
  prototype.spawn = makeChildSpawn(original);
  try {
    return call();
  } finally {
    prototype.spawn = original;
    active = false;
  }
}

/** The same for the blocking functions. */
export function withBlockingEngine<T>(call: () => T): T {
  const found = active ? null : findBlocking();
  if (!found) return call();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- put back as it was, never called here
  const original = found.binding.spawn;
  active = true;
  found.binding.spawn = found.ours;
  try {
    return call();
  } finally {
    found.binding.spawn = original;
    active = false;
  }
}
