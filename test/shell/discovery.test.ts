// What each kind of machine offers, and what can be its default.

import { describe, expect, test } from 'vitest';
import { ShellError, createShellRegistry } from '../../lib/shell.ts';
import type { ShellRegistry, ShellRegistryOptions } from '../../lib/shell.ts';
import { makeHost } from './fake-host.ts';
import type { FakeMachine } from './fake-host.ts';

const open = (machine: FakeMachine, options: ShellRegistryOptions = {}): ShellRegistry =>
  createShellRegistry({ ...options, host: makeHost(machine) });
const list = (registry: ShellRegistry): string[] =>
  registry.listShells().shells.map(({ id, path, source }) => `${id} ${path} ${source}`);
const programs = (...paths: string[]): Record<string, string> => Object.fromEntries(paths.map((path) => [path, 'x']));

describe('Unix', () => {
  test('the order is configured, environment, account, /etc/shells, fixed places', () => {
    const registry = open(
      {
        platform: 'linux',
        env: { SHELL: '/usr/bin/zsh' },
        account: '/bin/dash',
        etcShells: '# shells\n/bin/ash # small\r\n/bin/ash\n\nrelative\n',
        files: programs('/opt/bash', '/usr/bin/zsh', '/bin/dash', '/bin/ash', '/bin/sh', '/usr/bin/fish'),
      },
      { configured: '/opt/bash' },
    );
    expect(list(registry)).toEqual([
      'bash /opt/bash configured',
      'zsh /usr/bin/zsh env',
      'dash /bin/dash login',
      'ash /bin/ash etc_shells',
      'sh /bin/sh fallback',
      'fish /usr/bin/fish fallback',
    ]);
    expect(registry.listShells().default_shell_id).toBe('bash');
  });

  test('a shell that cannot be analysed is listed, is not the default, and is refused as one', () => {
    const registry = open({
      platform: 'linux',
      env: { SHELL: '/usr/bin/fish' },
      files: programs('/usr/bin/fish', '/bin/bash'),
    });
    expect(registry.listShells().shells[0]).toMatchObject({ id: 'fish', available: true, source: 'env' });
    expect(registry.getDefaultShell()?.id).toBe('bash');
    expect(() => registry.setDefaultShell('fish')).toThrow(
      expect.objectContaining({ code: 'ERR_SHELL_UNSUPPORTED', shell_id: 'fish' }) as Error,
    );
    expect(registry.shellInvocation({ shell_id: 'fish', command: 'x' }).program).toBe('/usr/bin/fish');
  });

  test.each([
    ['an account without login', { account: '/usr/sbin/nologin' }],
    ['an account with false', { account: '/bin/false' }],
    ['a relative SHELL', { env: { SHELL: 'bash' } }],
    ['an empty SHELL', { env: { SHELL: '' } }],
  ])('%s adds nothing', (_, machine) => {
    const registry = open({
      platform: 'linux',
      files: programs('/bin/sh', '/bin/false', '/usr/sbin/nologin'),
      ...machine,
    });
    expect(list(registry)).toEqual(['sh /bin/sh fallback']);
  });

  test('the same file under the same name is one shell; another file gets a number', () => {
    const registry = open({
      platform: 'darwin',
      env: { SHELL: '/opt/homebrew/bin/bash' },
      etcShells: '/bin/bash\n/bin/zsh\n',
      files: { ...programs('/opt/homebrew/bin/bash', '/usr/bin/bash', '/bin/zsh'), '/bin/bash': '-> /usr/bin/bash' },
    });
    expect(list(registry)).toEqual([
      'bash /opt/homebrew/bin/bash env',
      'bash-2 /bin/bash etc_shells',
      'zsh /bin/zsh etc_shells',
    ]);
    expect(registry.listShells().shells[1]?.extensions?.real_path).toBe('/usr/bin/bash');
  });

  test('two names of one file are two shells: the name decides how it reads', () => {
    const registry = open({ platform: 'linux', files: { '/bin/dash': 'x', '/bin/sh': '-> /bin/dash' } });
    expect(list(registry)).toEqual(['sh /bin/sh fallback', 'dash /bin/dash fallback']);
  });

  test('a file that may not be executed is not available, and nothing chooses it', () => {
    const registry = open({
      platform: 'linux',
      env: { SHELL: '/bin/bash' },
      account: '/bin/gone',
      files: { '/bin/bash': '-', '/bin/sh': 'x' },
    });
    expect(registry.listShells().shells.map(({ available }) => available)).toEqual([false, false, true]);
    expect(registry.getDefaultShell()?.id).toBe('sh');
    expect(() => registry.setDefaultShell('bash')).toThrow(
      expect.objectContaining({ code: 'ERR_SHELL_UNAVAILABLE' }) as Error,
    );
  });

  test('macOS without a word about shells has zsh as default, Linux bash', () => {
    const files = programs('/bin/zsh', '/bin/bash', '/bin/sh');
    expect(open({ platform: 'darwin', files }).getDefaultShell()?.id).toBe('zsh');
    expect(open({ platform: 'linux', files }).getDefaultShell()?.id).toBe('bash');
  });

  test('a machine without a shell has no default, and says so', () => {
    const registry = open({ platform: 'linux' });
    expect(registry.listShells()).toEqual({ shells: [], default_shell_id: null });
    expect(registry.getDefaultShell()).toBeNull();
    expect(() => registry.shellInvocation({ command: 'x' })).toThrow(
      expect.objectContaining({ code: 'ERR_SHELL_NONE' }) as Error,
    );
  });

  test('a selection is one registry’s own, and survives a refresh', () => {
    const files = programs('/bin/bash', '/bin/zsh');
    const one = open({ platform: 'linux', files });
    const other = open({ platform: 'linux', files });
    expect(one.setDefaultShell('zsh').path).toBe('/bin/zsh');
    one.refresh();
    expect(one.listShells().default_shell_id).toBe('zsh');
    expect(other.listShells().default_shell_id).toBe('bash');
    expect(() => one.setDefaultShell('tcsh')).toThrow(ShellError);
    expect(() => one.setDefaultShell('tcsh')).toThrow(expect.objectContaining({ code: 'ERR_SHELL_UNKNOWN' }) as Error);
    expect(one.listShells().default_shell_id).toBe('zsh');
  });

  test('when the selected shell goes, the default is another; when it comes back, it is the default again', () => {
    const files = programs('/bin/bash', '/bin/zsh');
    const registry = open({ platform: 'linux', files });
    const host = makeHost({ platform: 'linux', files });
    let gone = false;
    const changing = createShellRegistry({
      host: { ...host, isFile: (path) => !(gone && path === '/bin/zsh') && host.isFile(path) },
    });
    changing.setDefaultShell('zsh');
    gone = true;
    changing.refresh();
    expect(changing.getDefaultShell()?.id).toBe('bash');
    gone = false;
    changing.refresh();
    expect(changing.getDefaultShell()?.id).toBe('zsh');
    expect(registry.getDefaultShell()?.id).toBe('bash');
  });
});

