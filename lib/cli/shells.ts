// `argv-spawn shells`: the shells of this machine, as a table or in the wire form.

import type { Readable, Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { createProcessCapability } from '../shell/capability.ts';
import { createShellRegistry } from '../shell/registry.ts';
import type { ShellRegistry } from '../shell/registry.ts';
import type { Shell } from '../shell/types.ts';

export interface ShellStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

export const SHELLS_HELP = `Usage: argv-spawn shells [--json]

Lists the shells of this machine. The default is marked; a shell whose commands cannot be analysed is never the default.
--json prints the host shell contract's form: {shells, default_shell_id}.
`;

function formatRow(shell: Shell, isDefault: boolean): readonly string[] {
  const notes = [
    shell.extensions?.dialect ?? 'not analysed',
    ...(shell.available ? [] : ['not available']),
    ...(shell.extensions?.untrusted_location ? ['untrusted location'] : []),
  ];
  return [isDefault ? '*' : ' ', shell.id, shell.path, shell.source, notes.join(', ')];
}

/** Columns as wide as their longest cell. */
function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join('  ')
          .trimEnd() + '\n',
    )
    .join('');
}

/** @throws TypeError (`ERR_PARSE_ARGS_*`) for an argument it does not know. @returns the exit code. */
export function runShells(
  args: readonly string[],
  streams: ShellStreams,
  registry: ShellRegistry = createShellRegistry(),
): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean', default: false } } });
  const list = registry.listShells();
  const text = values.json
    ? `${JSON.stringify(createProcessCapability(registry).list_shells(), null, 2)}\n`
    : formatTable(list.shells.map((shell) => formatRow(shell, shell.id === list.default_shell_id)));
  return new Promise((resolve, reject) => {
    streams.stdout.write(text, (error) => (error ? reject(error) : resolve(0)));
  });
}
