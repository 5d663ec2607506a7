// Tools about the shells of this machine: which there are, and what a command would run.

import { z } from 'zod';
import type { Env } from '../command/types.ts';
import { getDefaultShell, listShells, processCapability } from '../shell/capability.ts';
import { nameShell } from '../shell/name-shell.ts';
import { scan } from '../shell/scan.ts';
import { makeTool } from './tool.ts';
import type { Tool } from './tool.ts';

const SCAN = z.strictObject({
  mode: z.enum(['argv', 'shell']).optional().describe('Absent: argv when argv is given, else shell.'),
  command: z.string().optional().describe('A command line, as in shell mode of exec.'),
  argv: z.array(z.string()).optional().describe('A program and its arguments.'),
  shell: z.string().optional().describe('Id (from the tool shells) or path of the shell. Absent: the default one.'),
  cwd: z.string().optional().describe('Folder it would run in.'),
});

/** @param env - the environment that commands get; absent: the host's. */
export function makeShellTools(env: Env | undefined): readonly Tool[] {
  return [
    makeTool(
      'shells',
      'Lists the shells of this machine and names the default one, which shell mode of exec uses.',
      z.strictObject({}),
      () => ({ ...processCapability.list_shells() }),
    ),
    makeTool(
      'scan',
      'Says what a command would run and which files its shell would open, without running it. Says nothing of what a ' +
        'started program does. An empty list is evidence only when shell_io_complete is true.',
      SCAN,
      (request) => ({ ...scan(nameShell({ ...request, env: env ?? process.env }, { getDefaultShell, listShells })) }),
    ),
  ];
}
