// Field cases about output: F-21 to F-31.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, spawn } from '../../lib/index.ts';
import { child } from '../helpers/child.ts';
import { makeFolder } from '../helpers/folder.ts';
import { runHost } from '../helpers/host.ts';

const folder = makeFolder();

describe('F-21: a character split over two writes is one character', () => {
  const argv = ['sh', '-c', "printf '\\342'; sleep 0.2; printf '\\234\\223'"] as const;

  test('when collected', async () => {
    const result = await run([...argv]);
    expect(result.stdout).toBe('✓');
    expect(result.capture.stdout?.invalidUtf8).toBe(false);
  });

  test('when read by line', async () => {
    const lines = [];
    for await (const line of spawn([...argv]).lines()) lines.push(line.text);
    expect(lines).toEqual(['✓']);
  });
});

test('F-22: past the cap the beginning and the end are kept, and what is missing is counted', async () => {
  const text = "head -c 300000 /dev/zero | tr '\\0' x; echo; echo LAST-ERROR; exit 2";
  const { stdout, capture, code } = await run(['sh', '-c', text], { maxBuffer: 20_000 });
  expect(code).toBe(2);
  expect(stdout.endsWith('LAST-ERROR\n')).toBe(true);
  expect(stdout.startsWith('xxx')).toBe(true);
  expect(capture.stdout).toMatchObject({
    bytes: 300_012,
    kept: 20_000,
    omitted: 280_012,
    truncated: true,
    gapAt: 10_000,
  });
});

test('the cut falls between characters, whatever the cap', async () => {
  for (let cap = 1; cap <= 24; cap++) {
    for (const keep of ['ends', 'head', 'tail'] as const) {
      const { stdout, capture } = await run(['printf', '%s', '中😀é'.repeat(20)], { maxBuffer: cap, keep });
      expect(stdout).not.toContain('\ufffd');
      expect(capture.stdout?.kept).toBe(Buffer.byteLength(stdout));
      expect(capture.stdout?.omitted).toBe(180 - Buffer.byteLength(stdout));
    }
  }
});

test('F-23: every byte of a program that ends quickly arrives, 100 times of 100', async () => {
  for (let i = 0; i < 100; i++) {
    const result = await run(['seq', '1', '100000']);
    expect(result.capture.stdout?.bytes).toBe(588_895);
    expect(result.stdout.endsWith('\n100000\n')).toBe(true);
  }
});

test('F-24: 300 MB of output under a cap grow the host by a few MiB', async () => {
  const end = await runHost(`
    import { readFileSync } from 'node:fs';
    const peak = () => Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))[1]);
    await run(['true']);
    const before = peak();
    const r = await run(['sh', '-c', 'yes 0123456789abcdef | head -c 300000000'], { maxBuffer: 1 << 20 });
    console.log(JSON.stringify([r.capture.stdout.bytes, (peak() - before) / 1024]));`);
  const [bytes, grownMiB] = JSON.parse(end.stdout) as [number, number];
  expect(bytes).toBe(300_000_000);
  expect(grownMiB).toBeLessThan(16);
});

describe('F-25: more output than a string can hold', () => {
  test('is cut by the default cap', async () => {
    const result = await run(child('flood', '700000000'));
    expect(result.capture.stdout).toMatchObject({ bytes: 700_000_000, truncated: true });
    expect(result.stdout.length).toBe(16 * 1024 * 1024);
  });

  test('without a cap is bytes when asked for, and a clean rejection as text', async () => {
    const end = await runHost(`
      const argv = [${JSON.stringify(child('flood')[0])}, 'flood', '700000000'];
      const bytes = await run(argv, { maxBuffer: Infinity, encoding: 'buffer' });
      const text = await run(argv, { maxBuffer: Infinity }).then(() => 'resolved', (error) => error.code);
      console.log(JSON.stringify([bytes.stdout.length, text]));`);
    expect(JSON.parse(end.stdout)).toEqual([700_000_000, 'ERR_STRING_TOO_LONG']);
  });
});