describe('Windows', () => {
  const SYSTEM = 'C:\\Windows\\System32';
  const ENV = {
    SystemRoot: 'C:\\Windows',
    ProgramFiles: 'C:\\Program Files',
    'ProgramFiles(x86)': 'C:\\Program Files (x86)',
    LocalAppData: 'C:\\Users\\u\\AppData\\Local',
    USERPROFILE: 'C:\\Users\\u',
    COMSPEC: `${SYSTEM}\\cmd.exe`,
    HOMEDRIVE: 'C:',
    Path: 'C:\\Program Files\\Git\\cmd;relative',
  };
  const STORE = 'C:\\Users\\u\\AppData\\Local\\Microsoft\\WindowsApps';

  test('every kind of PowerShell, then Windows PowerShell, cmd, the bashes, and the Linux distributions', () => {
    const registry = open({
      platform: 'win32',
      env: ENV,
      wsl: Buffer.from('Ubuntu-22.04\r\ndocker-desktop\r\nDebian\r\n', 'utf16le'),
      files: programs(
        'C:\\Program Files\\PowerShell\\7\\pwsh.exe',
        'C:\\Program Files\\PowerShell\\10\\pwsh.exe',
        'C:\\Program Files\\PowerShell\\8-preview\\pwsh.exe',
        'C:\\Program Files (x86)\\PowerShell\\7\\pwsh.exe',
        `${STORE}\\Microsoft.PowerShell_8wekyb3d8bbwe\\pwsh.exe`,
        'C:\\Users\\u\\.dotnet\\tools\\pwsh.exe',
        `${SYSTEM}\\WindowsPowerShell\\v1.0\\powershell.exe`,
        `${SYSTEM}\\cmd.exe`,
        `${SYSTEM}\\wsl.exe`,
        'C:\\Program Files\\Git\\cmd\\git.exe',
        'C:\\Program Files\\Git\\bin\\bash.exe',
        'C:\\msys64\\usr\\bin\\bash.exe',
        'C:\\cygwin64\\bin\\bash.exe',
      ),
    });
    expect(list(registry)).toEqual([
      'pwsh C:\\Program Files\\PowerShell\\10\\pwsh.exe host',
      'pwsh-2 C:\\Program Files\\PowerShell\\7\\pwsh.exe host',
      'pwsh-3 C:\\Program Files (x86)\\PowerShell\\7\\pwsh.exe host',
      `pwsh-4 ${STORE}\\Microsoft.PowerShell_8wekyb3d8bbwe\\pwsh.exe host`,
      'pwsh-5 C:\\Users\\u\\.dotnet\\tools\\pwsh.exe host',
      'pwsh-6 C:\\Program Files\\PowerShell\\8-preview\\pwsh.exe host',
      `powershell ${SYSTEM}\\WindowsPowerShell\\v1.0\\powershell.exe host`,
      `cmd ${SYSTEM}\\cmd.exe env`,
      'bash C:\\Program Files\\Git\\bin\\bash.exe fallback',
      'bash-2 C:\\msys64\\usr\\bin\\bash.exe fallback',
      'bash-3 C:\\cygwin64\\bin\\bash.exe fallback',
      `wsl-ubuntu-22.04 ${SYSTEM}\\wsl.exe host`,
      `wsl-debian ${SYSTEM}\\wsl.exe host`,
    ]);
    expect(registry.getDefaultShell()?.id).toBe('pwsh');
    const { shells } = registry.listShells();
    expect(shells.filter((shell) => shell.extensions?.untrusted_location).map(({ id }) => id)).toEqual([
      'bash-2',
      'bash-3',
    ]);
    expect(() => registry.setDefaultShell('bash-2')).toThrow(/any user may create/);
    expect(shells.at(-1)).toMatchObject({ platform: 'linux', default_args: ['-d', 'Debian', '--', 'sh', '-c'] });
    expect(() => registry.setDefaultShell('wsl-debian')).toThrow(/cannot be analysed/);
  });

  test('PowerShell only from the Store is found', () => {
    const path = `${STORE}\\Microsoft.PowerShell_8wekyb3d8bbwe\\pwsh.exe`;
    expect(open({ platform: 'win32', env: ENV, files: programs(path) }).getDefaultShell()?.path).toBe(path);
  });

  test('COMSPEC may be another interpreter', () => {
    const path = `${SYSTEM}\\WindowsPowerShell\\v1.0\\powershell.exe`;
    const registry = open({ platform: 'win32', env: { COMSPEC: path }, files: programs(path) });
    expect(list(registry)).toEqual([`powershell ${path} env`]);
  });

  test('a 32-bit process looks through Sysnative', () => {
    const path = 'C:\\Windows\\Sysnative\\WindowsPowerShell\\v1.0\\powershell.exe';
    const env = { SystemRoot: 'C:\\Windows', PROCESSOR_ARCHITEW6432: 'AMD64' };
    expect(open({ platform: 'win32', env, files: programs(path) }).getDefaultShell()?.path).toBe(path);
  });

  test('no search in the current folder, and none in relative ones of PATH', () => {
    const registry = open({
      platform: 'win32',
      env: { Path: '.;bin;;C:\\x' },
      files: programs('.\\pwsh.exe', 'bin\\pwsh.exe', 'C:\\x\\pwsh.exe'),
    });
    expect(list(registry)).toEqual(['pwsh C:\\x\\pwsh.exe host']);
  });

  test('with only cmd and bash at a drive’s root, the default is cmd', () => {
    const registry = open({
      platform: 'win32',
      env: ENV,
      files: programs('C:\\msys64\\usr\\bin\\bash.exe', `${SYSTEM}\\cmd.exe`),
    });
    expect(registry.getDefaultShell()?.id).toBe('cmd');
  });

  test('wsl.exe is not asked when that is turned off', () => {
    const host = makeHost({ platform: 'win32', env: ENV, files: programs(`${SYSTEM}\\wsl.exe`) });
    let asked = 0;
    const count = { ...host, wslList: () => (asked++, null) };
    createShellRegistry({ host: count, wsl: false }).listShells();
    expect(asked).toBe(0);
    createShellRegistry({ host: count }).listShells();
    expect(asked).toBe(1);
  });
});

