// A real client of the protocol: the official SDK's, over stdio, with every message of the server kept.

import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { isAlive } from '../helpers/processes.ts';
import { until } from '../helpers/until.ts';

export const MAIN: string = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

type Answer = 'allow' | 'deny' | 'cancel';

export interface Connection {
  readonly client: Client;
  readonly pid: number;
  /** Everything the server has sent, and what it wrote to stderr. */
  readonly heard: string[];
  /** Questions it has asked. */
  readonly asked: string[];
  /** The data of a tool's answer; `isError` beside it. */
  call(
    name: string,
    args: Record<string, unknown>,
    options?: Parameters<Client['callTool']>[2],
  ): Promise<{ isError: boolean } & Record<string, unknown>>;
  close(): Promise<void>;
}

/** `answer` absent: a client that cannot ask anyone. */
export async function connect(args: readonly string[], answer?: Answer): Promise<Connection> {
  const heard: string[] = [];
  const asked: string[] = [];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp', ...args],
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (chunk: Buffer) => heard.push(chunk.toString()));
  const capabilities = answer === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  if (answer !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return answer === 'cancel' ? { action: 'cancel' } : { action: 'accept', content: { answer } };
    });
  }
  await client.connect(transport);
  const deliver = transport.onmessage;
  transport.onmessage = (message) => {
    heard.push(JSON.stringify(message));
    deliver?.(message);
  };
  const pid = transport.pid ?? 0;
  return {
    client,
    pid,
    heard,
    asked,
    call: async (name, args_, options) => {
      const result = await client.callTool({ name, arguments: args_ }, undefined, options);
      return { ...(result.structuredContent as Record<string, unknown>), isError: result.isError === true };
    },
    close: async () => {
      await client.close();
      await until('the server has ended', () => !isAlive(pid));
    },
  };
}
