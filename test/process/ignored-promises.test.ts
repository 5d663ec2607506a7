// A host that does not look at a promise of a handle is not ended by it.

import { expect, test } from 'vitest';
import { spawn } from '../../lib/index.ts';
import type { Argv, Process, SpawnOptions } from '../../lib/index.ts';
import { collectUnhandled } from '../helpers/unhandled.ts';

const ENDINGS: readonly [string, Argv, () => SpawnOptions][] = [
  ['could not be started', ['/no/such/program'], () => ({})],
  ['failed under check', ['false'], () => ({ check: true })],
  ['was ended by its timeout under check', ['sleep', '30'], () => ({ check: true, timeout: 50 })],
  ['was aborted before', ['true'], () => ({ signal: AbortSignal.abort('early') })],
  ['was aborted while it ran', ['sleep', '30'], () => ({ signal: AbortSignal.timeout(50) })],
  ['had a source of stdin that failed', ['cat'], () => ({ stdin: failing() })],
];

const USES: readonly [string, (running: Process) => unknown][] = [
  ['nothing', () => undefined],
  ['spawned', (running) => running.spawned],
  ['exited', (running) => running.exited],
  ['collect', (running) => running.collect()],
  ['stop', (running) => running.stop('done with it')],
  ['kill', (running) => running.kill()],
  ['an iterator of lines', (running) => running.lines()[Symbol.asyncIterator]().next()],
  ['asyncDispose', (running) => running[Symbol.asyncDispose]()],
];

async function* failing(): AsyncGenerator<string> {
  yield await Promise.resolve('a');
  throw new Error('source');
}

for (const [ending, argv, makeOptions] of ENDINGS) {
  test.each(USES)(`a process that ${ending} may be forgotten after %s`, async (_name, use) => {
    const unhandled = await collectUnhandled(async () => {
      const running = spawn(argv, makeOptions());
      void use(running);
      running.stdout?.resume();
      running.stderr?.resume();
      await running.exited.catch(() => undefined);
    });
    expect(unhandled).toEqual([]);
  });
}
