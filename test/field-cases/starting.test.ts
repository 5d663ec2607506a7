// Field cases about length limits and about finding and starting the program: F-08 to F-11, F-48 to F-55.

import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SpawnError, run, runSync, resolveProgram, spawn } from '../../lib/index.ts';
import type { Argv, RunOptions } from '../../lib/index.ts';
import { child, fromHexLines, readArgs } from '../helpers/child.ts';
import { makeFolder, writeProgram } from '../helpers/folder.ts';
import { PACKAGE, runHost } from '../helpers/host.ts';

const folder = makeFolder();

/** The error of a start, which must be the same through every function. */
async function failureOf(argv: Argv, options: RunOptions = {}): Promise<SpawnError> {
  const errors = [
    await run(argv, options).then(
      () => undefined,
      (error: unknown) => error,
    ),
    await spawn(argv, options).exited.then(
      () => undefined,
      (error: unknown) => error,
    ),
    ((): unknown => {
      try {
        return runSync(argv, options);
      } catch (error) {
        return error;
      }
    })(),
  ];
  const [first] = errors;
  for (const error of errors) {
    expect(error).toBeInstanceOf(SpawnError);
    expect((error as SpawnError).message).toBe((first as SpawnError).message);
  }
  return first as SpawnError;
}

describe('F-10: one argument that is too long', () => {
  test('names its index, size and limit, and what has no limit', async () => {
    const error = await failureOf(['/bin/true', 'a', 'x'.repeat(146_000)]);
    expect(error).toMatchObject({
      code: 'E2BIG',
      stage: 'limits',
      subject: 'argv',
      index: 2,
      size: 146_000,
      limit: 131_071,
    });
    expect(error.message).toContain('argument 2 has 146,000 bytes, the limit is 131,071; stdin has no such limit');
  });

  test('is refused at the first byte too many', async () => {
    expect((await run(['/bin/true', 'x'.repeat(131_071)])).ok).toBe(true);
    expect((await failureOf(['/bin/true', 'x'.repeat(131_072)])).size).toBe(131_072);
  });

  test('an environment variable is named', async () => {
    const error = await failureOf(['/bin/true'], { env: { SMALL: '1', HUGE: 'x'.repeat(140_000) } });
    expect(error).toMatchObject({ code: 'E2BIG', subject: 'env', detail: 'HUGE' });
  });
});

describe('F-11: arguments and environment together', () => {
  test.each<[string, Argv, RunOptions]>([
    ['many arguments', ['/bin/true', ...Array<string>(60_000).fill('y'.repeat(140))], {}],
    [
      'a fat environment',
      ['/bin/true', ...Array<string>(10).fill('a')],
      { env: Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`V${i}`, 'z'.repeat(10_240)])) },
    ],
  ])('%s: the error has both totals', async (_name, argv, options) => {
    const error = await failureOf(argv, options);
    expect(error).toMatchObject({ code: 'E2BIG', stage: 'limits', subject: 'total', index: null });
    expect(error.detail).toMatch(/^argv \d+, env \d+, pointers \d+$/);
    expect(error.size).toBeGreaterThan(error.limit ?? Infinity);
  });

  test('what the kernel takes is not refused', async () => {
    const args = Array<string>(8000).fill('y'.repeat(100));
    expect(readArgs((await run(child('args', ...args))).stdout)).toHaveLength(8000);
  });
});

describe('F-48: a missing working directory', () => {
  test('is named, with the part that is missing', async () => {
    const error = await failureOf(['/bin/echo', 'x'], { cwd: join(folder, 'no', 'such') });
    expect(error).toMatchObject({
      code: 'ENOENT',
      stage: 'cwd',
      subject: 'cwd',
      path: join(folder, 'no', 'such'),
      detail: join(folder, 'no'),
    });
    expect(error.message).toContain('working directory');
  });

  test('a file and a folder that may not be entered are told apart', async () => {
    const file = writeProgram(folder, 'file', '', 0o644);
    expect(await failureOf(['/bin/true'], { cwd: file })).toMatchObject({ code: 'ENOTDIR', stage: 'cwd' });
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: 0o600 });
    await run(['chmod', '711', folder]);
    const end = await runHost(
      `await run(['/bin/true'], { cwd: ${JSON.stringify(closed)} }).catch((e) => console.log(e.code, e.stage, e.subject));`,
      { prefix: ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] },
    );
    expect(end.stdout).toBe('EACCES cwd cwd\n');
  });

  test('hostile folder names work', async () => {
    for (const name of ['with space', "it's", 'a"b', 'line\nfeed', 'émoji 😀', '$(x)', '-dash', '%PATH%']) {
      const path = join(folder, name);
      mkdirSync(path);
      expect(fromHexLines((await run(child('cwd'), { cwd: path })).stdout).map(String)).toEqual([path]);
    }
  });
});

