// The shells of this machine, really started: what arrives as command text, and which start-up files are read.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import { createShellRegistry } from '../../lib/shell.ts';
import { makeFolder } from '../helpers/folder.ts';

const registry = createShellRegistry();
const { shells } = registry.listShells();
const SHELLS = ['bash', 'dash', 'zsh', 'ksh', 'mksh', 'busybox', 'fish', 'yash', 'pwsh'];
const present = SHELLS.filter((id) => shells.some((shell) => shell.id === id && shell.available));
const missing = SHELLS.filter((id) => !present.includes(id));
if (missing.length > 0) console.warn(`not installed, so not tested: ${missing.join(', ')}`);

const HOME = makeFolder();
/** File in the home folder to the word that it makes the shell print. */
const STARTUP: Readonly<Record<string, string>> = {
  '.bashrc': 'bashrc',
  '.bash_profile': 'bash_profile',
  '.zshenv': 'zshenv',
  '.zprofile': 'zprofile',
  '.zshrc': 'zshrc',
  '.profile': 'profile',
  '.kshrc': 'kshrc',
  '.mkshrc': 'mkshrc',
  '.yashrc': 'yashrc',
  '.yash_profile': 'yash_profile',
  '.config/fish/config.fish': 'config.fish',
};
mkdirSync(join(HOME, '.config/fish'), { recursive: true });
for (const [name, word] of Object.entries(STARTUP)) writeFileSync(join(HOME, name), `echo read:${word}\n`);
const NAMED = join(HOME, 'named');
writeFileSync(NAMED, 'echo read:named\n');

const ENV = { PATH: process.env['PATH'] ?? '', HOME, LANG: 'C.UTF-8' };

async function start(
  id: string,
  command: string,
  how: { login?: boolean; interactive?: boolean } = {},
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { program, args } = registry.shellInvocation({ shell_id: id, command, ...how });
  const result = await run([program, ...args], {
    env: { ...ENV, ...more },
    cwd: HOME,
    timeout: 30_000,
    stderr: 'ignore',
  });
  expect(result.timedOut).toBe(false);
  return result.stdout;
}

const readFiles = (output: string): string[] => [...output.matchAll(/^read:(.*)$/gm)].map(([, word]) => word ?? '');

test('most of the shells are there', () => {
  if (process.env['CI']) expect(missing.filter((id) => id !== 'pwsh')).toEqual([]);
  expect(present.length).toBeGreaterThan(0);
});

/** What each reads with plain, login and interactive arguments; undefined: differs between versions. */
const READS: Readonly<Record<string, { plain: string[]; login?: string[]; interactive?: string[] }>> = {
  bash: { plain: [], login: ['bash_profile'], interactive: ['bashrc'] },
  dash: { plain: [], login: ['profile'], interactive: [] },
  zsh: { plain: ['zshenv'], login: ['zshenv', 'zprofile'], interactive: ['zshenv', 'zshrc'] },
  ksh: { plain: [], login: ['profile'] },
  mksh: { plain: [], login: ['profile'], interactive: ['mkshrc'] },
  busybox: { plain: [], login: ['profile'] },
  fish: { plain: ['config.fish'], login: ['config.fish'], interactive: ['config.fish'] },
  yash: { plain: [], login: ['yash_profile'], interactive: ['yashrc'] },
};

describe.each(present)('%s', (id) => {
  const tricky = 'a  b\'"\\ $x `c`\n\té*\u{1f600} ; # -c';

  test.each([{}, { login: true }, { interactive: true }, { login: true, interactive: true }])(
    'gets the command text as one argument (%j)',
    async (how) => {
      // Single quotes mean the same to all of them, but for what stands in for a quote and a backslash.
      const text = id === 'fish' ? tricky.replace(/[\\']/g, '\\$&') : tricky.replaceAll("'", "'\\''");
      const output = await start(id, `printf '%s' 'before:${text}:after'`, how);
      expect(output).toContain(`before:${tricky}:after`);
    },
  );

  test('reads the start-up files that are written down for it', async () => {
    const reads = READS[id];
    if (reads === undefined) return; // PowerShell: the flag keeps its profile out
    expect(readFiles(await start(id, ':'))).toEqual(reads.plain);
    if (reads.login) expect(readFiles(await start(id, ':', { login: true }))).toEqual(reads.login);
    if (reads.interactive) expect(readFiles(await start(id, ':', { interactive: true }))).toEqual(reads.interactive);
    // The variables that bash(1) and POSIX sh name: the plain form of bash reads BASH_ENV, and no plain form reads ENV.
    const named = id === 'bash' ? ['named'] : [];
    const variables = { BASH_ENV: NAMED, ENV: NAMED };
    expect(readFiles(await start(id, ':', {}, variables))).toEqual([...named, ...reads.plain]);
    const expected = shells.find((shell) => shell.id === id)?.extensions?.startup_files;
    expect(reads.plain.length > 0 ? 'always' : 'none').toBe(expected);
  });
});
