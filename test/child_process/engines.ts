// Both engines behind one interface, and what is published about their starts.

import node from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { finished } from 'node:stream/promises';
import ours from '../../lib/child_process.ts';
import type { HandOverReason, StartRecord } from '../../lib/child_process.ts';

export type Module = Pick<
  typeof node,
  'spawn' | 'exec' | 'execFile' | 'spawnSync' | 'execSync' | 'execFileSync' | 'fork' | 'ChildProcess'
>;

export const NODE: Module = node;
export const OURS: Module = ours;

/** What `call` gives, and which starts were ours (`'ours'`) or handed over (the reason). */
export async function observe<T>(
  call: () => T | Promise<T>,
): Promise<{ readonly value: T; readonly starts: ('ours' | HandOverReason)[] }> {
  const starts: ('ours' | HandOverReason)[] = [];
  const listen = (message: unknown): void => {
    starts.push((message as StartRecord).reason ?? 'ours');
  };
  subscribe('argv-spawn:child_process', listen);
  try {
    return { value: await call(), starts };
  } finally {
    unsubscribe('argv-spawn:child_process', listen);
  }
}

export interface Trace {
  readonly events: readonly unknown[];
  readonly stdout: string | null;
  readonly stderr: string | null;
}

/** Every event of a child until `close`, in order, and its output. Errors as what identifies them. */
export async function trace(child: node.ChildProcess): Promise<Trace> {
  const events: unknown[] = [];
  const output = { stdout: null as string | null, stderr: null as string | null };
  const reading: Promise<void>[] = [];
  for (const name of ['stdout', 'stderr'] as const) {
    const stream = child[name];
    if (stream === null) continue;
    output[name] = '';
    stream.setEncoding('utf8').on('data', (text: string) => (output[name] = (output[name] ?? '') + text));
    reading.push(finished(stream, { writable: false }));
  }
  for (const name of ['spawn', 'exit', 'disconnect', 'message'] as const) {
    child.on(name, (...values: unknown[]) => events.push([name, ...values]));
  }
  child.on('error', (error: NodeJS.ErrnoException) => events.push(['error', describe(error)]));
  await new Promise<void>((resolve) => {
    child.on('close', (...values) => {
      events.push(['close', ...values]);
      resolve();
    });
  });
  await Promise.all(reading);
  return { events, ...output };
}

/** Everything a caller can see of an error, without its stack. */
export function describe(error: unknown): Record<string, unknown> {
  const { name, message } = error as Error;
  return { name, message, ...(error as object) };
}

/** What a call throws, or what it gives. */
export function attempt(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return describe(error);
  }
}