describe('invocation', () => {
  const unix = open({ platform: 'linux', files: programs('/bin/zsh', '/bin/bash', '/bin/sh', '/bin/busybox') });
  const windows = open({
    platform: 'win32',
    env: { SystemRoot: 'C:\\W', ProgramFiles: 'C:\\P' },
    files: programs('C:\\P\\PowerShell\\7\\pwsh.exe', 'C:\\W\\System32\\cmd.exe'),
  });

  test.each([
    [unix, { shell_id: 'bash' }, ['-c', 'x']],
    [unix, { shell_id: 'bash', login: true }, ['-l', '-c', 'x']],
    [unix, { shell_id: 'zsh', login: true, interactive: true }, ['-i', '-l', '-c', 'x']],
    [unix, { shell_id: 'sh', interactive: true }, ['-i', '-c', 'x']],
    [unix, { shell_id: 'busybox', interactive: true }, ['sh', '-i', '-c', 'x']],
    [
      windows,
      { shell_id: 'pwsh', login: true, interactive: true },
      ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', 'x'],
    ],
    [windows, { shell_id: 'cmd', login: true }, ['/d', '/s', '/c', 'x']],
  ])('%# %j', (registry, request, args) => {
    const invocation = registry.shellInvocation({ ...request, command: 'x' });
    expect(invocation.args).toEqual(args);
    expect(invocation.args[invocation.command_arg_index]).toBe('x');
    expect(invocation.shell.id).toBe(request.shell_id);
  });

  test('without a shell it is the selected one; without a command, a placeholder', () => {
    expect(unix.shellInvocation()).toMatchObject({
      program: '/bin/bash',
      args: ['-c', '{command}'],
      command_arg_index: 1,
    });
  });

  test('a shell object may be partial, and wins over an id', () => {
    expect(unix.shellInvocation({ shell: { id: 'zsh' }, shell_id: 'bash' }).program).toBe('/bin/zsh');
    expect(unix.shellInvocation({ shell: { path: '/bin/bash' } }).shell.id).toBe('bash');
    expect(unix.shellInvocation({ shell: { path: '/opt/zsh' }, login: true, command: 'c' }).args).toEqual([
      '-l',
      '-c',
      'c',
    ]);
    expect(unix.shellInvocation({ shell: { id: 'sh', default_args: ['-e', '-c'] }, command: 'c' }).args).toEqual([
      '-e',
      '-c',
      'c',
    ]);
    expect(() => unix.shellInvocation({ shell: {} })).toThrow(TypeError);
    expect(() => unix.shellInvocation({ shell_id: 'none' })).toThrow(ShellError);
  });

  test('the plain profile has the bare flags', () => {
    const registry = createShellRegistry({
      argsProfile: 'plain',
      host: makeHost({ platform: 'win32', env: { SystemRoot: 'C:\\W' }, files: programs('C:\\W\\System32\\cmd.exe') }),
    });
    expect(registry.shellInvocation({ command: 'x' }).args).toEqual(['/C', 'x']);
  });
});
