// Values of options, at the limits of their ranges.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidValueError } from './define-command.ts';
import { parseDuration, parsePid, parsePort, parseSize } from './values.ts';

const refused = (work: () => unknown, what: string, message: RegExp): void =>
  assert.throws(
    work,
    (error) => error instanceof InvalidValueError && message.test(error.message),
    what,
  );

test('parseDuration reads each unit, and accepts both ends of its range', () => {
  const range = { least: '1s', most: '24h' };
  const rows: [text: string, ms: number][] = [
    ['1s', 1000],
    ['1000ms', 1000],
    ['1500.4ms', 1500],
    ['1.5s', 1500],
    ['15m', 900_000],
    ['0.5h', 1_800_000],
    ['24h', 86_400_000],
  ];
  for (const [text, ms] of rows) assert.equal(parseDuration(text, range), ms, text);
  for (const text of ['999ms', '0s', '24.1h', '86400001ms']) {
    refused(() => parseDuration(text, range), text, /^It must be from 1s to 24h\.$/);
  }
  for (const text of ['', '10', 's', '1 s', '-1s', '1S', '1e3s', '1d', '.5h', '1s ']) {
    refused(() => parseDuration(text, range), text, /^Write a duration such as/);
  }
});

test('parseSize reads binary and decimal units and plain bytes, and accepts both ends of its range', () => {
  const range = { least: '8KiB', most: '4TiB' };
  const rows: [text: string, bytes: number][] = [
    ['8192', 8192],
    ['8192B', 8192],
    ['8KiB', 8192],
    ['9KB', 9000],
    ['1.5 MiB', 1_572_864],
    ['2MB', 2_000_000],
    ['2GiB', 2_147_483_648],
    ['2GB', 2_000_000_000],
    ['4TiB', 4_398_046_511_104],
    ['4TB', 4_000_000_000_000],
    ['8.0001KiB', 8192],
  ];
  for (const [text, bytes] of rows) assert.equal(parseSize(text, range), bytes, text);
  for (const text of ['8191', '0', '4.1TiB', '8KB']) {
    refused(() => parseSize(text, range), text, /^It must be from 8KiB to 4TiB\.$/);
  }
  for (const text of ['', 'lots', '-1', '1kib', '1K', '1PiB', '1e9', 'KiB']) {
    refused(() => parseSize(text, range), text, /^Write a size such as/);
  }
});

test('parsePort accepts 0 to 65535, and parsePid 1 to 2147483647', () => {
  for (const [text, port] of [
    ['0', 0],
    ['8080', 8080],
    ['65535', 65_535],
  ] as const) {
    assert.equal(parsePort(text), port);
  }
  for (const text of ['65536', '-1', '1e3', '', ' 1', '0x10', '000080']) {
    refused(() => parsePort(text), text, /from 0 to 65535/);
  }
  assert.deepEqual([parsePid('1'), parsePid('2147483647')], [1, 2_147_483_647]);
  for (const text of ['0', '-1', '2147483648', '12x', '', '01', '1.0', '11111111111']) {
    refused(() => parsePid(text), text, /from 1 to 2147483647/);
  }
});
