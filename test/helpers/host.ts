// Running a piece of JavaScript in a Node process of its own that uses the built package: for what would disturb, or
// end, the test's own process. Started with node:child_process on purpose: the thing under test does not test itself.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const PACKAGE: string = new URL('../../dist/index.js', import.meta.url).href;
export const PACKAGE_PATH: string = fileURLToPath(PACKAGE);

export interface HostEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HostOptions {
  /** Words before node: `['strace', '-f']`. */
  readonly prefix?: readonly string[];
  readonly nodeArgs?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string;
  readonly timeoutMs?: number;
  /** Entry point of another copy of the package. */
  readonly packageUrl?: string;
}

// strace 6 gives up when a process is killed just as it stops. That says nothing of the host.
const STRACE_GAVE_UP = /^strace: ptrace\(PTRACE_LISTEN/m;

/**
 * `script` is an ES module in which everything the package exports is imported already. Run again, a few times at most,
 * where the strace before it gave up.
 */
export async function runHost(script: string, options: HostOptions = {}): Promise<HostEnd> {
  for (let left = 5; ; left--) {
    const end = await runOnce(script, options);
    if (left === 0 || !STRACE_GAVE_UP.test(end.stderr)) return end;
  }
}

function runOnce(script: string, options: HostOptions): Promise<HostEnd> {
  const source = `import { run, runSync, spawn, resolveProgram, platform } from ${JSON.stringify(options.packageUrl ?? PACKAGE)};\n${script}`;
  const argv = [
    ...(options.prefix ?? []),
    process.execPath,
    ...(options.nodeArgs ?? []),
    ...['--input-type=module', '-e', source],
  ];
  const [file = '', ...args] = argv;
  return new Promise((resolve) => {
    const child = execFile(
      file,
      args,
      {
        env: options.env ?? process.env,
        maxBuffer: 1 << 26,
        timeout: options.timeoutMs ?? 50_000,
        killSignal: 'SIGKILL',
      },
      (error, stdout, stderr) => resolve({ code: child.exitCode, signal: error?.signal ?? null, stdout, stderr }),
    );
    // Without anything to write not even an empty text is: a host that has closed its stdin meanwhile would be an EPIPE.
    child.stdin?.end(options.stdin);
  });
}
