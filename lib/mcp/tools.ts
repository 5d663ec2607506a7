// The tools of the server: their schemas, and one function each that hands arguments on. No decisions are made here.

import { z } from 'zod';
import { describeBackground, describeOutput, describeResult } from '../agent/response.ts';
import type { Executor } from '../agent/executor.ts';
import type { Env } from '../command/types.ts';
import { makeShellTools } from './shell-tools.ts';
import { check, makeTool } from './tool.ts';
import type { Tool } from './tool.ts';

const ID = z.string().describe('The id that exec_background gave.');
const ID_ONLY = z.strictObject({ id: ID });
const READ = z.strictObject({
  id: ID,
  stdout: z.number().int().min(0).optional().describe('Position to read stdout from. Absent: after the last read.'),
  stderr: z.number().int().min(0).optional().describe('Position to read stderr from. Absent: after the last read.'),
});
const WRITE = z.strictObject({
  id: ID,
  text: z.string().describe('Written to the standard input of the program. May be empty.'),
  end: z.boolean().optional().describe('Close the standard input after the text.'),
});
const OPEN_STDIN = z.boolean().optional().describe('Keep the standard input open for exec_write. Absent: end of file.');

function withOpenStdin(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { $schema, ...openStdin } = z.toJSONSchema(OPEN_STDIN);
  return { ...schema, $schema, properties: { ...(schema['properties'] as object), openStdin } };
}

/** @param env - the environment that commands get; absent: the host's. */
export function makeTools(executor: Executor, env: Env | undefined): readonly Tool[] {
  const { background } = executor;
  const shells = executor.backend.local ? makeShellTools(env) : [];
  const schema = executor.requestJsonSchema({ flat: true });
  const exec: Tool = {
    name: 'exec',
    description: String(schema['description']),
    inputSchema: schema,
    call: async (args, signal) => describeResult(await executor.run(args, { signal })),
  };
  if (!executor.backend.capabilities.background) return [exec, ...shells];
  const start: Tool = {
    name: 'exec_background',
    description: `Starts a run that goes on while you do something else, and gives its id. ${exec.description}`,
    inputSchema: withOpenStdin(schema),
    call: async ({ openStdin, ...request }) =>
      describeBackground(await background.start(request, { openStdin: check(OPEN_STDIN, openStdin) ?? false })),
  };
  return [
    exec,
    start,
    makeTool('exec_status', 'Says whether a background run is still running, and how it ended.', ID_ONLY, ({ id }) =>
      describeBackground(background.status(id)),
    ),
    makeTool('exec_read', 'Gives what a background run has written since the last read.', READ, (args) =>
      describeOutput(
        background.read(args.id, {
          ...(args.stdout === undefined ? {} : { stdout: args.stdout }),
          ...(args.stderr === undefined ? {} : { stderr: args.stderr }),
        }),
      ),
    ),
    makeTool('exec_write', 'Writes to the standard input of a background run.', WRITE, async (args) => {
      await background.write(args.id, args.text, { end: args.end === true });
      return describeBackground(background.status(args.id));
    }),
    makeTool('exec_stop', 'Ends a background run and everything it started.', ID_ONLY, async ({ id }) =>
      describeBackground(await background.stop(id)),
    ),
    makeTool('exec_list', 'Lists the background runs.', z.strictObject({}), () => ({
      runs: background.list().map(describeBackground),
    })),
    ...shells,
  ];
}
