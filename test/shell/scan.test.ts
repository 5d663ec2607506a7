// What holds for every scan: it answers, the answer cannot be changed, and it is bound to its request.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assertSameRequest, scan } from '../../lib/shell.ts';
import type { CommandScan, ScanRequest } from '../../lib/shell.ts';

const scanBash = (command: string, more: Partial<ScanRequest> = {}): CommandScan =>
  scan({ mode: 'shell', shell: 'bash', command, ...more });
const codes = (result: CommandScan): string[] => result.details.map(({ code }) => code);

test.each([
  [{ shell: 'bash', command: 'ls' }, null],
  [{ shell: '/usr/bin/zsh', command: 'ls' }, null],
  [{ shell: { id: 'bash-2', path: '/opt/homebrew/bin/bash' }, command: 'ls' }, null],
  [{ argv: ['ls'], command: 'rm x', shell: 'fish' }, null],
  [{ command: 'ls' }, 'shell_resolution_failed'],
  [{ command: 'ls', shell: 'bash', shell_resolution_error: true }, 'shell_resolution_failed'],
  [{ command: 'ls', shell: {} }, 'shell_resolution_failed'],
  [{ command: 'ls', shell: 'fish' }, 'shell_dialect_unknown'],
  [{ command: 'ls', shell: { id: 'bash', path: '/usr/bin/fish' } }, 'shell_dialect_unknown'],
  [{ command: 'ls', shell: { id: 'bash', available: false } }, 'shell_not_available'],
  [{ mode: 'batch', command: 'ls', shell: 'bash' }, 'execution_mode_unknown'],
  [{ mode: 'argv', command: 'ls' }, 'argv_missing_or_invalid'],
  [{ mode: 'shell', argv: ['ls'], shell: 'bash' }, 'dynamic_or_invalid_execution_syntax'],
  [{ command: 7, shell: 'bash' }, 'dynamic_or_invalid_execution_syntax'],
  [{ command: 'ls', shell: 'bash', interactive: true }, 'dynamic_or_invalid_execution_syntax'],
  [{}, 'shell_resolution_failed'],
] as [ScanRequest, string | null][])('%j is unresolved because of %s', (request, reason) => {
  const { execution_semantics: semantics, shell_io_complete, risk_labels } = scan(request);
  expect(semantics.unresolved_reason).toBe(reason);
  expect(semantics.resolved).toBe(reason === null);
  expect(shell_io_complete).toBe(reason === null);
  const unknown = reason === 'shell_dialect_unknown' ? ['shell_dialect_unknown'] : [];
  expect(risk_labels).toEqual(reason === null ? [] : ['execution_semantics_unresolved', ...unknown]);
});

test('the mode decides which field counts, and the other is not looked at', () => {
  expect(scan({ mode: 'shell', argv: ['rm', 'x'], command: 'ls', shell: 'bash' }).execution_stages[0]?.argv).toEqual([
    'ls',
  ]);
  expect(scan({ argv: ['ls'], command: 'rm x', shell: 'bash' }).execution_stages[0]?.argv).toEqual(['ls']);
});

test.each([
  null,
  undefined,
  7,
  'ls',
  [],
  { argv: {} },
  { argv: [{}] },
  { command: {}, shell: 7 },
  { shell: { id: 7 } },
])('a request %j that makes no sense is answered', (request) => {
  expect(scan(request as never).execution_semantics.resolved).toBe(false);
});

test('any text is answered, the same way twice', () => {
  const pieces = fc.constantFrom(
    '$(',
    ')',
    '"',
    "'",
    '`',
    '\\',
    '\n',
    '{',
    '}',
    ' ',
    ';',
    '&',
    '|',
    '<',
    '>',
    '#',
    'if ',
    'a',
    '=',
    '[',
    ']',
    '*',
    '${',
    '<<E',
    '((',
    'x',
    '\u00e9',
    '\ud800',
    '\0',
  );
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 30 }),
      fc.constantFrom('bash', 'zsh', 'sh', 'pwsh', 'cmd'),
      (parts, shell) => {
        const request = { mode: 'shell', shell, command: parts.join('') };
        const result = scan(request);
        expect(scan(request)).toEqual(result);
        if (result.shell_io_complete) expect(result.execution_semantics.resolved).toBe(true);
      },
    ),
    { numRuns: 3000 },
  );
});

test('the result is frozen to the bottom', () => {
  const result = scanBash("sudo sh -c 'ls > x'");
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    expect(Object.isFrozen(value)).toBe(true);
    Object.values(value).forEach(visit);
  };
  visit(result);
  expect(() => (result.execution_stages as unknown[]).push(1)).toThrow(TypeError);
});

