// stdin, stdout, stderr and tee: every accepted form, and every other one refused before anything starts.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { run, runSync, spawn } from '../../lib/index.ts';
import type { RunOptions } from '../../lib/index.ts';
import { createPlan } from '../../lib/command/plan.ts';
import { child } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { runHost } from '../helpers/host.ts';

const folder = makeFolder();

describe('stdin', () => {
  test.each<[string, unknown, string]>([
    ['ignore', 'ignore', 'ignore'],
    ['inherit', 'inherit', 'inherit'],
    ['an empty text', '', 'data'],
    ['a text', 'x', 'data'],
    ['a text with a NUL', 'a\0b', 'data'],
    ['bytes', new Uint8Array([1]), 'data'],
    ['a file', { file: '/etc/hostname' }, 'file'],
    ['a file URL', { file: pathToFileURL('/etc/hostname') }, 'file'],
    ['a Readable', Readable.from(['x']), 'iterable'],
    ['an array of pieces', ['x'], 'iterable'],
  ])('%s is accepted', (_name, stdin, kind) => {
    expect(createPlan('run', ['a'], { stdin }).stdin.kind).toBe(kind);
  });

  test.each<[string, unknown, string, string]>([
    ['a number', 0, 'stdin', 'ERR_INVALID_ARG_TYPE'],
    ['null', null, 'stdin', 'ERR_INVALID_ARG_TYPE'],
    ['true', true, 'stdin', 'ERR_INVALID_ARG_TYPE'],
    ['an empty object', {}, 'stdin', 'ERR_INVALID_ARG_TYPE'],
    ['a promise', Promise.resolve('x'), 'stdin', 'ERR_INVALID_ARG_TYPE'],
    ['an ArrayBuffer', new ArrayBuffer(1), 'stdin', 'ERR_INVALID_ARG_TYPE'],
    ['a DataView', new DataView(new ArrayBuffer(1)), 'stdin', 'ERR_INVALID_ARG_TYPE'],
    ['numbers that are no bytes', new Uint16Array([1]), 'stdin', 'ERR_INVALID_ARG_TYPE'],
    ['half a surrogate pair', 'x\ud83d', 'stdin', 'ERR_INVALID_ARG_VALUE'],
    ['a file with another word', { file: '/x', append: true }, 'stdin.append', 'ERR_UNKNOWN_OPTION'],
    ['a pipe where nobody writes', 'pipe', 'stdin', 'ERR_INVALID_ARG_VALUE'],
  ])('%s is refused', async (_name, stdin, field, code) => {
    const expected = { name: 'TypeError', field, code };
    await expect(run(['true'], { stdin } as RunOptions)).rejects.toMatchObject(expected);
    expect(() => runSync(['true'], { stdin } as RunOptions)).toThrow(expect.objectContaining(expected));
  });

  test('a text is its UTF-8 bytes, NUL included', async () => {
    const { stdout } = await run(['cat'], { stdin: 'a\0é\r\n', encoding: 'buffer' });
    expect(stdout).toEqual(Buffer.from('a\0é\r\n'));
  });

  test('a chunk that is neither text nor bytes ends the program, named', async () => {
    const started = run(['cat'], { stdin: ['ok', 1] as unknown as string[] });
    await expect(started).rejects.toMatchObject({
      name: 'StdinError',
      cause: { name: 'TypeError', field: 'chunk of stdin' },
      result: { stdin: { bytesWritten: 2 } },
    });
  });

  test("inherit is the host's own", async () => {
    const end = await runHost(
      `process.stdout.write((await run(['cat'], { stdin: 'inherit' })).stdout);
       process.stdout.write(runSync(['cat'], { stdin: 'inherit' }).stdout + '.');`,
      { stdin: 'typed\n' },
    );
    expect(end.stdout).toBe('typed\n.');
  });
});

describe('stdout and stderr', () => {
  test('inherit is the host’s own, and nothing is collected', async () => {
    const end = await runHost(`
      const text = 'echo out; echo err >&2';
      const r = await run(['sh', '-c', text], { stdout: 'inherit', stderr: 'inherit' });
      runSync(['sh', '-c', text], { stdout: 'inherit', stderr: 'inherit' });
      console.log(r.stdout, r.stderr, r.capture.stdout);`);
    expect([end.stdout, end.stderr]).toEqual(['out\nout\nnull null null\n', 'err\nerr\n']);
  });

  test('ignore is /dev/null, a file is a file, a pipe is a pipe', async () => {
    const file = join(folder, 'kinds');
    const result = await run(child('stdio'), { stdin: { file: '/etc/hostname' }, stdout: { file }, stderr: 'ignore' });
    expect([result.code, readFileSync(file, 'utf8')]).toEqual([0, 'file\nfile\ndevice\n']);
  });

  test('both may append to one file, given as a URL', async () => {
    const file = join(folder, 'both');
    writeFileSync(file, 'before\n');
    const target = { file: pathToFileURL(file), append: true };
    await run(['sh', '-c', 'echo out; echo err >&2'], { stdout: target, stderr: target });
    expect(readFileSync(file, 'utf8')).toBe('before\nout\nerr\n');
  });

  test.each<[string, object, string, string]>([
    ['a number', { stdout: 1 }, 'stdout', 'ERR_INVALID_ARG_TYPE'],
    ['null', { stdout: null }, 'stdout', 'ERR_INVALID_ARG_TYPE'],
    ['another word', { stdout: 'null' }, 'stdout', 'ERR_INVALID_ARG_TYPE'],
    ['stdout into itself', { stdout: 'stdout' }, 'stdout', 'ERR_INVALID_ARG_TYPE'],
    ['stdout into stderr', { stdout: 'stderr' }, 'stdout', 'ERR_INVALID_ARG_TYPE'],
    ['a stream', { stderr: process.stderr }, 'stderr', 'ERR_INVALID_ARG_TYPE'],
    ['append that is no boolean', { stdout: { file: '/x', append: 'yes' } }, 'stdout.append', 'ERR_INVALID_ARG_TYPE'],
    ['a file with another word', { stderr: { file: '/x', mode: 1 } }, 'stderr.mode', 'ERR_UNKNOWN_OPTION'],
    ['tee that is a path', { tee: '/x' }, 'tee', 'ERR_INVALID_ARG_TYPE'],
    ['tee that is a list', { tee: ['/x'] }, 'tee', 'ERR_INVALID_ARG_TYPE'],
  ])('%s is refused', async (_name, options, field, code) => {
    const expected = { name: 'TypeError', field, code };
    await expect(run(['true'], options)).rejects.toMatchObject(expected);
    expect(() => spawn(['true'], options)).toThrow(expect.objectContaining(expected));
  });
});
