// From the record of a failed start to the error that finishes the debugging: what could not be run, why, where.

import type { NativeFailure, NativeTried } from '../native/contract.ts';
import { quoteVisibly } from '../util/describe.ts';
import { SpawnError } from './errors.ts';

/** The call that failed, for the message and the error's fields. */
export interface FailedCall {
  readonly argv: readonly (string | Uint8Array)[];
  readonly program: string;
  readonly cwd: string | null;
}

// Made when first needed: it takes longer to make than the rest of the package to load.
let numberFormat: Intl.NumberFormat | undefined;

function formatNumber(value: number): string {
  numberFormat ??= new Intl.NumberFormat('en-US');
  return numberFormat.format(value);
}

function describeTried(tried: readonly NativeTried[]): string {
  const looked = tried.filter((one) => one.path !== '' && one.code !== 'RELATIVE').length;
  const skipped = tried.length - looked;
  const places = `${looked} ${looked === 1 ? 'folder' : 'folders'} of PATH searched`;
  if (skipped === 0) return places;
  return `${places}, ${skipped} empty or relative ${skipped === 1 ? 'entry' : 'entries'} skipped`;
}

function explainResolve(failure: NativeFailure): string {
  const path = failure.path === null ? '' : quoteVisibly(failure.path);
  if (failure.detail === 'drive-relative')
    return 'its path depends on the current folder of a drive; give the whole path';
  if (failure.detail === 'alternate-stream') return `${path} names an alternate data stream, which is never run`;
  if (failure.detail === 'no-path') return 'not found: the environment it would get has no PATH';
  if (failure.code === 'ENOENT' && failure.path === null) return `not found in PATH (${describeTried(failure.tried)})`;
  if (failure.code === 'ENOENT') return `${path} does not exist`;
  const candidate = failure.tried.find((one) => one.path === failure.path);
  if (candidate?.code === 'EISDIR') return `${path} is a directory`;
  if (failure.code === 'EACCES') return `${path} may not be executed`;
  if (failure.code === 'ENAMETOOLONG') return explainLongPath(path, failure);
  return `${path} cannot be looked up`;
}

/** Windows has a number; on Unix the limits of a path and of each of its parts depend on the file system. */
function explainLongPath(path: string, failure: NativeFailure): string {
  if (failure.size < 0) return `${path}, or one part of it, is longer than this system allows`;
  return `${path} has ${formatNumber(failure.size)} characters, Windows takes ${formatNumber(failure.limit)}`;
}

function explainCwd(failure: NativeFailure): string {
  const folder = `the working directory ${quoteVisibly(failure.path ?? '')}`;
  // The first component that is at fault, when that is not the whole path.
  const part = failure.detail === '' || failure.detail === failure.path ? '' : ` (at ${quoteVisibly(failure.detail)})`;
  switch (failure.code) {
    case 'ENOENT':
      return `${folder} does not exist${part}`;
    case 'ENOTDIR':
      return `${folder} is not a directory${part}`;
    case 'EACCES':
      return `${folder} may not be entered${part}`;
    case 'ENAMETOOLONG':
      return explainLongPath(folder, failure);
    default:
      return `${folder} cannot be opened`;
  }
}

function explainSize(failure: NativeFailure): string {
  if (failure.code === 'EINVAL') return `it has ${failure.detail}`;
  const unit = failure.call === 'CreateProcessW' ? 'UTF-16 units' : 'bytes';
  const sizes = `${formatNumber(failure.size)} ${unit}, the limit is ${formatNumber(failure.limit)}`;
  const hint = 'stdin has no such limit';
  if (failure.subject === 'argv') return `argument ${failure.index} has ${sizes}; ${hint}`;
  if (failure.subject === 'env') return `environment variable ${failure.detail} has ${sizes}`;
  return `arguments and environment together have ${sizes} (${failure.detail}); ${hint}`;
}

function explainExec(failure: NativeFailure): string {
  const path = quoteVisibly(failure.path ?? '');
  switch (failure.code) {
    case 'ENOEXEC':
      return failure.detail === 'text without #!'
        ? `${path} is a script without a #! line; name its interpreter as the program`
        : `${path} is not a program for this machine (${failure.detail})`;
    case 'EACCES':
    case 'EPERM':
      return `${path} may not be executed${failure.detail === '' ? '' : ` (${failure.detail})`}`;
    case 'ENAMETOOLONG':
      return explainLongPath(path, failure);
    case 'ETXTBSY':
      return `${path} is open for writing, and stayed so while the start was retried`;
    default:
      return `${path} could not be executed`;
  }
}

function explainBatch(failure: NativeFailure): string {
  const file = `${quoteVisibly(failure.path ?? '')} is a batch file, which only cmd.exe can run, and cmd.exe changes arguments`;
  if (failure.detail === '') return file;
  return `${file}; it starts ${quoteVisibly(failure.detail)}: name that, or use windowsShims: 'resolve'`;
}

function explain(failure: NativeFailure): string {
  const path = failure.path === null ? '' : quoteVisibly(failure.path);
  switch (failure.stage) {
    case 'resolve':
      return explainResolve(failure);
    case 'cwd':
      return explainCwd(failure);
    case 'limits':
      return explainSize(failure);
    case 'interpreter':
      return failure.code === 'ENOENT'
        ? `its interpreter ${path} does not exist (first line: ${quoteVisibly(failure.detail)})`
        : `its interpreter ${path} may not be executed (${failure.detail})`;
    case 'loader':
      return `its program loader ${path} does not exist (built for another C library or system?)`;
    case 'exec':
      return explainExec(failure);
    case 'fork':
      return failure.detail === ''
        ? 'the system lets this process start no other (does a system call filter hold it?)'
        : `the system refused another process (limits: ${failure.detail})`;
    case 'setup':
      if (failure.code === 'ETIMEDOUT') return 'its start took longer than the timeout, and was given up';
      return `${failure.subject} could not be set up${path && `: ${path}`}${failure.detail && ` (limits: ${failure.detail})`}`;
    case 'batch':
      return explainBatch(failure);
    case 'containment':
      return failure.detail;
  }
}

function orNull(number: number): number | null {
  return number < 0 ? null : number;
}

/** The one place where a failed start becomes an error. */
export function toSpawnError(failure: NativeFailure, call: FailedCall): SpawnError {
  const message = `Cannot run ${quoteVisibly(call.program)}: ${explain(failure)} [${failure.code}]`;
  return new SpawnError(message, {
    code: failure.code,
    stage: failure.stage,
    subject: failure.subject,
    path: failure.path,
    detail: failure.detail,
    index: failure.subject === 'argv' ? orNull(failure.index) : null,
    size: orNull(failure.size),
    limit: orNull(failure.limit),
    tried: failure.tried,
    errno: failure.errno > 0 ? failure.errno : null,
    syscall: failure.call === '' ? null : failure.call,
    argv: call.argv,
    cwd: call.cwd,
  });
}

/** A refusal that is made in TypeScript, in the same shape as one from the engine. */
export function makeFailure(
  fields: Pick<NativeFailure, 'stage' | 'code' | 'subject'> & Partial<NativeFailure>,
): NativeFailure {
  return { errno: -1, call: '', path: null, detail: '', index: -1, size: -1, limit: -1, tried: [], ...fields };
}
