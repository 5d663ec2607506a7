// The short form of scripts/shell-differential.mjs: random programs in real shells against what the scan says of them.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findFixture } from '../helpers/child.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/shell-differential.mjs', import.meta.url));
const PROGRAMS = 400;

interface Totals {
  readonly programs: number;
  readonly complete: number;
  readonly calls: number;
  readonly unlisted: number;
}

test.for(['bash', 'zsh', 'dash'])(
  'no program that is called complete does in %s what was not listed',
  { timeout: 300_000 },
  async (shell, context) => {
    findFixture('stub');
    if (!existsSync(`/usr/bin/${shell}`) && !existsSync(`/bin/${shell}`)) {
      if (process.env['CI']) throw new Error(`${shell} is not installed`);
      context.skip(`${shell} is not installed`);
    }
    const { stdout } = await promisify(execFile)(process.execPath, [
      SCRIPT,
      `--shell=${shell}`,
      `--count=${PROGRAMS}`,
      '--seed=7',
    ]).catch((error: unknown) => error as { readonly stdout: string });
    const lines = stdout.trim().split('\n');
    const totals = JSON.parse(lines.pop() ?? '{}') as Totals;
    expect(lines).toEqual([]);
    expect(totals.unlisted).toBe(0);
    expect(totals.programs).toBe(PROGRAMS);
    // Enough was really run for the zero to mean something.
    expect(totals.complete).toBeGreaterThan(PROGRAMS / 10);
    expect(totals.calls).toBeGreaterThan(20);
  },
);