test('F-49: a script without a first line is refused, never given to a shell', async () => {
  const script = writeProgram(folder, 'plain', 'echo n=$#\n');
  const error = await failureOf([script, 'a b']);
  expect(error).toMatchObject({ code: 'ENOEXEC', stage: 'exec', path: script, detail: 'text without #!' });
  expect(error.message).toContain('script without a #! line');
  expect(await failureOf([writeProgram(folder, 'empty', '')])).toMatchObject({ code: 'ENOEXEC', detail: 'empty file' });
});

test('F-50: a program whose loader is missing is told apart from a missing program', async () => {
  const path = join(folder, 'other-libc');
  const bytes = readFileSync('/bin/true');
  const loader = '/lib64/ld-linux-x86-64.so.2';
  const at = bytes.indexOf(loader);
  expect(at).toBeGreaterThan(0);
  bytes.write('/lib/no-such-loader.so.1\0\0\0', at, 'latin1');
  writeFileSync(path, bytes, { mode: 0o755 });
  const error = await failureOf([path]);
  expect(error).toMatchObject({ code: 'ENOENT', stage: 'loader', subject: 'loader', path: '/lib/no-such-loader.so.1' });
});

test('a program for another machine is named as such', async () => {
  const path = join(folder, 'arm');
  const bytes = readFileSync('/bin/true');
  bytes.writeUInt16LE(183, 18);
  writeFileSync(path, bytes, { mode: 0o755 });
  expect(await failureOf([path])).toMatchObject({ code: 'ENOEXEC', stage: 'exec', detail: 'ELF for aarch64' });
});

describe('F-51: interpreters', () => {
  test('a Windows line end in the first line is shown', async () => {
    const script = writeProgram(folder, 'dos', '#!/bin/sh\r\necho hi\r\n');
    const error = await failureOf([script]);
    expect(error).toMatchObject({ code: 'ENOENT', stage: 'interpreter', path: '/bin/sh\r' });
    expect(error.message).toContain(String.raw`"/bin/sh\r"`);
  });

  test('a missing one is named, through a chain of scripts', async () => {
    const inner = writeProgram(folder, 'inner', '#!/no/such/interpreter -x\n');
    const outer = writeProgram(folder, 'outer', `#!${inner}\n`);
    expect(await failureOf([outer])).toMatchObject({ stage: 'interpreter', path: '/no/such/interpreter' });
  });

  test('one without execute permission is named', async () => {
    const inner = writeProgram(folder, 'not-executable', '', 0o644);
    const outer = writeProgram(folder, 'uses-it', `#!${inner}\n`);
    expect(await failureOf([outer])).toMatchObject({ code: 'EACCES', stage: 'interpreter', path: inner });
  });
});

describe('programs that may not be executed', () => {
  test('by their mode, because they are a folder, because of their mount', async () => {
    const path = writeProgram(folder, 'no-x', '#!/bin/sh\n', 0o644);
    expect(await failureOf([path])).toMatchObject({ code: 'EACCES', stage: 'exec', detail: 'no execute permission' });
    expect(await failureOf([folder])).toMatchObject({ code: 'EACCES', stage: 'exec', detail: 'directory' });
    const end = await runHost(
      `import { copyFileSync } from 'node:fs';
       copyFileSync('/bin/true', '/mnt/true');
       await run(['/mnt/true']).catch((e) => console.log(e.code, e.stage, e.detail));`,
      { prefix: ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs -o noexec none /mnt && exec "$@"', 'sh'] },
    );
    expect(end.stderr).toBe('');
    expect(end.stdout).toBe('EACCES exec noexec mount\n');
  });
});

describe('F-52: text file busy', () => {
  test('scripts written a moment ago run, with twelve writers side by side', async () => {
    const { writeFile } = await import('node:fs/promises');
    const loop = async (lane: number): Promise<void> => {
      for (let i = 0; i < 25; i++) {
        const path = join(folder, `fresh-${lane}-${i}`);
        await writeFile(path, '#!/bin/sh\necho ok\n', { mode: 0o755 });
        expect((await run([path])).stdout).toBe('ok\n');
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, lane) => loop(lane)));
  });

  test('a file that stays open for writing is an error that says so', async () => {
    const { open } = await import('node:fs/promises');
    const path = join(folder, 'held-open');
    copyFileSync('/bin/true', path);
    const handle = await open(path, 'r+');
    try {
      const error = await run([path]).then(
        () => undefined,
        (failure: unknown) => failure,
      );
      expect(error).toMatchObject({ code: 'ETXTBSY', stage: 'exec', path });
    } finally {
      await handle.close();
    }
    expect((await run([path])).ok).toBe(true);
  });
});

