// The JSON Schema that a model sees. What it cannot say (mixed shapes in the flat form, sizes) parseRequest checks.

import { z } from 'zod';
import type { Capabilities } from './backend.ts';
import { FLAT_FIELDS, MODE, PROCESS_FIELDS, SHELL_FIELDS } from './request-fields.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface SchemaOptions {
  /**
   * true: one object with every field optional, for providers that accept no alternatives at the top level. Absent or
   * false: an `anyOf` of the two shapes. Neither form ever has `oneOf` at the top level.
   */
  readonly flat?: boolean;
  /** Shapes that the back end cannot run are left out. Absent: both modes. */
  readonly capabilities?: Pick<Capabilities, 'argv' | 'quotedArgv' | 'shell' | 'stdin'>;
}

const DESCRIPTION =
  'Runs a program or a command line. For a single program use process mode (mode, program, args): its arguments need ' +
  'no quoting. Use shell mode (command) only for shell grammar. Neither mode is a sandbox.';
const QUOTED =
  ' On this back end the far side always has a shell: in process mode the arguments are quoted for it, not passed directly.';

const withoutKeys = (keys: readonly string[]): Record<string, true> =>
  Object.fromEntries(keys.map((key) => [key, true]));

/** JSON Schema (draft 2020-12) of a request. */
export function requestJsonSchema(options: SchemaOptions = {}): JsonSchema {
  const { argv, quotedArgv, shell, stdin } = options.capabilities ?? {
    argv: true,
    quotedArgv: false,
    shell: true,
    stdin: true,
  };
  const process = argv || quotedArgv;
  const absent = [
    ...(process ? [] : ['program', 'args', 'stdin']),
    ...(process && !stdin ? ['stdin'] : []),
    ...(shell ? [] : ['command']),
  ];
  const shapes = [
    ...(process ? [stdin ? PROCESS_FIELDS : PROCESS_FIELDS.omit({ stdin: true })] : []),
    ...(shell ? [SHELL_FIELDS] : []),
  ];
  const modes = z.enum([...(process ? ['process'] : []), ...(shell ? ['shell'] : [])]).optional();
  const flat = FLAT_FIELDS.omit(withoutKeys(absent)).extend({ mode: modes.describe(MODE) });
  const chosen = options.flat === true ? flat : z.union(shapes);
  const schema = z.toJSONSchema(chosen) as Record<string, unknown>;
  const description = DESCRIPTION + (quotedArgv ? QUOTED : '');
  return Object.freeze({ ...schema, type: 'object', description });
}
