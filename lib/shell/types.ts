// What shells are, as data. Field names of the wire form are snake_case, as the host shell contract has them.

/** Where a shell was heard of. The first place wins when several name the same file. */
export type ShellSource = 'configured' | 'env' | 'login' | 'etc_shells' | 'fallback' | 'host';

/** How command text is read. Only `posix` can ever be scanned completely. */
export type Dialect = 'posix' | 'powershell' | 'cmd';

/** Which constructs a posix scan accepts. `sh` is unknown software, so it accepts what all of them read alike. */
export type PosixVariant = 'bash' | 'zsh' | 'sh';

export interface ShellExtensions {
  /** null: command text for this shell cannot be analysed; it is never the implicit default. */
  readonly dialect: Dialect | null;
  readonly variant: PosixVariant | null;
  /** The file behind symbolic links; null when `path` is not there. */
  readonly real_path: string | null;
  /** Which start-up files `default_args` make it read before the command: `none`, or its own `always`. */
  readonly startup_files: 'none' | 'always' | 'unknown';
  /** In a folder that any user of the machine may be able to create (a guess at a drive's root). Never the default. */
  readonly untrusted_location: boolean;
  /** Name of the distribution, for an entry that runs in the Windows Subsystem for Linux. */
  readonly wsl_distribution?: string;
}

/** One entry of the catalog. */
export interface Shell {
  /** Unique in its catalog: the program's name in lower case, numbered from the second on (`bash`, `bash-2`). */
  readonly id: string;
  readonly label: string;
  readonly path: string;
  /** `linux`, `darwin`, `windows`, or Node's name of another platform. */
  readonly platform: string;
  /** A regular file that may be executed. */
  readonly available: boolean;
  readonly supports_login: boolean;
  readonly supports_interactive: boolean;
  /** Go before the command text. */
  readonly default_args: readonly string[];
  /** The same for a login shell. */
  readonly login_args: readonly string[];
  readonly source: ShellSource;
  readonly extensions?: ShellExtensions;
}

export interface ShellList {
  readonly shells: readonly Shell[];
  readonly default_shell_id: string | null;
}

export interface ShellInvocationRequest {
  /** An id of the catalog. */
  readonly shell_id?: string | undefined;
  /** Wins over `shell_id`. Missing fields are filled from the catalog entry with the same id or path. */
  readonly shell?: Partial<Shell> | undefined;
  /** Absent: `args` holds the placeholder `{command}`. */
  readonly command?: string | undefined;
  /** Ignored by a shell that has no login form. */
  readonly login?: boolean | undefined;
  /** Reads the user's rc files, and may want a terminal: do not run the result without one. */
  readonly interactive?: boolean | undefined;
}

export interface ShellInvocation {
  readonly program: string;
  readonly args: readonly string[];
  /** `args[command_arg_index]` is the command text. */
  readonly command_arg_index: number;
  readonly shell: Shell;
}