describe('F-53: relative programs and PATH', () => {
  test("a path with a slash is relative to the child's folder", async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    writeProgram(other, 'tool', '#!/bin/sh\necho other\n');
    writeProgram(folder, 'tool', '#!/bin/sh\necho here\n');
    const result = await run(['./tool'], { cwd: other });
    expect([result.stdout, result.program]).toEqual(['other\n', join(other, './tool').replace('/tool', '/./tool')]);
    expect((await run(['other/tool'], { cwd: folder })).stdout).toBe('other\n');
    expect((await failureOf(['other/tool'], { cwd: other })).code).toBe('ENOENT');
  });

  test('a bare name is looked up in the PATH the child gets', async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const tool = writeProgram(bin, 'only-here', '#!/bin/sh\necho found\n');
    const result = await run(['only-here'], { extendEnv: { PATH: `${bin}:/usr/bin:/bin` } });
    expect([result.stdout, result.program]).toEqual(['found\n', tool]);
    expect(await resolveProgram('only-here', { env: { PATH: bin } })).toEqual({ name: 'only-here', path: tool });
    expect((await failureOf(['only-here'])).stage).toBe('resolve');
  });

  test('empty and relative entries are skipped, directories and plain files passed over, and all is told', async () => {
    const first = join(folder, 'first');
    const second = join(folder, 'second');
    mkdirSync(join(first, 'planted'), { recursive: true });
    mkdirSync(second);
    writeProgram(second, 'planted', '#!/bin/sh\n', 0o644);
    writeProgram(folder, 'planted', '#!/bin/sh\necho planted\n');
    const error = await failureOf(['planted'], { cwd: folder, env: { PATH: `:.:bin:${first}:${second}:` } });
    expect(error.code).toBe('EACCES');
    expect(error.tried).toEqual([
      { path: '', code: 'EMPTY' },
      { path: '.', code: 'RELATIVE' },
      { path: 'bin', code: 'RELATIVE' },
      { path: join(first, 'planted'), code: 'EISDIR' },
      { path: join(second, 'planted'), code: 'EACCES' },
      { path: '', code: 'EMPTY' },
    ]);
  });

  test('without a PATH a bare name is not found, and an absolute path works', async () => {
    const error = await failureOf(['sh'], { env: {} });
    expect([error.code, error.detail]).toEqual(['ENOENT', 'no-path']);
    expect((await run(['/bin/sh', '-c', 'echo ok'], { env: {} })).stdout).toBe('ok\n');
  });

  test('symbolic links run under the name they were called by', async () => {
    const link = join(folder, 'link-to-sh');
    symlinkSync('/bin/sh', link);
    const result = await run([link, '-c', 'echo $0']);
    expect([result.stdout, result.program]).toEqual([`${link}\n`, link]);
  });
});

test('F-54: the addon is loaded where it lies, not from the temporary folder', async () => {
  const end = await runHost(`console.log((await run(['echo', 'ok'])).stdout.trim());`, {
    prefix: ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs -o noexec none /mnt && TMPDIR=/mnt exec "$@"', 'sh'],
  });
  expect([end.stdout, end.stderr]).toEqual(['ok\n', '']);
});

describe('F-55: a host whose folder has been removed', () => {
  const script = (line: string): string => `
    import { mkdtempSync, rmdirSync } from 'node:fs';
    const gone = mkdtempSync('/tmp/argv-spawn-gone-');
    process.chdir(gone);
    rmdirSync(gone);
    ${line}`;

  test('still starts programs when no folder is asked for', async () => {
    const end = await runHost(
      script(`console.log((await run(['/bin/echo', 'ok'])).stdout.trim(), runSync(['echo', 'ok']).code);`),
    );
    expect(end.stdout).toBe('ok 0\n');
  });

  test('gets a clear rejection when a relative path needs it', async () => {
    const end = await runHost(script(`await run(['./x']).catch((e) => console.log(e.name, e.code, e.stage));`));
    expect(end.stdout).toBe('SpawnError ENOENT cwd\n');
  });
});

test('the package loads by require as well, and is the same one', async () => {
  const end = await runHost(`
    import { createRequire } from 'node:module';
    const required = createRequire(import.meta.url)(${JSON.stringify(new URL(PACKAGE).pathname)});
    console.log(required.run === run, (await required.run(['echo', 'x'])).stdout.trim());`);
  expect(end.stdout).toBe('true x\n');
});