describe('F-26: the cap', () => {
  test('does not end the program', async () => {
    const result = await run(['sh', '-c', 'head -c 50000 /dev/zero; echo done > marker; exit 3'], {
      maxBuffer: 1000,
      cwd: folder,
    });
    expect(result.code).toBe(3);
    expect(existsSync(join(folder, 'marker'))).toBe(true);
    expect(result.capture.stdout?.truncated).toBe(true);
  });

  test('ends it when asked to, through run and spawn', async () => {
    const options = { maxBuffer: 1000, onMaxBuffer: 'kill' } as const;
    const ran = await run(['yes'], options);
    const spawned = await spawn(['yes'], options).collect();
    expect([ran.reason, ran.ok, ran.stdout.length]).toEqual(['max-buffer', false, 1000]);
    expect([spawned.reason, spawned.ok, spawned.stdout?.length]).toEqual(['max-buffer', false, 1000]);
  });

  test('of zero keeps nothing and counts everything', async () => {
    const result = await run(['echo', 'hi'], { maxBuffer: 0 });
    expect(result.stdout).toBe('');
    expect(result.capture.stdout).toMatchObject({ bytes: 3, kept: 0, omitted: 3 });
  });
});

test('F-27: a stream nobody wants does not stop the program', async () => {
  const result = await run(['sh', '-c', 'head -c 300000 /dev/zero; echo finished >&2'], {
    stdout: 'ignore',
    timeout: 20_000,
  });
  expect([result.stdout, result.stderr]).toEqual([null, 'finished\n']);
});

test('F-28: an endless writer is ended by its timeout', async () => {
  const result = await run(['yes'], { timeout: 500, maxBuffer: 1 << 20 });
  expect(result.reason).toBe('timeout');
  expect(result.durationMs).toBeLessThan(10_000);
});

test('F-29: merged output keeps its order', async () => {
  const result = await run(['sh', '-c', 'echo 1; echo 2 >&2; echo 3; echo 4 >&2'], { stderr: 'stdout' });
  expect([result.stdout, result.stderr]).toEqual(['1\n2\n3\n4\n', null]);
});

test('F-31: bytes in another code page are flagged, and decoded on request', async () => {
  const argv = ['printf', '\\304\\343\\272\\303'] as const;
  const guessed = await run([...argv]);
  const named = await run([...argv], { encoding: 'gbk' });
  const raw = await run([...argv], { encoding: 'buffer' });
  expect(guessed.capture.stdout?.invalidUtf8).toBe(true);
  expect(named.stdout).toBe('你好');
  expect(raw.stdout.toString('hex')).toBe('c4e3bac3');
});

test('a byte order mark is data', async () => {
  expect((await run(['printf', '\\357\\273\\277a'])).stdout).toBe('\ufeffa');
});

