// Where shells are looked for on Windows: PowerShell of every kind of installation, Windows PowerShell, the command
// interpreter, then bash of Git, MSYS2 and Cygwin, then the distributions of the Subsystem for Linux.
//
// Folders come from the environment's variables for them; the current folder is never one of them.

import type { Candidate } from './candidate.ts';
import type { ShellHost } from './host.ts';

const join = (...parts: readonly string[]): string => parts.join('\\').replace(/\\{2,}(?!$)/g, '\\');

/** Windows names of variables have no case. */
function readVariable(host: ShellHost, name: string): string | undefined {
  const exact = host.env[name];
  if (exact !== undefined) return exact === '' ? undefined : exact;
  const upper = name.toUpperCase();
  const found = Object.keys(host.env).find((key) => key.toUpperCase() === upper);
  return found === undefined ? undefined : host.env[found] || undefined;
}

const isAbsolute = (path: string): boolean => /^[A-Za-z]:[\\/]/.test(path);

function findOnPath(host: ShellHost, file: string): string[] {
  return (readVariable(host, 'PATH') ?? '')
    .split(';')
    .map((folder) => folder.replace(/^"(.*)"$/, '$1'))
    .filter(isAbsolute)
    .map((folder) => join(folder.replace(/\\$/, ''), file))
    .filter((path) => host.isFile(path));
}

/** Folders like `7`, `7-preview`, `10`, highest number first. */
function listVersions(host: ShellHost, folder: string, suffix: '' | '-preview'): string[] {
  const pattern = suffix === '' ? /^\d+$/ : /^\d+-preview$/;
  return host
    .readdir(folder)
    .filter((name) => pattern.test(name))
    .sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10))
    .map((name) => join(folder, name, 'pwsh.exe'));
}

/** about_PowerShell installation kinds: MSI, other bitness, Store, .NET tool; each released before its preview. */
function listPowerShells(host: ShellHost): Candidate[] {
  const programs = ['ProgramW6432', 'ProgramFiles', 'ProgramFiles(x86)']
    .map((name) => readVariable(host, name))
    .filter((folder) => folder !== undefined)
    .map((folder) => join(folder, 'PowerShell'));
  const apps = readVariable(host, 'LOCALAPPDATA');
  const store = (prefix: string): string[] => {
    if (apps === undefined) return [];
    const folder = join(apps, 'Microsoft', 'WindowsApps');
    const names = host.readdir(folder).filter((name) => name.startsWith(prefix));
    return names.map((name) => join(folder, name, 'pwsh.exe'));
  };
  const home = readVariable(host, 'USERPROFILE');
  const released = [
    ...programs.flatMap((folder) => listVersions(host, folder, '')),
    ...store('Microsoft.PowerShell_'),
    ...(home === undefined ? [] : [join(home, '.dotnet', 'tools', 'pwsh.exe')]),
  ];
  const previews = [
    ...programs.flatMap((folder) => listVersions(host, folder, '-preview')),
    ...store('Microsoft.PowerShellPreview_'),
  ];
  const entry = (path: string, label?: string): Candidate => ({
    path,
    source: 'host',
    ...(label === undefined ? {} : { label }),
  });
  return [
    ...released.map((path) => entry(path)),
    ...findOnPath(host, 'pwsh.exe').map((path) => entry(path)),
    ...previews.map((path) => entry(path, 'PowerShell 7 (preview)')),
  ].filter(({ path }) => host.isFile(path));
}

/** A 32-bit process on 64-bit Windows is shown SysWOW64 as System32; Sysnative is the true one. */
function findSystemFolder(host: ShellHost): string | undefined {
  const root = readVariable(host, 'SystemRoot') ?? readVariable(host, 'windir');
  if (root === undefined) return undefined;
  return join(root, readVariable(host, 'PROCESSOR_ARCHITEW6432') === undefined ? 'System32' : 'Sysnative');
}

function listBashes(host: ShellHost): Candidate[] {
  const gitFolders = findOnPath(host, 'git.exe').map((path) => path.split('\\').slice(0, -2).join('\\'));
  const local = readVariable(host, 'LOCALAPPDATA');
  const home = readVariable(host, 'USERPROFILE');
  const roots = ['ProgramW6432', 'ProgramFiles', 'ProgramFiles(x86)'].map((name) => readVariable(host, name));
  const folders = [
    ...gitFolders,
    ...[...roots, local === undefined ? undefined : join(local, 'Programs')]
      .filter((folder) => folder !== undefined)
      .map((folder) => join(folder, 'Git')),
    ...(home === undefined
      ? []
      : ['git', 'git-with-openssh'].map((name) => join(home, 'scoop', 'apps', name, 'current'))),
  ];
  const git = folders
    .flatMap((folder) => [join(folder, 'bin', 'bash.exe'), join(folder, 'usr', 'bin', 'bash.exe')])
    .map((path): Candidate => ({ path, source: 'fallback', label: 'Git Bash' }));
  const drive = readVariable(host, 'HOMEDRIVE');
  const guesses: [path: string, label: string][] =
    drive === undefined
      ? []
      : [
          [join(drive, 'msys64', 'usr', 'bin', 'bash.exe'), 'MSYS2'],
          [join(drive, 'cygwin64', 'bin', 'bash.exe'), 'Cygwin'],
          [join(drive, 'cygwin', 'bin', 'bash.exe'), 'Cygwin'],
        ];
  const atRoot = guesses.map(([path, label]): Candidate => ({ path, source: 'fallback', label, untrusted: true }));
  return [...git, ...atRoot].filter(({ path }) => host.isFile(path));
}

/** `wsl.exe -l -q` prints UTF-16LE, one name a line; Docker's own distributions are not for users. */
export function parseWslList(bytes: Uint8Array): string[] {
  return new TextDecoder('utf-16le')
    .decode(bytes)
    .split(/\r?\n/)
    .map((line) => line.replaceAll('\0', '').trim())
    .filter((name) => name !== '' && !name.startsWith('docker-desktop'));
}

function listWsl(host: ShellHost, system: string): Candidate[] {
  const program = join(system, 'wsl.exe');
  if (!host.isFile(program)) return [];
  const bytes = host.wslList(program);
  if (bytes === null) return [];
  return parseWslList(bytes).map((name) => ({ path: program, source: 'host', label: `WSL: ${name}`, wsl: name }));
}

export function listWindowsCandidates(host: ShellHost, options: { readonly wsl: boolean }): Candidate[] {
  const system = findSystemFolder(host);
  const found: Candidate[] = [];
  const shell = readVariable(host, 'SHELL');
  // Git Bash sets SHELL to a path of its own file system, which Windows cannot open; only a Windows path counts.
  if (shell !== undefined && isAbsolute(shell)) found.push({ path: shell, source: 'env' });
  found.push(...listPowerShells(host));
  if (system !== undefined) {
    found.push({ path: join(system, 'WindowsPowerShell', 'v1.0', 'powershell.exe'), source: 'host' });
  }
  const comspec = readVariable(host, 'COMSPEC');
  if (comspec !== undefined && isAbsolute(comspec)) found.push({ path: comspec, source: 'env' });
  if (system !== undefined) found.push({ path: join(system, 'cmd.exe'), source: 'host' });
  found.push(...listBashes(host));
  if (options.wsl && system !== undefined) found.push(...listWsl(host, system));
  return found;
}
