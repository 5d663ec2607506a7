// `argv-spawn scan`: what a command would run and write, as JSON.

import { parseArgs } from 'node:util';
import { createShellRegistry } from '../shell/registry.ts';
import type { ShellRegistry } from '../shell/registry.ts';
import type { ScanRequest } from '../shell/scan-types.ts';
import { scan } from '../shell/scan.ts';
import type { ShellStreams } from './shells.ts';

export const SCAN_HELP = `Usage: argv-spawn scan --command TEXT [--shell ID|PATH] [--cwd PATH]
       argv-spawn scan < request.json

Says what a command would run and which files its shell would open, without running anything. The request on standard
input is an object with mode, argv or command, shell, env and cwd. A shell command without a shell is scanned for this
machine's default.

Exit code: 0 when the scan is resolved and complete, 1 when it is not, 2 when there is no request to scan.
`;

async function readAll(stream: ShellStreams['stdin']): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Buffer | string));
  return Buffer.concat(chunks).toString('utf8');
}

function parseRequest(text: string): ScanRequest {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('not an object');
  return value;
}

/** An id of this machine's catalog becomes its entry, and nothing becomes the default; a path stays what it is. */
function resolveShell(request: ScanRequest, registry: ShellRegistry): ScanRequest {
  const { shell } = request;
  const mode = request.mode ?? (request.argv ? 'argv' : 'shell');
  if (mode !== 'shell') return request;
  if (shell === undefined || shell === null) {
    const chosen = registry.getDefaultShell();
    return chosen === null ? { ...request, shell_resolution_error: true } : { ...request, shell: chosen };
  }
  const known = registry.listShells().shells.find(({ id }) => id === shell);
  return known === undefined ? request : { ...request, shell: known };
}

const write = (stream: ShellStreams['stdout'], text: string): Promise<void> =>
  new Promise((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve())));

/** @throws TypeError (`ERR_PARSE_ARGS_*`) for an argument it does not know. @returns the exit code. */
export async function runScan(
  args: readonly string[],
  streams: ShellStreams,
  registry: ShellRegistry = createShellRegistry(),
): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { command: { type: 'string' }, shell: { type: 'string' }, cwd: { type: 'string' } },
  });
  const { command, shell, cwd } = values;
  let request: ScanRequest;
  if (command !== undefined) request = { mode: 'shell', command, shell, cwd };
  else {
    try {
      request = parseRequest(await readAll(streams.stdin));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      await write(streams.stderr, `argv-spawn scan: the request on standard input is not a JSON object: ${why}\n`);
      return 2;
    }
    if (shell !== undefined) request = { ...request, shell };
    if (cwd !== undefined) request = { ...request, cwd };
  }
  const result = scan(resolveShell(request, registry));
  await write(streams.stdout, `${JSON.stringify(result, null, 2)}\n`);
  return result.execution_semantics.resolved && result.shell_io_complete ? 0 : 1;
}