describe('files', () => {
  test('stdout and stderr go to files, replaced or appended to', async () => {
    const file = join(folder, 'log');
    const options = { stdout: { file }, stderr: { file: join(folder, 'err') } };
    await run(['sh', '-c', 'echo one; echo oops >&2'], options);
    await run(['sh', '-c', 'echo two'], options);
    const last = await run(['sh', '-c', 'echo three'], { ...options, stdout: { file, append: true } });
    expect(readFileSync(file, 'utf8')).toBe('two\nthree\n');
    expect(last.stdout).toBe(null);
  });

  test('tee writes everything to a file before any cut', async () => {
    const file = join(folder, 'tee');
    const result = await run(['seq', '1', '100000'], { tee: { stdout: file }, maxBuffer: 100 });
    expect(statSync(file).size).toBe(588_895);
    expect(result.capture.stdout?.tee).toEqual({ path: file, bytes: 588_895, error: null });
  });

  test('a tee file that cannot be written is reported, and the run goes on', async () => {
    const result = await run(['seq', '1', '1000'], { tee: { stdout: '/dev/full' } });
    expect(result.code).toBe(0);
    expect(result.capture.stdout?.tee).toEqual({ path: '/dev/full', bytes: 0, error: 'ENOSPC' });
    expect(result.stdout.endsWith('1000\n')).toBe(true);
  });

  test('a tee file that nobody reads holds up its own run only, and not beyond the end', async () => {
    const fifo = join(folder, 'fifo');
    await run(['mkfifo', fifo]);
    const held = spawn(['sleep', '60'], { stdin: 'ignore', stdout: { file: '/dev/null' } });
    const opened = spawn(['sh', '-c', 'exec 3< "$0"; sleep 60', fifo]);
    const result = await run(['seq', '1', '100000'], { tee: { stdout: fifo }, timeout: 20_000 });
    expect(result.code).toBe(0);
    expect(result.capture.stdout?.tee?.error).toBe('ETIMEDOUT');
    const other = join(folder, 'beside-fifo');
    const beside = await run(['echo', 'others go on'], { tee: { stdout: other } });
    expect(beside.capture.stdout?.tee).toEqual({ path: other, bytes: 13, error: null });
    await Promise.all([held.stop(), opened.stop()]);
  });

  test('however many tee files are written at once, no thread stays that one alone would not need', async () => {
    const end = await runHost(`
      import { readdirSync, readFileSync } from 'node:fs';
      const writers = () => readdirSync('/proc/self/task')
        .filter((id) => readFileSync('/proc/self/task/' + id + '/comm', 'utf8').startsWith('argv-spawn-tee')).length;
      const write = () => run(['seq', '1', '20000'], { tee: { stdout: ${JSON.stringify(join(folder, 'many-'))} + Math.random() } });
      await write();
      const one = writers();
      for (let i = 0; i < 5; i++) await Promise.all(Array.from({ length: 16 }, write));
      const end = performance.now() + 20_000;
      while (writers() > one && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
      console.log(one, writers());`);
    expect([end.stderr, end.stdout]).toEqual(['', '1 1\n']);
  });
});

test('a loop over lines that is left early does not disturb the host, and the program can be stopped', async () => {
  const end = await runHost(`
    const running = spawn(['sh', '-c', 'echo one; sleep 30']);
    for await (const line of running.lines()) { console.log(line.text); break; }
    console.log((await running.stop()).reason);`);
  expect(end).toMatchObject({ stderr: '', stdout: 'one\nstop\n' });
});

describe('a program that writes little at a time, all the time', () => {
  // One write a line: sh has no buffer.
  const script = 'i=0; while [ $i -lt 30000 ]; do echo "line $i"; i=$((i+1)); done';
  const lines = Array.from({ length: 30_000 }, (_, i) => `line ${i}\n`).join('');

  test('loses nothing, whatever is kept', async () => {
    const whole = await run(['sh', '-c', script]);
    expect(whole.stdout === lines).toBe(true);
    const ends = await run(['sh', '-c', script], { maxBuffer: 2000 });
    expect(ends.stdout).toBe(lines.slice(0, 1000) + lines.slice(-1000));
    expect(ends.capture.stdout?.omitted).toBe(lines.length - 2000);
  });

  test('is heard when it falls silent, and answered', async () => {
    const running = spawn(['sh', '-c', `${script}; read answer; echo "$answer"`], { stdin: 'pipe' });
    let last = '';
    for await (const line of running.lines()) {
      last = line.text;
      if (last === 'line 29999') running.stdin?.end('heard\n');
    }
    expect(last).toBe('heard');
    expect((await running.exited).ok).toBe(true);
  });
});

test.each(['head', 'tail', 'ends'] as const)('keep: %s is exact where most bytes are dropped unread', async (keep) => {
  const whole = await run(['seq', '1', '2000000']);
  const { stdout, capture } = await run(['seq', '1', '2000000'], { maxBuffer: 3000, keep });
  const [head, tail] = [whole.stdout.slice(0, 3000), whole.stdout.slice(-3000)];
  expect(stdout).toBe(keep === 'head' ? head : keep === 'tail' ? tail : head.slice(0, 1500) + tail.slice(-1500));
  expect(capture.stdout).toMatchObject({ bytes: whole.stdout.length, omitted: whole.stdout.length - 3000 });
});
