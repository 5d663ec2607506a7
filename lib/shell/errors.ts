// What discovery and selection refuse.

export type ShellErrorCode =
  /** No shell of the catalog has that id. */
  | 'ERR_SHELL_UNKNOWN'
  /** It is listed, but its file is not there or may not be executed. */
  | 'ERR_SHELL_UNAVAILABLE'
  /** Its command syntax cannot be analysed, or its location cannot be trusted: not as a default. */
  | 'ERR_SHELL_UNSUPPORTED'
  /** No shell was named and none can be the default. */
  | 'ERR_SHELL_NONE';

/** A shell cannot be used as asked. Nothing was started. */
export class ShellError extends Error {
  override readonly name: string = 'ShellError';
  readonly code: ShellErrorCode;
  readonly shell_id: string | null;

  constructor(code: ShellErrorCode, message: string, shellId: string | null) {
    super(message);
    this.code = code;
    this.shell_id = shellId;
  }
}
