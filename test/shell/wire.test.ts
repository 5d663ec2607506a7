// What goes over the wire fits the published schemas, on every kind of machine.

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { createProcessCapability, createShellRegistry, processCapability, scan } from '../../lib/shell.ts';
import type { ProcessCapability } from '../../lib/shell.ts';
import { makeHost } from './fake-host.ts';

const readSchema = (name: string): object =>
  JSON.parse(readFileSync(new URL(`../../lib/shell/${name}`, import.meta.url), 'utf8')) as object;

const ajv = new Ajv2020({
  allErrors: true,
  strict: true,
  allowUnionTypes: true,
  strictRequired: false,
  strictTypes: false,
});
ajv.addSchema(readSchema('host-shell-discovery.schema.json'));
ajv.addSchema(readSchema('command-scan.schema.json'));

function expectValid(reference: string, value: unknown): void {
  const validate = ajv.getSchema(reference);
  if (validate === undefined) throw new Error(`no schema ${reference}`);
  // As a reader gets it.
  const valid = validate(JSON.parse(JSON.stringify(value)));
  expect(validate.errors ?? [], JSON.stringify(value)).toEqual([]);
  expect(valid).toBe(true);
}

const message = (name: string): string => `host-shell-discovery.schema.json#/$defs/${name}`;

const MACHINES: Readonly<Record<string, ProcessCapability>> = {
  'this machine': processCapability,
  Windows: createProcessCapability(
    createShellRegistry({
      host: makeHost({ platform: 'win32', env: { SystemRoot: 'C:\\W' }, files: { 'C:\\W\\System32\\cmd.exe': 'x' } }),
    }),
  ),
  'a machine with nothing': createProcessCapability(createShellRegistry({ host: makeHost({ platform: 'linux' }) })),
};

describe.each(Object.entries(MACHINES))('%s', (name, capability) => {
  test('lists and names a default in the published form', () => {
    const listed = capability.list_shells();
    expectValid(message('list_shells_result'), listed);
    expectValid(message('get_default_shell_result'), capability.get_default_shell());
    expect(listed.shells.length > 0).toBe(name !== 'a machine with nothing');
    expect(capability.get_default_shell()?.id ?? null).toBe(listed.default_shell_id);
  });

  test('selects and invokes in the published form', () => {
    const id = capability.list_shells().default_shell_id;
    if (id === null) {
      expect(() => capability.set_default_shell({ shell_id: 'sh' })).toThrow(/no shell 'sh'/);
      return;
    }
    expectValid(message('set_default_shell_result'), capability.set_default_shell({ shell_id: id }));
    expectValid(message('set_default_shell_result'), capability.set_default_shell({ id }));
    const request = { shell_id: id, command: 'echo hi', login: true };
    expectValid(message('shell_invocation_request'), request);
    expectValid(message('shell_invocation_result'), capability.shell_invocation(request));
  });
});

test('a request without an id is refused', () => {
  expect(() => processCapability.set_default_shell({})).toThrow(TypeError);
});

test('the schema refuses what it does not know', () => {
  const validate = ajv.getSchema(message('list_shells_result'));
  const [shell] = processCapability.list_shells().shells;
  expect(validate?.({ shells: [{ ...shell, extra: 1 }], default_shell_id: null })).toBe(false);
  expect(validate?.({ shells: [{ ...shell, source: 'guess' }], default_shell_id: null })).toBe(false);
});

interface Vector {
  readonly shell?: string;
  readonly mode?: string;
  readonly command?: string;
  readonly argv?: readonly unknown[];
}

test('every scan of the vectors fits the schema', () => {
  const rows = ['scan', 'scan-bypasses'].flatMap(
    (name) =>
      JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')) as readonly Vector[],
  );
  expect(rows.length).toBeGreaterThan(250);
  for (const { shell, mode, command, argv } of rows) {
    const result = scan({ mode: mode ?? (argv ? 'argv' : 'shell'), shell, command, argv });
    expectValid('command-scan.schema.json', result);
    for (const stage of result.execution_stages) expect(stage.dynamic.length).toBe(stage.argv.length);
  }
});
