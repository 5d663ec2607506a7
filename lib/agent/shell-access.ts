// The one place of this layer that knows how a command line becomes an argv with a shell in it.

/** Program and arguments that run `command` in a shell. The command is one argument, unchanged. */
export type MakeShellArgv = (command: string) => readonly [program: string, ...args: string[]];

/** A shell on the far side of a back end: its own system decides nothing here, so it is the one POSIX requires. */
export const farShell: MakeShellArgv = (command) => ['/bin/sh', '-c', command];

/** The shell of this machine. */
export const hostShell: MakeShellArgv = (command) => ['/bin/sh', '-c', command];
