// The only importer of the addon: finds it, checks it, and carries events to whoever started the run.
//
// One channel per environment (main thread or worker), opened on first use. While a referenced run is pending the
// event loop of the environment is kept alive; an idle addon never does that.

import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findAddonFiles, repairKeeper } from './addon-file.ts';
import { CONTRACT_ABI } from './contract.ts';
import { unpackAnswer, unpackEvents } from './unpack-events.ts';
import type {
  NativeAddon,
  NativeEvent,
  NativeFeatures,
  NativeFinished,
  PackedRequest,
  PackedValues,
} from './contract.ts';

/** The package's root: two folders above that of this file, in `lib` and in `dist` alike. */
const PACKAGE_ROOT = dirname(dirname(findFolder()));

/** This file's; bundlers and test runners older than Node 20.11 know its URL only, which takes longer to read. */
function findFolder(): string {
  const { dirname: folder } = import.meta as { readonly dirname?: string };
  return folder ?? dirname(fileURLToPath(import.meta.url));
}

/** In a bundle this file is somewhere else, and the package is where the bundle would find it by its name. */
function findInstalled(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('argv-spawn/package.json'));
  } catch {
    return null; // not installed: a checkout, or a bundle that was moved away
  }
}

/** Files to try, each made when the one before has failed. */
function* findFiles(): Generator<string, void, undefined> {
  let found = false;
  for (const path of findAddonFiles(PACKAGE_ROOT)) {
    found = true;
    yield path;
  }
  const installed = found ? null : findInstalled();
  if (installed !== null) yield* findAddonFiles(installed);
}

type NativeFailed = Extract<NativeEvent, { readonly kind: 'failed' }>;
export type EventHandler = (event: NativeEvent) => void;

let loaded: NativeAddon | undefined;
/** Numbers of events, written by the addon. */
let table: Float64Array = new Float64Array();
const handlers = new Map<number, EventHandler>();
let lastId = 0;

function isNativeAddon(value: unknown): value is NativeAddon {
  return typeof value === 'object' && value !== null && typeof (value as Partial<NativeAddon>).start === 'function';
}

const HOW_TO_BUILD = 'The README says under "Install and platforms" which are shipped, and how to compile one.';

/**
 * By `dlopen` and not by `require`, whose cache would hand two copies of this file (a bundle beside a package, a test
 * runner that evaluates modules again) one instance of the addon, and with it one channel and one set of ids.
 *
 * @throws Error that says what was tried and how to build the addon.
 */
function openAddon(): unknown {
  const failures: unknown[] = [];
  for (const path of findFiles()) {
    const module: { exports: unknown } = { exports: {} };
    try {
      repairKeeper(path);
      process.dlopen(module, path);
      return module.exports;
    } catch (error) {
      failures.push(error);
    }
  }
  const tried = failures.map((error) => (error instanceof Error ? error.message : String(error)));
  const why = tried.length === 0 ? '' : ` that loads (${tried.join('; ')})`;
  const message = `argv-spawn has no native addon for ${process.platform}-${process.arch} in ${PACKAGE_ROOT}${why}. ${HOW_TO_BUILD}`;
  throw new Error(message, { cause: failures[0] });
}

/** @throws Error when there is no addon, or one of another version. */
function loadAddon(): NativeAddon {
  const found = openAddon();
  if (!isNativeAddon(found) || found.abi !== CONTRACT_ABI) {
    const other = isNativeAddon(found) ? String(found.abi) : 'unknown';
    throw new Error(
      `argv-spawn found a native addon of another version (contract ${other}, needed ${CONTRACT_ABI}) in ` +
        `${PACKAGE_ROOT}. ${HOW_TO_BUILD}`,
    );
  }
  return found;
}

function getAddon(): NativeAddon {
  if (loaded === undefined) {
    const addon = loadAddon();
    table = addon.open(dispatch);
    loaded = addon;
  }
  return loaded;
}

function isLast(event: NativeEvent): boolean {
  switch (event.kind) {
    case 'failed':
    case 'cancelled':
    case 'finished':
    case 'resolved':
    case 'unresolved':
      return true;
    default:
      return false;
  }
}

function dispatch(count: number, values: PackedValues): void {
  for (const event of unpackEvents(count, values, table)) {
    const handler = handlers.get(event.id);
    if (isLast(event)) handlers.delete(event.id);
    try {
      handler?.(event);
    } catch (error) {
      // One handler's failure must not cost the others their events, nor be lost: it becomes an uncaught exception.
      process.nextTick(() => {
        throw error;
      });
    }
  }
}

export function getFeatures(): NativeFeatures {
  return getAddon().features;
}

/** An id for one run or lookup; unique in this environment. */
export function makeId(): number {
  return ++lastId;
}

/** Events for the id of the request go to `handler` until the last one. */
export function startRun({ id, text, numbers, argv, env, data }: PackedRequest, handler: EventHandler): void {
  getAddon().start(text, numbers, argv, env, data);
  handlers.set(id, handler);
}

/** Like `startRun`, on this thread: the answer says what came of it, and only a started run has events. */
export function startRunHere(
  { id, text, numbers, argv, env, data }: PackedRequest,
  handler: EventHandler,
): ReturnType<NativeAddon['startHere']> {
  const answer = getAddon().startHere(text, numbers, argv, env, data);
  if (answer.kind === 'started') handlers.set(id, handler);
  return answer;
}

/** The last event of the run. */
export function startRunSync({ text, numbers, argv, env, data }: PackedRequest): NativeFinished | NativeFailed {
  const answer = unpackAnswer(getAddon().startSync(text, numbers, argv, env, data), table);
  if (answer?.kind === 'finished' || answer?.kind === 'failed') return answer;
  throw new TypeError(`the native addon answered a blocking call with ${String(answer?.kind)}`);
}

export interface ResolveQuery {
  readonly id: number;
  readonly program: string;
  /** Absolute folder a relative path starts from; null when there is none to need it. */
  readonly base: string | null;
  /** The PATH to search; null when absent. */
  readonly path: string | null;
}

export function startResolve(query: ResolveQuery, handler: EventHandler): void {
  const addon = getAddon();
  addon.resolve(query.id, query.program, query.base, query.path);
  handlers.set(query.id, handler);
}

/** Whether this run keeps the event loop alive; true from the start. */
export function setReferenced(id: number, on: boolean): void {
  loaded?.setRef(id, on);
}

export function writeInput(id: number, chunk: Uint8Array): number {
  return getAddon().write(id, chunk);
}

export function endInput(id: number): void {
  getAddon().end(id);
}

export function grantCredit(id: number, stream: 1 | 2, bytes: number): void {
  getAddon().credit(id, stream, bytes);
}

export function stopRun(id: number, reason: 'abort' | 'stop'): void {
  getAddon().stop(id, reason);
}

export function sendSignal(id: number, signal: number, tree: boolean): number {
  return getAddon().signal(id, signal, tree);
}
