// What a scan takes and what it says. Field names are the wire's.

import type { Dialect, Shell, ShellSource } from './types.ts';

export interface ScanRequest {
  /** Absent: `argv` when `argv` is given, else `shell`. The other mode's field is then ignored, as it is at execution. */
  readonly mode?: string | undefined;
  readonly argv?: readonly unknown[] | null | undefined;
  readonly command?: unknown;
  /** An id, a path or a shell object. Absent in shell mode: unresolved, because no default is looked up here. */
  readonly shell?: string | Partial<Shell> | null | undefined;
  /** The caller tried to resolve the shell and could not. */
  readonly shell_resolution_error?: boolean | undefined;
  readonly login?: boolean | undefined;
  readonly interactive?: boolean | undefined;
  /** The environment the command will get. Absent: nothing is said about what an environment can redefine. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** `trusted`: variables of `env` that make a shell read other code are the caller's own. */
  readonly startup?: 'trusted' | undefined;
  readonly cwd?: string | undefined;
}

export type UnresolvedReason =
  | 'argv_missing_or_invalid'
  | 'execution_mode_unknown'
  | 'shell_resolution_failed'
  | 'shell_dialect_unknown'
  | 'shell_not_available'
  | 'dynamic_or_invalid_execution_syntax';

export interface ExecutionSemantics {
  readonly mode: 'argv' | 'shell' | 'unknown';
  /** null in argv mode and for a shell that cannot be analysed. */
  readonly dialect: Dialect | null;
  /** `request`, the shell object's own source, or `host_default` when no shell was named. */
  readonly source: ShellSource | 'request' | 'host_default';
  readonly shell_id: string | null;
  /** True exactly when `unresolved_reason` is null. */
  readonly resolved: boolean;
  readonly unresolved_reason: UnresolvedReason | null;
}

export interface ShellRedirect {
  /** Without descriptor: `>`, `>>`, `>|`, `&>`, `&>>`, `<`, `<>`, and `>&` when it names a file. */
  readonly operator: string;
  /** null when it cannot be known. */
  readonly destination: string | null;
  readonly dynamic: boolean;
  readonly writes_file: boolean;
}

export interface ExecutionStage {
  /** The program and its arguments, wrappers removed. A dynamic word is shown as its source text: never match it. */
  readonly argv: readonly string[];
  /** `dynamic[i]` tells that `argv[i]` is decided at run time, and may become no word or several. */
  readonly dynamic: readonly boolean[];
  /** Assignments and words as written, wrappers included. */
  readonly source_argv: readonly string[];
  /** The commands whose payload this stage comes from, outermost first. */
  readonly via: readonly { readonly argv: readonly string[] }[];
}

/** Why a scan is not resolved. */
export type UnresolvingCode =
  | 'syntax_error'
  | 'unknown_syntax'
  | 'variant_syntax'
  | 'forbidden_character'
  | 'dynamic_program'
  | 'dynamic_redirect'
  | 'ambiguous_redirect'
  | 'dynamic_payload'
  | 'shell_reads_script'
  | 'shell_options_unknown'
  | 'shell_file_unknown'
  | 'shell_dialect_unknown'
  | 'evaluated_text'
  | 'arithmetic_with_names'
  | 'subscript'
  | 'parameter_operation'
  | 'special_variable'
  | 'function_definition'
  | 'builtin_effect_unknown'
  | 'wrapper_options_unknown'
  | 'carrier_input_unknown'
  | 'parsers_disagree'
  | 'limit_reached';

/** Why a resolved scan does not cover all input and output. */
export type IncompleteCode =
  | 'here_document'
  | 'here_string'
  | 'prefixed_nested_shell'
  | 'windows_dialect'
  | 'shell_redirects_itself'
  | 'interactive_shell'
  | 'environment_may_redefine';

export type ScanCode = UnresolvingCode | IncompleteCode;

export interface ScanDetail {
  readonly code: ScanCode;
  /** The word or construct it is about. */
  readonly subject: string;
}

/** What a command policy must not wave through: any unresolved scan, and the one that an unsupported shell leaves so. */
export type RiskLabel = 'execution_semantics_unresolved' | 'shell_dialect_unknown';

export interface CommandScan {
  readonly execution_semantics: ExecutionSemantics;
  readonly shell_redirects: readonly ShellRedirect[];
  readonly execution_stages: readonly ExecutionStage[];
  /**
   * The two lists are all that the shell itself does, and all that literal payloads of known carriers do. Says nothing
   * of what a started program does. While it is false an empty list is no evidence.
   */
  readonly shell_io_complete: boolean;
  readonly details: readonly ScanDetail[];
  /** Empty exactly when `resolved` is true. A policy that knows labels only still fails closed. */
  readonly risk_labels: readonly RiskLabel[];
  /** SHA-256 of the request, hexadecimal; assertSameRequest compares it. */
  readonly request_digest: string;
}
