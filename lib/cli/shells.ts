// `argv-spawn shells`: the shells of this machine, as a table or in the wire form.

import type { ShellRegistry } from '../shell/registry.ts';
import type { Shell } from '../shell/types.ts';
import { parseOptions } from './arguments.ts';
import { EXIT, print } from './command.ts';
import type { Command, Streams } from './command.ts';

const HELP = `Usage: argv-spawn shells [--json]

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

/** @throws UsageError for an argument it does not know. @returns the exit code. */
export async function runShells(args: readonly string[], streams: Streams, registry?: ShellRegistry): Promise<number> {
  const [{ createProcessCapability }, { createShellRegistry }] = await Promise.all([
    import('../shell/capability.ts'),
    import('../shell/registry.ts'),
  ]);
  const { json } = parseOptions(args, { json: { type: 'boolean', default: false } });
  const catalog = registry ?? createShellRegistry();
  const { shells, default_shell_id } = catalog.listShells();
  const text = json
    ? `${JSON.stringify(createProcessCapability(catalog).list_shells(), null, 2)}\n`
    : formatTable(shells.map((shell) => formatRow(shell, shell.id === default_shell_id)));
  await print(streams.stdout, text);
  return EXIT.success;
}

export const SHELLS: Command = {
  name: 'shells',
  summary: 'list the shells of this machine',
  help: HELP,
  run: (args, streams) => runShells(args, streams),
};
