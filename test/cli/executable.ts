// The built executable in a process of its own, started with node:child_process: argv-spawn does not test itself.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface CliEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface RunningCli {
  readonly pid: number;
  readonly ended: Promise<CliEnd>;
}

/** `stdin` absent: /dev/null. Through a shell only where bytes that are not text must reach the command line. */
export function startCli(
  args: readonly string[],
  stdin?: string,
  program: readonly string[] = [process.execPath, MAIN],
): RunningCli {
  const [file = '', ...words] = [...program, ...args];
  const child = spawn(file, words, { stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
  child.stdin?.end(stdin);
  const stdout: Buffer[] = [];
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<CliEnd>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout: Buffer.concat(stdout), stderr }));
  });
  return { pid: child.pid ?? 0, ended };
}

export const cli = (args: readonly string[], stdin?: string): Promise<CliEnd> => startCli(args, stdin).ended;

/** The executable with arguments that a shell makes, for bytes that are not UTF-8. */
export const cliFromShell = (script: string): Promise<CliEnd> =>
  startCli([], undefined, ['/bin/bash', '-c', `exec "$@" ${script}`, 'bash', process.execPath, MAIN]).ended;
