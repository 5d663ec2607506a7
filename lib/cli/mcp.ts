// `argv-spawn mcp`: the Model Context Protocol server on stdin and stdout. Loaded by this command only.

import { readFileSync } from 'node:fs';
import { parseOptions } from './arguments.ts';
import { EXIT, print } from './command.ts';
import type { Command, Streams } from './command.ts';
import { EXECUTOR_HELP, EXECUTOR_OPTIONS } from './executor-flags.ts';

/** A model reads the answer, and it travels twice, as text and as data; the default of a library call would be 16 MiB. */
const MAX_BUFFER = String(256 * 1024);

const HELP = `Usage: argv-spawn mcp [options]

Serves the Model Context Protocol on stdin and stdout, with the tools exec, exec_background, exec_status, exec_read,
exec_write, exec_stop, exec_list, shells and scan. Needs the package @modelcontextprotocol/sdk.

${EXECUTOR_HELP}                      (default here: 256 KiB; what is left out is counted)

Without --policy and --allow-all every call is asked about, where the client can ask, and refused where it cannot. The
server ends, and with it everything that it started, when the client closes stdin. Neither mode is a sandbox.
`;

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return String((manifest as { version?: unknown }).version);
}

async function run(args: readonly string[], streams: Streams): Promise<number> {
  const values = { 'max-buffer': MAX_BUFFER, ...parseOptions(args, EXECUTOR_OPTIONS) };
  const { toExecutorOptions } = await import('./executor-options.ts');
  const { serveMcp } = await import('../mcp/server.ts');
  try {
    await serveMcp(streams, { version: readVersion(), executor: toExecutorOptions(values) });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MCP_SDK_MISSING') throw error;
    await print(streams.stderr, `argv-spawn: ${(error as Error).message}\n`);
    return EXIT.usage;
  }
  return EXIT.success;
}

export const MCP: Command = {
  name: 'mcp',
  summary: 'serve the Model Context Protocol on stdin and stdout',
  help: HELP,
  run,
};
