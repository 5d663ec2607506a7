// The two commands of the executable that are about shells.

import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { runScan } from '../../lib/cli/scan.ts';
import { runShells } from '../../lib/cli/shells.ts';
import { UsageError } from '../../lib/cli/command.ts';
import type { Streams } from '../../lib/cli/command.ts';
import { createShellRegistry } from '../../lib/shell.ts';
import { makeHost } from './fake-host.ts';

const REGISTRY = createShellRegistry({
  host: makeHost({
    platform: 'linux',
    env: { SHELL: '/usr/bin/fish' },
    files: { '/usr/bin/fish': 'x', '/bin/bash': 'x' },
  }),
});

type Run = (args: readonly string[], streams: Streams, registry: typeof REGISTRY) => Promise<number>;

async function runWith(
  run: Run,
  args: readonly string[],
  input = '',
): Promise<{ code: number; out: string; err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await run(args, { stdin: Readable.from([input]), stdout, stderr }, REGISTRY);
  stdout.end();
  stderr.end();
  return { code, out: await text(stdout), err: await text(stderr) };
}

test('shells prints a line for each shell and marks the default', async () => {
  const { code, out } = await runWith(runShells, []);
  expect(code).toBe(0);
  expect(out).toBe('   fish  /usr/bin/fish  env       not analysed\n*  bash  /bin/bash      fallback  posix\n');
});

test('shells --json is the wire form', async () => {
  const { out } = await runWith(runShells, ['--json']);
  const list = JSON.parse(out) as ReturnType<typeof REGISTRY.listShells>;
  expect(list.default_shell_id).toBe('bash');
  expect(list.shells.map((shell) => shell.extensions)).toEqual([undefined, undefined]);
});

test.each([
  [['--command', 'ls > out'], '', 0],
  [['--command', 'eval "$x"'], '', 1],
  [['--command', 'ls', '--shell', 'fish'], '', 1],
  [['--command', 'ls', '--shell', '/bin/zsh'], '', 0],
  [[], '{"argv":["ls","-l"]}', 0],
  [[], '{"command":"ls","shell":"bash"}', 0],
  [[], '{"mode":"other"}', 1],
])('scan %j with input %j exits with %i and prints a scan', async (args, input, code) => {
  const result = await runWith(runScan, args, input);
  expect(result.code).toBe(code);
  const printed = JSON.parse(result.out) as { shell_io_complete: boolean; request_digest: string };
  expect(printed.shell_io_complete).toBe(code === 0);
  expect(printed.request_digest).toMatch(/^[0-9a-f]{64}$/);
});

test.each(['', 'no json', '[1]', 'null'])('a request %j is refused', async (input) => {
  await expect(runWith(runScan, [], input)).rejects.toThrow(/^the request on standard input is not (a )?JSON/);
});

test('an unknown option is refused', async () => {
  await expect(runWith(runScan, ['--comand', 'x'])).rejects.toThrow(UsageError);
});
