// A Model Context Protocol server on two streams. It carries tool calls to an executor and results back; the programs it
// starts never have these streams.

import { setInterval, clearInterval } from 'node:timers';
import type { Readable, Writable } from 'node:stream';
import { createExecutor } from '../agent/executor.ts';
import type { Answer, ExecutorOptions, Question } from '../agent/options.ts';
import { describeError } from '../agent/response.ts';
import type { PlainData } from '../agent/response.ts';
import { loadSdk } from './sdk.ts';
import type { Sdk } from './sdk.ts';
import { makeTools } from './tools.ts';
import type { Tool } from './tool.ts';

export interface McpStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

export interface McpOptions {
  /** Shown to the client. */
  readonly version: string;
  /** Everything but `ask`, which goes to the client. */
  readonly executor: Omit<ExecutorOptions, 'ask'>;
}

/** Time between two progress notifications of a call. */
const PROGRESS_MS = 1000;
/** A person may take their time; the call itself can be cancelled meanwhile. Node's longest timer. */
const ANSWER_MS = 2 ** 31 - 1;

type Server = InstanceType<Sdk['Server']>;

/** What a handler is given besides the request, as far as it is used here. */
interface CallContext {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  sendNotification(notification: {
    method: 'notifications/progress';
    params: { progressToken: string | number; progress: number; message: string };
  }): Promise<void>;
}

/** Says every second that the call goes on, when the client wants to know. */
function startProgress(name: string, context: CallContext): () => void {
  const progressToken = context._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let seconds = 0;
  const timer = setInterval(() => {
    seconds++;
    const params = { progressToken, progress: seconds, message: `${name} has been running for ${seconds} s` };
    // A client that has gone away is noticed at the end of its stream.
    context.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  }, PROGRESS_MS);
  return () => clearInterval(timer);
}

function describeQuestion({ preview, decision }: Question): string {
  return [
    `Allow this ${preview.mode === 'process' ? 'program' : 'command line'}?`,
    String(preview.line),
    `folder: ${String(preview.workdir ?? '(default)')}`,
    `stdin: ${preview.stdin}`,
    ...(preview.file === null ? [] : [`file: ${String(preview.file)}`]),
    `why: ${decision.because.join('; ')}`,
  ].join('\n');
}

/** Asks the person at the client; null when the client cannot ask anyone. */
async function ask(server: Server, question: Question): Promise<Answer> {
  if (server.getClientCapabilities()?.elicitation === undefined) return null;
  const { action, content } = await server.elicitInput(
    {
      message: describeQuestion(question),
      requestedSchema: {
        type: 'object',
        properties: { answer: { type: 'string', title: 'Answer', enum: ['allow', 'deny'] } },
        required: ['answer'],
      },
    },
    { timeout: ANSWER_MS, ...(question.signal === undefined ? {} : { signal: question.signal }) },
  );
  return action === 'accept' && content?.['answer'] === 'allow' ? 'allow' : 'deny';
}

function toContent(data: PlainData, isError: boolean): Record<string, unknown> {
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data, isError };
}

async function callTool(
  tool: Tool | undefined,
  { name, args }: { readonly name: string; readonly args: Readonly<Record<string, unknown>> },
  context: CallContext,
): Promise<Record<string, unknown>> {
  if (tool === undefined) return toContent(describeError(new Error(`there is no tool ${JSON.stringify(name)}`)), true);
  const stopProgress = startProgress(name, context);
  try {
    return toContent(await tool.call(args, context.signal), false);
  } catch (error) {
    return toContent(describeError(error), true);
  } finally {
    stopProgress();
  }
}

/**
 * Serves until the client closes its end; then everything that still runs is ended. Only protocol messages are written
 * to `stdout`.
 *
 * Rejects with SdkMissingError, and with PolicyError before anything is read.
 */
export async function serveMcp(streams: McpStreams, options: McpOptions): Promise<void> {
  const sdk = await loadSdk();
  const server = new sdk.Server({ name: 'argv-spawn', version: options.version }, { capabilities: { tools: {} } });
  const executor = createExecutor({ ...options.executor, ask: (question) => ask(server, question) });
  const tools = makeTools(executor, options.executor.env);
  const running = new Set<Promise<unknown>>();

  server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: { ...inputSchema, type: 'object' as const },
    })),
  }));
  server.setRequestHandler(sdk.CallToolRequestSchema, async ({ params: { name, arguments: args = {} } }, context) => {
    const tool = tools.find((one) => one.name === name);
    const call = callTool(tool, { name, args }, context);
    running.add(call);
    try {
      return await call;
    } finally {
      running.delete(call);
    }
  });

  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  const close = (): void => void server.close();
  // The transport notices neither the end of the input nor a client that no longer reads.
  streams.stdin.once('end', close);
  streams.stdin.once('close', close);
  streams.stdout.once('error', close);
  await server.connect(new sdk.StdioServerTransport(streams.stdin, streams.stdout));
  await closed;
  await Promise.allSettled(running);
  await executor.close();
}
