// OpenSSH. The server hands one string to the user's login shell (ssh(1), sshd(8)), so an argv cannot be passed: shell
// mode is what there is, and process mode exists only as a quoted string under a name that says so.

import type { Backend, BackendCall, BackendCommand, Capabilities } from './backend.ts';
import { checkOperand } from './backend.ts';
import { canonicalize } from './canonical.ts';
import type { Shell } from './shell-access.ts';

export interface SshOptions {
  /** `host` or `user@host`. */
  readonly host: string;
  /** Options of ssh: `['-p', '2222', '-i', '/path/to/key']`. Absent: none. */
  readonly options?: readonly string[];
  /** Absent: `ssh`, looked up in PATH. */
  readonly program?: string;
  /**
   * The login shell on the far side (`{id: 'bash'}`), which reads every command line. Absent: not known, so no text rule
   * can allow a command line.
   */
  readonly loginShell?: Partial<Shell>;
}

const CAPABILITIES: Capabilities = Object.freeze({
  argv: false,
  quotedArgv: false,
  shell: true,
  stdin: true,
  // A server accepts only the names it lists (AcceptEnv), in silence.
  env: false,
  workdir: true,
  // Without a terminal the server tells nobody that the client is gone.
  treeEnd: 'none',
  background: false,
});

/** Quoting that every POSIX shell reads back as exactly these words. */
function quoteWords(words: readonly string[]): string {
  const canonical = canonicalize(words);
  if (!canonical.ok) throw new TypeError(`the words have no quoted form (${canonical.reason})`);
  return canonical.text;
}

/** A folder that cannot be entered ends the call with code 126, before anything of it has run. */
const enter = (workdir: string | null): string =>
  workdir === null ? '' : `cd -- ${quoteWords([workdir])} || exit 126\n`;

function toRemoteText(call: BackendCall): string {
  if (call.mode === 'shell') return enter(call.workdir) + call.command;
  // `exec` runs the program of that name and never a built-in.
  return `${enter(call.workdir)}exec ${quoteWords([checkOperand(call.argv[0], 'program'), ...call.argv.slice(1)])}`;
}

function makeBackend(name: string, capabilities: Capabilities, options: SshOptions): Backend {
  const host = checkOperand(options.host, 'host');
  const extra = Object.freeze([...(options.options ?? [])]);
  const loginShell = options.loginShell === undefined ? null : Object.freeze({ ...options.loginShell });
  return Object.freeze({
    name,
    capabilities,
    local: false,
    ownExitCodes: Object.freeze([255]),
    prepare: (call: BackendCall): BackendCommand => ({
      // Never a question: there is no terminal to answer it on.
      argv: [options.program ?? 'ssh', '-T', '-o', 'BatchMode=yes', ...extra, '--', host, toRemoteText(call)],
      extendEnv: {},
      shell: call.mode === 'shell' ? loginShell : null,
    }),
  });
}

/** Shell mode only: `argv` is not advertised, because the far side always has a shell. */
export function sshBackend(options: SshOptions): Backend {
  return makeBackend('ssh', CAPABILITIES, options);
}

/**
 * As sshBackend, and process mode as a quoted string that the login shell of the far side parses: right for POSIX
 * shells, wrong for others (fish, csh, PowerShell). `capabilities.argv` stays false and `quotedArgv` is true.
 */
export function sshQuotedBackend(options: SshOptions): Backend {
  return makeBackend('ssh-quoted', Object.freeze({ ...CAPABILITIES, quotedArgv: true }), options);
}