describe('the digest', () => {
  const request: ScanRequest = {
    mode: 'shell',
    command: 'ls -l',
    shell: { id: 'bash', path: '/bin/bash', default_args: ['-c'] },
    env: { A: '1', B: '2' },
    cwd: '/tmp',
  };
  const result = scan(request);

  test('holds for the same request', () => {
    expect(() => assertSameRequest(result, { ...request, env: { B: '2', A: '1' } })).not.toThrow();
  });

  test.each([
    { ...request, command: 'ls -L' },
    { ...request, shell: { id: 'bash', path: '/tmp/bash', default_args: ['-c'] } },
    { ...request, shell: { id: 'bash', path: '/bin/bash', default_args: ['-x', '-c'] } },
    { ...request, env: { A: '1', B: '2', BASH_ENV: '/tmp/f' } },
    { ...request, env: undefined },
    { ...request, cwd: '/' },
    { ...request, login: true },
    { ...request, mode: 'argv', argv: ['ls', '-l'] },
  ])('refuses another: %j', (other) => {
    expect(() => assertSameRequest(result, other)).toThrow(
      expect.objectContaining({ code: 'ERR_SCAN_MISMATCH' }) as Error,
    );
  });

  test.each(['x', '\ud800'])('of long text sees its last character (%j)', (last) => {
    const long = 'a'.repeat(1 << 20);
    const one = scan({ ...request, command: `${long}${last}` });
    expect(() => assertSameRequest(one, { ...request, command: `${long}${last}` })).not.toThrow();
    expect(() => assertSameRequest(one, { ...request, command: `${long}\ufffd` })).toThrow(/not the one/);
  });

  test('of argv tells arguments apart', () => {
    const one = scan({ argv: ['ls', 'a b'] });
    expect(() => assertSameRequest(one, { argv: ['ls', 'a', 'b'] })).toThrow(/not the one/);
  });
});

describe('the environment', () => {
  test.each(['BASH_ENV', 'ENV', 'ZDOTDIR', 'SHELLOPTS', 'BASHOPTS', 'PS4', 'BASH_FUNC_ls%%'])(
    '%s leaves a shell command incomplete, unless the caller trusts it',
    (name) => {
      const env = { PATH: '/bin', [name]: '() { rm x; }' };
      const result = scanBash('ls', { env });
      expect(result.execution_semantics.resolved).toBe(true);
      expect(result.shell_io_complete).toBe(false);
      expect(codes(result)).toEqual(['environment_may_redefine']);
      expect(scanBash('ls', { env, startup: 'trusted' }).shell_io_complete).toBe(true);
      expect(scan({ argv: ['ls'], env }).shell_io_complete).toBe(true);
    },
  );
});

/** What a scan costs this process, whatever else the machine does. */
function measureCpu(look: () => void): number {
  const before = process.cpuUsage();
  look();
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1000;
}

describe('hostile sizes', () => {
  const repeat = (open: string, close = '', n = 5000): string => open.repeat(n) + 'ls' + close.repeat(n);
  const NESTED: Readonly<Record<string, string>> = {
    substitutions: repeat('$(', ')'),
    'quoted substitutions': repeat('"$(', ')"'),
    subshells: repeat('(', ')'),
    groups: repeat('{ ', '; }'),
    arithmetic: repeat('$((', '))'),
    expansions: repeat('${x:-', '}'),
    'process substitutions': repeat('<(', ')'),
    conditions: repeat('if ', '; then :; fi'),
    cases: repeat('case x in a) ', ';; esac'),
    brackets: repeat('$[', ']'),
    'a megabyte in one word': 'a'.repeat(1 << 20),
    '50,000 statements': 'ls;'.repeat(50_000),
    '5,000 here-documents': 'cat <<E\nx\nE\n'.repeat(5000),
    'megabytes of a here-document': `cat <<E\n${'x $(a)\n'.repeat(400_000)}E\n`,
    'a long sum': `echo $((${'1+'.repeat(5000)}1))`,
    payloads: Array.from({ length: 12 }).reduce<string>((inner) => `bash -c ${JSON.stringify(inner)}`, 'ls'),
    'carriers in carriers': `${'find . -exec '.repeat(2000)}ls \\;`,
  };

  test.each(Object.entries(NESTED))('%s: unresolved, within 50 ms of processor time', (_, command) => {
    scanBash('ls; echo "$(ls)" > x');
    let result: CommandScan | undefined;
    // The best of three: the first may be compiled, and another may be interrupted by a collection.
    const costs = [1, 2, 3].map(() => measureCpu(() => (result = scanBash(command))));
    expect(result?.execution_semantics.resolved).toBe(false);
    expect(result?.shell_io_complete).toBe(false);
    expect(Math.min(...costs)).toBeLessThan(50);
  });

  test('past a limit the beginning is still read, for what must be denied', () => {
    const result = scanBash(`rm -rf x\n${'ls\n'.repeat(50_000)}`);
    expect(codes(result)).toContain('limit_reached');
    expect(result.execution_stages[0]?.argv).toEqual(['rm', '-rf', 'x']);
  });
});
