// The official SDK, loaded only when a server is started: it is an optional peer of this package.

import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

export interface Sdk {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- McpServer takes zod schemas only; tools here have JSON Schema
  readonly Server: typeof Server;
  readonly StdioServerTransport: typeof StdioServerTransport;
  readonly CallToolRequestSchema: typeof CallToolRequestSchema;
  readonly ListToolsRequestSchema: typeof ListToolsRequestSchema;
}

/** The package is not installed. */
export class SdkMissingError extends Error {
  override readonly name: string = 'SdkMissingError';
  readonly code: string = 'ERR_MCP_SDK_MISSING';
}

/** @throws SdkMissingError with the command that installs it. */
export async function loadSdk(): Promise<Sdk> {
  try {
    const [server, stdio, types] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/index.js'),
      import('@modelcontextprotocol/sdk/server/stdio.js'),
      import('@modelcontextprotocol/sdk/types.js'),
    ]);
    return { ...server, ...stdio, ...types };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const message =
      'the MCP server needs the package @modelcontextprotocol/sdk, which is not installed: ' +
      'npm install @modelcontextprotocol/sdk';
    throw new SdkMissingError(message, { cause: error });
  }
}
