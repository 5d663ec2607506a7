// Being asked to end: an event on the console, WM_CLOSE to a window, and the job when that did not help. F-34, F-76.

import { describe, expect, test } from 'vitest';
import { run, spawn } from '../../lib/index.ts';
import type { Argv, Process, RunOptions } from '../../lib/index.ts';
import { child, findFixture } from '../helpers/child.ts';
import { IS_WINE } from '../helpers/windows.ts';

const LONG_ENOUGH = 60_000;
/** Wine ends a program at CTRL_BREAK without asking its handlers, and may end the sender first. */
const EVENTS = [
  { killSignal: 'SIGINT', name: 'CTRL_C', heard: 'heard c', code: 7 },
  { killSignal: 'SIGTERM', name: 'CTRL_BREAK', heard: 'heard break', code: 6 },
] as const;
const SHOWN = EVENTS.filter((event) => !IS_WINE || event.name === 'CTRL_C');

/** Starts it, and waits until it has said `word` so often. The second value is what it has said until now. */
async function startAndHear(
  argv: Argv,
  word: string,
  options: RunOptions = {},
  times = 1,
): Promise<[Process, () => string]> {
  const running = spawn(argv, { forceKillAfter: LONG_ENOUGH, ...options });
  let text = '';
  await new Promise<void>((resolve, reject) => {
    running.exited.then((status) => reject(new Error(`ended with ${String(status.code)} after "${text}"`)), reject);
    running.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      if (text.split(word).length > times) resolve();
    });
  });
  return [running, () => text];
}

describe.each(SHOWN)('$name', ({ killSignal, heard, code }) => {
  test('lets a program that handles it end by itself', async () => {
    const [running, said] = await startAndHear(child('wait-for-event'), 'ready', { killSignal });
    const status = await running.stop();
    expect([status.code, status.signal, status.forced]).toEqual([code, null, false]);
    expect(said()).toContain(heard);
  });

  test('reaches its descendants on the same console, and each once', async () => {
    const [running, said] = await startAndHear(child('wait-for-event', '2'), 'ready', { killSignal }, 3);
    const status = await running.stop();
    expect([status.code, status.forced]).toEqual([code, false]);
    expect(said().split(heard).length - 1).toBe(3);
  });

  test('ends one that does not handle it, with the status that says so', async () => {
    const options = { killSignal, timeout: 2000, forceKillAfter: LONG_ENOUGH };
    const result = await run(child('wait'), options);
    // Wine's own handler ends it with 0.
    const end = IS_WINE ? { code: 0 } : { code: 0xc000013a, ntStatus: 'STATUS_CONTROL_C_EXIT' };
    expect(result).toMatchObject({ reason: 'timeout', forced: false, ...end });
  });

  test('does not help against a deaf one: the job ends it after the grace', async () => {
    const [running] = await startAndHear(child('wait-deaf'), 'deaf', { killSignal, forceKillAfter: 300 });
    const status = await running.stop();
    expect([status.code, status.signal, status.forced]).toEqual([null, 'SIGKILL', true]);
  });

  test('is a signal to Node', async () => {
    const name = killSignal === 'SIGINT' ? 'SIGINT' : 'SIGBREAK';
    const script = `process.on('${name}', () => process.exit(9)); setInterval(() => {}, 1000); console.log('listening')`;
    const [running] = await startAndHear([process.execPath, '-e', script], 'listening', { killSignal });
    expect((await running.stop()).code).toBe(9);
  });
});

test('a window is asked to close', async () => {
  const [running, said] = await startAndHear([findFixture('window.exe')], 'shown');
  const status = await running.stop();
  expect([status.code, status.signal, status.forced]).toEqual([5, null, false]);
  expect(said()).toContain('closing');
});

test('where there is neither, nothing is waited for', async () => {
  const [running] = await startAndHear([findFixture('window.exe'), 'none'], 'no window wanted');
  const status = await running.stop();
  expect([status.signal, status.forced]).toEqual(['SIGKILL', true]);
});

test('killSignal SIGKILL skips the asking', async () => {
  const [running, said] = await startAndHear(child('wait-for-event'), 'ready', { killSignal: 'SIGKILL' });
  const status = await running.stop();
  expect([status.signal, status.forced]).toEqual(['SIGKILL', true]);
  expect(said()).not.toContain('heard');
});
