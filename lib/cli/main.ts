#!/usr/bin/env node
// The executable: finds the command, hands over the rest, turns the outcome into an exit code.

import { readFileSync } from 'node:fs';
import { findNearestName } from '../util/nearest-name.ts';
import { EXIT, print, UsageError } from './command.ts';
import type { Command, Streams } from './command.ts';
import { DOCTOR } from './doctor.ts';
import { EXEC } from './exec.ts';
import { MCP } from './mcp.ts';
import { RUN } from './run.ts';
import { SCAN } from './scan.ts';
import { SHELLS } from './shells.ts';

const COMMANDS: readonly Command[] = [RUN, EXEC, MCP, SHELLS, SCAN, DOCTOR];

function formatHelp(): string {
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}`);
  return `Usage: argv-spawn <command> [options]\n\n${lines.join('\n')}\n\nargv-spawn <command> --help says more.\n`;
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return String((manifest as { version?: unknown }).version);
}

function findCommand(name: string): Command {
  const found = COMMANDS.find((command) => command.name === name);
  if (found) return found;
  const names = COMMANDS.map((command) => command.name);
  const nearest = findNearestName(name, names);
  throw new UsageError(
    `there is no command '${name}'; ${nearest ? `did you mean ${nearest}?` : `known are ${names.join(', ')}`}`,
  );
}

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h';

async function main(args: readonly string[], streams: Streams): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--version') {
    await print(streams.stdout, `${readVersion()}\n`);
    return EXIT.success;
  }
  if (name === undefined || name === 'help' || isHelp(name)) {
    const [topic] = rest;
    await print(
      name === undefined ? streams.stderr : streams.stdout,
      topic === undefined ? formatHelp() : findCommand(topic).help,
    );
    return name === undefined ? EXIT.usage : EXIT.success;
  }
  const command = findCommand(name);
  if (isHelp(rest[0])) {
    await print(streams.stdout, command.help);
    return EXIT.success;
  }
  return command.run(rest, streams);
}

void main(process.argv.slice(2), process)
  .catch(async (error: unknown) => {
    const usage = error instanceof UsageError;
    const message = usage ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
    const hint = usage ? '\nargv-spawn --help lists the commands.' : '';
    await print(process.stderr, `argv-spawn: ${message}${hint}\n`);
    return EXIT.usage;
  })
  .then((code) => {
    process.exitCode = code;
  });
