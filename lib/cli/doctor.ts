// `argv-spawn doctor`: what this machine offers, and whether starting and ending a program works on it.

import { readFileSync } from 'node:fs';
import { isSpawnError } from '../errors/errors.ts';
import { platform } from '../process/platform.ts';
import { run } from '../process/run.ts';
import { parseOptions } from './arguments.ts';
import { EXIT, print } from './command.ts';
import type { Command } from './command.ts';

const HELP = `Usage: argv-spawn doctor [--json]

Says which engine, protection and limits a call gets on this machine, and starts and ends real programs to see that
they hold. Exit code: 0, or 1 when a check failed.
`;

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

interface Report {
  readonly node: string;
  readonly machine: string;
  readonly platform: Readonly<Record<string, unknown>>;
  /** Soft limits by their name in the kernel; null where the system does not show them in a file. */
  readonly limits: Readonly<Record<string, string>> | null;
  readonly checks: readonly Check[];
}

const LIMITS = ['Max processes', 'Max open files', 'Max stack size', 'Max address space'];

/** From `/proc/self/limits` (proc(5)): name, soft limit, hard limit in columns of fixed width. */
function readLimits(): Record<string, string> | null {
  let text: string;
  try {
    text = readFileSync('/proc/self/limits', 'latin1');
  } catch {
    return null; // only Linux has the file
  }
  const found = text.split('\n').filter((line) => LIMITS.some((name) => line.startsWith(name)));
  return Object.fromEntries(found.map((line) => [line.slice(0, 26).trim(), line.slice(26, 47).trim()]));
}

/** A program that waits for ever; Node is the one program that is certainly there. */
const WAIT = [process.execPath, '-e', 'setInterval(() => {}, 1e6)'] as const;

async function check(name: string, look: () => Promise<string | undefined>): Promise<Check> {
  try {
    const problem = await look();
    return { name, ok: problem === undefined, detail: problem ?? '' };
  } catch (error) {
    return { name, ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

const CHECKS: readonly (readonly [name: string, look: () => Promise<string | undefined>])[] = [
  [
    'arguments and stdin arrive unchanged',
    async () => {
      const script = 'process.stdin.pipe(process.stdout); process.stdout.write(JSON.stringify(process.argv.slice(1)))';
      const args = ['', ' a "b" ', "$(c) 'd'", '*\n'];
      const options = { stdin: 'in', timeout: 60_000 };
      const result = await run([process.execPath, '-e', script, '--', ...args], options);
      return result.stdout === `${JSON.stringify(args)}in` ? undefined : `got ${result.stdout}`;
    },
  ],
  [
    'a timeout ends a program that waits',
    async () => {
      const result = await run(WAIT, { timeout: 200, forceKillAfter: 1000 });
      return result.timedOut && result.leftovers.length === 0 ? undefined : `it ended by ${result.reason}`;
    },
  ],
  [
    'a program that does not exist is an error with a name',
    async () => {
      const missing = await run(['argv-spawn-no-such-program']).then(
        () => 'it was started',
        (error: unknown) => (isSpawnError(error) ? error.code : String(error)),
      );
      return missing === 'ENOENT' ? undefined : missing;
    },
  ],
];

async function makeReport(): Promise<Report> {
  const checks: Check[] = [];
  for (const [name, look] of CHECKS) checks.push(await check(name, look));
  return {
    node: process.version,
    machine: `${process.platform} ${process.arch}`,
    platform: { ...platform },
    limits: readLimits(),
    checks,
  };
}

function formatReport(report: Report): string {
  const rows: readonly (readonly [string, unknown])[] = [
    ['node', report.node],
    ['machine', report.machine],
    ...Object.entries(report.platform),
    ...Object.entries(report.limits ?? { limits: 'not shown by this system' }),
  ];
  const lines = rows.map(([name, value]) => `${name.padEnd(20)} ${String(value)}`);
  const checks = report.checks.map(
    ({ name, ok, detail }) => `${ok ? 'ok    ' : 'FAILED'} ${name}${detail && `: ${detail}`}`,
  );
  return `${[...lines, '', ...checks].join('\n')}\n`;
}

export const DOCTOR: Command = {
  name: 'doctor',
  summary: 'what protects a call on this machine, checked by real runs',
  help: HELP,
  async run(args, { stdout }) {
    const { json } = parseOptions(args, { json: { type: 'boolean' } });
    const report = await makeReport();
    await print(stdout, json === true ? `${JSON.stringify(report)}\n` : formatReport(report));
    return report.checks.every(({ ok }) => ok) ? EXIT.success : EXIT.failure;
  },
};
