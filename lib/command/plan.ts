// From the caller's words to one frozen Plan. Pure, but for reading the host's folder and environment when the options
// leave them open.

import { findBase, parsePath, toAbsolute } from './cwd.ts';
import { parseArgv } from './argv.ts';
import { parseEnv } from './env.ts';
import { parsePlainOptions, readOptions } from './options.ts';
import type { CallKind } from './options.ts';
import { parseOutput, parseStdin, parseTee } from './stdio.ts';
import type { StdinBytes } from './stdio.ts';
import type { Plan } from './types.ts';

/**
 * Decides one call. Nothing is started and no program is looked for.
 *
 * @param bytes - `'borrowed'` for a Plan that is carried out before anybody else can run: the engine copies them then.
 * @throws TypeError or RangeError for a wrong argument or option, with `code` and `field`.
 * @throws SpawnError (`cwd` stage) when a relative path needs the host's folder and that has been removed.
 */
export function createPlan(kind: CallKind, argv: unknown, options: unknown, bytes: StdinBytes = 'copied'): Plan {
  const parsed = parseArgv(argv);
  const given = readOptions(options);
  const program = parsed[0];
  const cwd = given['cwd'] === undefined ? null : toAbsolute(parsePath(given['cwd'], 'cwd'), parsed);
  const env = parseEnv(given['env'], given['extendEnv']);
  const stdin = parseStdin(given, kind, parsed, bytes);
  const stdout = parseOutput(given, 'stdout', parsed);
  const stderr = parseOutput(given, 'stderr', parsed);
  const plain = parsePlainOptions(given);
  return Object.freeze({
    argv: parsed,
    program,
    file: null,
    cwd,
    base: findBase(program, cwd, parsed),
    env,
    stdin,
    stdout,
    stderr,
    tee: parseTee(given, stdout, stderr, parsed),
    maxBuffer: plain.maxBuffer,
    keep: plain.keep,
    onMaxBuffer: plain.onMaxBuffer,
    encoding: plain.encoding,
    timeoutMs: plain.timeoutMs,
    idleTimeoutMs: plain.idleTimeoutMs,
    signal: plain.signal,
    killSignal: plain.killSignal,
    forceKillAfterMs: plain.forceKillAfterMs,
    lingering: plain.lingering,
    drainTimeoutMs: plain.drainTimeoutMs,
    containment: plain.containment,
    windowsShims: plain.windowsShims,
    require: plain.require,
    check: plain.check,
  });
}
