// The functions of node:child_process, with our engine under them.
//
// Each one is Node's own function: its argument checks, its overloads, its events. Only where the program is started
// differs (engine.ts). `ChildProcess` is Node's class itself, so `instanceof` holds both ways.

import type { ChildProcess as NodeChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { withBlockingEngine, withEngine } from './engine.ts';

type Module = typeof import('node:child_process');
type AnyFunction = (...args: never[]) => unknown;

const node: Module = { ...(createRequire(import.meta.url)('node:child_process') as Module) };

function wrap<F extends AnyFunction>(original: F, around: <T>(call: () => T) => T): F {
  const wrapped = (...args: never[]): unknown => around(() => original(...args));
  Object.defineProperty(wrapped, 'name', { value: original.name, configurable: true });
  const custom: unknown = Reflect.get(original, promisify.custom);
  if (typeof custom === 'function') {
    const value = wrap(custom as AnyFunction, around);
    Object.defineProperty(wrapped, promisify.custom, { value, enumerable: false });
  }
  return wrapped as F;
}

export const spawn: Module['spawn'] = wrap(node.spawn, withEngine);
export const exec: Module['exec'] = wrap(node.exec, withEngine);
export const execFile: Module['execFile'] = wrap(node.execFile, withEngine);
export const spawnSync: Module['spawnSync'] = wrap(node.spawnSync, withBlockingEngine);
export const execSync: Module['execSync'] = wrap(node.execSync, withBlockingEngine);
export const execFileSync: Module['execFileSync'] = wrap(node.execFileSync, withBlockingEngine);
/** Node's own: it needs Node's channel. */
export const fork: Module['fork'] = node.fork;
/** Node's own class. `new ChildProcess().spawn()`, which Node does not document, is ours under `argv-spawn/register` only. */
export const ChildProcess: Module['ChildProcess'] = node.ChildProcess;
export type ChildProcess = NodeChildProcess;

const everything: Pick<
  Module,
  'spawn' | 'exec' | 'execFile' | 'spawnSync' | 'execSync' | 'execFileSync' | 'fork' | 'ChildProcess'
> = { spawn, exec, execFile, spawnSync, execSync, execFileSync, fork, ChildProcess };
export default everything;
