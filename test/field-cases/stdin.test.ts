// Field cases about standard input: F-06, F-14 to F-20.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, runSync, spawn } from '../../lib/index.ts';
import { child } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { PACKAGE, runHost } from '../helpers/host.ts';

const folder = makeFolder();

test('F-06: nothing is added to what a here-document style program writes', async () => {
  await run(['sh', '-c', 'cat > out.txt'], { stdin: 'line1\nline2\n', cwd: folder });
  expect(readFileSync(join(folder, 'out.txt'), 'utf8')).toBe('line1\nline2\n');
});

describe('F-14, F-17: a host on a terminal', () => {
  // `script` gives the host a terminal as its standard streams and its controlling terminal.
  const onTerminal = async (argv: readonly string[]): Promise<{ output: string; code: number }> => {
    const script = `import { run } from ${JSON.stringify(PACKAGE)};
      const r = await run(${JSON.stringify(argv)});
      process.stdout.write('@' + JSON.stringify({ output: r.stdout + r.stderr, code: r.code }) + '@');`;
    const host = await run(
      ['script', '-qec', `${process.execPath} --input-type=module -e "$HOST_SCRIPT"`, '/dev/null'],
      {
        stdin: 'typed by the user\n',
        extendEnv: { HOST_SCRIPT: script },
        timeout: 20_000,
      },
    );
    expect(host.timedOut).toBe(false);
    return JSON.parse(host.stdout.split('@')[1] ?? '') as { output: string; code: number };
  };

  test('a child that asks a question gets end of file, not the terminal', async () => {
    expect(await onTerminal(['sh', '-c', 'read x; echo "got:$x"'])).toEqual({ output: 'got:\n', code: 0 });
  });

  test('a child cannot open the terminal behind the back of stdin', async () => {
    const { output, code } = await onTerminal(['sh', '-c', 'exec 3</dev/tty']);
    expect(output).toContain('/dev/tty');
    expect(code).not.toBe(0);
  });
});

test('F-15: programs that look at stdin see its end at once', async () => {
  const cat = await run(['cat'], { timeout: 20_000 });
  const grep = await run(['grep', 'needle'], { timeout: 20_000 });
  expect([cat.reason, cat.code, cat.stdout]).toEqual(['exit', 0, '']);
  expect([grep.reason, grep.code]).toEqual(['exit', 1]);
});

test("F-16: a child never reads the host's own stdin", async () => {
  const end = await runHost(
    `import { readFileSync } from 'node:fs';
     const r = await run(['head', '-c', '1']);
     console.log(JSON.stringify([r.stdout, readFileSync(0, 'utf8')]));`,
    { stdin: '{"id":7}\n' },
  );
  expect(JSON.parse(end.stdout)).toEqual(['', '{"id":7}\n']);
});

describe('F-18: a child that ends or stops reading before its input is written', () => {
  const input = 'x'.repeat(8 * 1024 * 1024);

  test('is a result with its own exit code, through run', async () => {
    const result = await run(['sh', '-c', 'exit 7'], { stdin: input });
    expect(result.code).toBe(7);
    expect(result.stdin.closedEarly).toBe(true);
    expect(result.stdin.bytesWritten).toBeLessThan(input.length);
  });

  test('is a result through runSync and a written stream, and the host lives', async () => {
    expect(runSync(['sh', '-c', 'exit 7'], { stdin: input }).code).toBe(7);
    const process = spawn(['sh', '-c', 'exit 7'], { stdin: 'pipe' });
    process.stdin?.write(input);
    process.stdin?.end('more');
    expect((await process.exited).code).toBe(7);
  });

  test('is told at once when the child closes stdin and lives on', async () => {
    const process = spawn(child('close-stdin'), { stdin: 'pipe' });
    const closed = new Promise((resolve) => process.stdin?.once('close', resolve));
    await closed;
    expect((await process.stop()).signal).toBe('SIGTERM');
  });
});

