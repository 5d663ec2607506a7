// Bytes to text: when whole, once, and only cut between characters. Pure, so every cut can be tried.

import { describe, expect, test } from 'vitest';
import { run } from '../../lib/index.ts';
import { decodeOutput, trimIncompleteEnd, trimIncompleteStart } from '../../lib/process/decode.ts';
import type { Collected, Decoded } from '../../lib/process/decode.ts';

const whole = (bytes: Uint8Array): Collected => ({
  head: bytes,
  tail: new Uint8Array(),
  bytes: bytes.length,
  tee: null,
});
const cut = (bytes: Uint8Array, head: number, tail: number): Collected => ({
  ...{ head: bytes.subarray(0, head), tail: bytes.subarray(bytes.length - tail), bytes: bytes.length, tee: null },
});
const decode = (collected: Collected, encoding = 'utf8'): Decoded => decodeOutput(collected, encoding, null);

const TEXT = Buffer.from('aé中😀'.repeat(3) + '\u0000z');

describe('a cut anywhere', () => {
  test('keeps whole characters of UTF-8 only, and counts the rest', () => {
    for (let head = 0; head <= TEXT.length; head++) {
      for (let tail = 0; head + tail < TEXT.length; tail++) {
        const { data, capture } = decode(cut(TEXT, head, tail));
        expect(data).not.toContain('\ufffd');
        expect(capture).toMatchObject({ bytes: TEXT.length, invalidUtf8: false, truncated: true });
        expect(capture.kept).toBe(Buffer.byteLength(data as string));
        expect(capture.kept + capture.omitted).toBe(TEXT.length);
        // At most the beginning of one character and the end of another are given up.
        expect(head + tail - capture.kept).toBeLessThanOrEqual(6);
        const gapAt = capture.gapAt ?? Number.NaN;
        expect(TEXT.toString().startsWith((data as string).slice(0, gapAt))).toBe(true);
        expect(TEXT.toString().endsWith((data as string).slice(gapAt))).toBe(true);
      }
    }
  });

  test('keeps every byte when bytes were asked for', () => {
    const { data, capture } = decode(cut(TEXT, 2, 3), 'buffer');
    expect(data).toEqual(Buffer.concat([TEXT.subarray(0, 2), TEXT.subarray(-3)]));
    expect(capture).toMatchObject({ kept: 5, gapAt: 2, omitted: TEXT.length - 5 });
  });

  test('between head and tail is none when nothing was dropped', () => {
    for (let head = 0; head <= TEXT.length; head++) {
      const { data, capture } = decode(cut(TEXT, head, TEXT.length - head));
      expect(data).toBe(TEXT.toString());
      expect(capture).toMatchObject({ omitted: 0, truncated: false, gapAt: null, invalidUtf8: false });
    }
  });
});

describe('bytes that are not UTF-8', () => {
  test.each([
    ['a lone byte', 'ff'],
    ['a character that is not complete', 'e4b8'],
    ['a continuation without a beginning', '80'],
    ['an overlong form', 'c0af'],
    ['half a surrogate pair', 'eda080'],
    ['beyond the last character', 'f4908080'],
  ])('%s is replaced, flagged, and nothing around it is lost', (_name, hex) => {
    const bytes = Buffer.concat([Buffer.from('<'), Buffer.from(hex, 'hex'), Buffer.from('>')]);
    const { data, capture } = decode(whole(bytes));
    expect(data).toMatch(/^<\ufffd+>$/);
    expect(capture).toMatchObject({ invalidUtf8: true, kept: bytes.length, omitted: 0 });
  });

  test('are flagged in the kept parts only', () => {
    const bytes = Buffer.from('61626364ff6566676869', 'hex');
    expect(decode(cut(bytes, 3, 3)).capture.invalidUtf8).toBe(false);
    expect(decode(cut(bytes, 5, 3)).capture.invalidUtf8).toBe(true);
  });

  test('a character that the program itself left unfinished is shown, not dropped', () => {
    const { data, capture } = decode(whole(Buffer.from('61e4b8', 'hex')));
    expect([data, capture.kept, capture.invalidUtf8]).toEqual(['a\ufffd', 3, true]);
  });
});

describe('other encodings', () => {
  test.each<[string, string, string]>([
    ['latin1', '63e9', 'cé'],
    ['windows-1252', '8093949699ff', '€“”–™ÿ'],
    ['utf-16le', '61003dd800de', 'a😀'],
    ['UTF-16BE', '0061d83dde00', 'a😀'],
    ['shift_jis', '93fa967b', '日本'],
    ['gbk', 'c4e3bac3', '你好'],
    ['euc-kr', 'c7d1', '한'],
  ])('%s', async (encoding, hex, text) => {
    const format = hex.replace(/../g, (byte) => `\\${Number.parseInt(byte, 16).toString(8).padStart(3, '0')}`);
    const result = await run(['printf', format], { encoding });
    expect([result.stdout, result.capture.stdout?.invalidUtf8]).toEqual([text, false]);
  });

  test('a byte order mark stays, in all of them', () => {
    expect(decode(whole(Buffer.from('efbbbf61', 'hex'))).data).toBe('\ufeffa');
    expect(decode(whole(Buffer.from('fffe6100', 'hex')), 'utf-16le').data).toBe('\ufeffa');
  });

  test('utf8 under any of its names is cut between characters', async () => {
    for (const encoding of ['utf8', 'utf-8', 'UTF-8', 'unicode-1-1-utf-8']) {
      const result = await run(['printf', '%s', '中'.repeat(10)], { encoding, maxBuffer: 8 });
      expect(result.stdout).toBe('中中');
    }
  });
});

test('empty output is empty text, or no bytes', () => {
  expect(decode(whole(new Uint8Array()))).toMatchObject({ data: '', capture: { bytes: 0, truncated: false } });
  expect((decode(whole(new Uint8Array()), 'buffer').data as Buffer).length).toBe(0);
});

test('trimming leaves what is no beginning or end of a character alone', () => {
  const trims = (hex: string): [string, string] => {
    const bytes = Buffer.from(hex, 'hex');
    return [
      Buffer.from(trimIncompleteEnd(bytes)).toString('hex'),
      Buffer.from(trimIncompleteStart(bytes)).toString('hex'),
    ];
  };
  expect(trims('61e4b8')).toEqual(['61', '61e4b8']);
  expect(trims('b8ad61')).toEqual(['b8ad61', '61']);
  expect(trims('f09f9880')).toEqual(['f09f9880', 'f09f9880']);
  expect(trims('f09f98')).toEqual(['', 'f09f98']);
  expect(trims('61ff')).toEqual(['61ff', '61ff']);
  expect(trims('8080808061')).toEqual(['8080808061', '8061']);
  expect(trims('')).toEqual(['', '']);
});
