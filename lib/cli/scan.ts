// `argv-spawn scan`: what a command would run and write, as JSON.

import { buffer } from 'node:stream/consumers';
import type { ShellRegistry } from '../shell/registry.ts';
import type { ScanRequest } from '../shell/scan-types.ts';
import { parseOptions } from './arguments.ts';
import { EXIT, UsageError, print } from './command.ts';
import type { Command, Streams } from './command.ts';

const HELP = `Usage: argv-spawn scan --command TEXT [--shell ID|PATH] [--cwd PATH]
       argv-spawn scan < request.json

Says what a command would run and which files its shell would open, without running anything. The request on standard
input is an object with mode, argv or command, shell, env and cwd. A shell command without a shell is scanned for this
machine's default.

Exit code: 0 when the scan is resolved and complete, 1 when it is not, 125 when there is no request to scan.
`;

function parseRequest(text: string): ScanRequest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`the request on standard input is not JSON: ${why}`, { cause: error });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new UsageError('the request on standard input is not a JSON object');
}

/** @throws UsageError for an argument it does not know, and for input that is no request. @returns the exit code. */
export async function runScan(args: readonly string[], streams: Streams, registry?: ShellRegistry): Promise<number> {
  // Loaded here, so that no other command waits for the parser.
  const [{ createShellRegistry }, { nameShell }, { scan }] = await Promise.all([
    import('../shell/registry.ts'),
    import('../shell/name-shell.ts'),
    import('../shell/scan.ts'),
  ]);
  const { command, shell, cwd } = parseOptions(args, {
    command: { type: 'string' },
    shell: { type: 'string' },
    cwd: { type: 'string' },
  });
  const given: ScanRequest =
    command === undefined ? parseRequest((await buffer(streams.stdin)).toString('utf8')) : { mode: 'shell', command };
  const request = { ...given, ...(shell === undefined ? {} : { shell }), ...(cwd === undefined ? {} : { cwd }) };
  const result = scan(nameShell(request, registry ?? createShellRegistry()));
  await print(streams.stdout, `${JSON.stringify(result, null, 2)}\n`);
  return result.execution_semantics.resolved && result.shell_io_complete ? EXIT.success : EXIT.failure;
}

export const SCAN: Command = {
  name: 'scan',
  summary: 'say what a command would run and write, without running it',
  help: HELP,
  run: (args, streams) => runScan(args, streams),
};
