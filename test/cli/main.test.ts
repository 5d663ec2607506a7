// Help, version, doctor.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cli } from './executable.ts';

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect((await cli(['--version'])).stdout.toString()).toBe(`${version}\n`);
});

test('help names every command, and each has a text of its own', async () => {
  const { code, stdout } = await cli(['--help']);
  expect(code).toBe(0);
  const names = [...stdout.toString().matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name ?? '');
  expect(names).toContain('run');
  expect(names).toContain('doctor');
  for (const name of names) {
    const own = await cli([name, '--help']);
    expect(own.code).toBe(0);
    expect(own.stdout.toString()).toMatch(new RegExp(`^Usage: argv-spawn ${name} `));
    expect((await cli(['help', name])).stdout.toString()).toBe(own.stdout.toString());
  }
});

test('a mistyped command gets the nearest name', async () => {
  expect((await cli(['docter'])).stderr).toContain('did you mean doctor?');
});

test('doctor checks this machine by real runs', async () => {
  const { code, stdout } = await cli(['doctor', '--json']);
  expect(code).toBe(0);
  const report = JSON.parse(stdout.toString()) as { checks: { ok: boolean }[]; platform: { engine: string } };
  expect(report.checks.length).toBeGreaterThan(2);
  expect(report.checks.every(({ ok }) => ok)).toBe(true);
  expect(report.platform.engine).toBe('posix_spawn');
  const text = (await cli(['doctor'])).stdout.toString();
  expect(text).toMatch(/^engine +posix_spawn$/m);
  expect(text).not.toContain('FAILED');
});