test('F-19: a child that writes much before it reads does not deadlock', async () => {
  const result = await run(['sh', '-c', 'head -c 1000000 /dev/zero; cat >/dev/null'], {
    stdin: 'y'.repeat(1024 * 1024),
    timeout: 20_000,
  });
  expect([result.reason, result.code, result.capture.stdout?.bytes]).toEqual(['exit', 0, 1_000_000]);
  expect(result.stdin).toEqual({ bytesWritten: 1024 * 1024, closedEarly: false });
});

describe('F-20: standard streams are real pipes', () => {
  test('/dev/stdin and /dev/stderr can be opened', async () => {
    expect((await run(['cat', '/dev/stdin'], { stdin: 'hi' })).stdout).toBe('hi');
    expect((await run(['sh', '-c', 'echo x > /dev/stderr'])).stderr).toBe('x\n');
    expect((await run(['sh', '-c', 'echo y | tee /dev/stdout'])).stdout).toBe('y\ny\n');
  });

  test('and nothing else', async () => {
    expect((await run(child('stdio'), { stdin: 'x' })).stdout).toBe('pipe\npipe\npipe\n');
    expect((await run(child('stdio'))).stdout).toBe('device\npipe\npipe\n');
  });
});

describe('stdin from every kind of source', () => {
  test('a file, bytes, an iterable, an async iterable and a Readable arrive whole', async () => {
    const { Readable } = await import('node:stream');
    const file = join(folder, 'input.bin');
    const data = Buffer.alloc(700_000, 'abcdefg');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(file, data);
    const pieces = [data.subarray(0, 1), data.subarray(1, 300_000), data.subarray(300_000)];
    async function* generate(): AsyncGenerator<Uint8Array> {
      for (const piece of pieces) yield await Promise.resolve(piece);
    }
    for (const stdin of [{ file }, data, pieces, generate(), Readable.from(pieces)]) {
      const result = await run(['cat'], { stdin, encoding: 'buffer' });
      expect(result.stdout.equals(data)).toBe(true);
    }
  });

  test('a source that fails ends the program and rejects with its error', async () => {
    async function* failing(): AsyncGenerator<string> {
      yield 'a';
      await Promise.resolve();
      throw new Error('disk on fire');
    }
    const started = run(['cat'], { stdin: failing() });
    await expect(started).rejects.toMatchObject({ code: 'ERR_STDIN_SOURCE', cause: { message: 'disk on fire' } });
  });

  test('an endless source is let go when the program ends', async () => {
    let returned = false;
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield await Promise.resolve('y\n');
      } finally {
        returned = true;
      }
    }
    const result = await run(['head', '-n', '3'], { stdin: endless() });
    expect(result.stdout).toBe('y\ny\ny\n');
    await expect.poll(() => returned).toBe(true);
  });
});

describe('large bytes', () => {
  const large = Buffer.alloc(5_000_001, 'abcdefg');

  test('arrive whole, by run, runSync and spawn', async () => {
    const options = { stdin: large, encoding: 'buffer' } as const;
    expect((await run(['cat'], options)).stdout.equals(large)).toBe(true);
    expect(runSync(['cat'], options).stdout.equals(large)).toBe(true);
    const result = await spawn(['cat'], { ...options, stdout: 'pipe' }).collect();
    expect((result.stdout as Buffer).equals(large)).toBe(true);
  });

  test('of which the program reads a part are no failure', async () => {
    const result = await run(['head', '-c', '10'], { stdin: large });
    expect([result.stdout, result.stdin.closedEarly]).toEqual(['abcdefgabc', true]);
  });

  test('that are taken away meanwhile are told, not cut', async () => {
    const bytes = new Uint8Array(8_000_000);
    const started = run(['cat'], { stdin: bytes });
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    await expect(started).rejects.toMatchObject({
      code: 'ERR_STDIN_SOURCE',
      cause: { message: expect.stringContaining('detached') as string },
    });
  });
});
