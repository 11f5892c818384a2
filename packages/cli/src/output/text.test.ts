// Text for people: escaped control characters, sizes and times at the limits of their units, fields.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCount, formatDuration, formatFields, safeLine, safeText } from './text.ts';

test('safeText escapes control characters and direction changes, and no other characters', () => {
  const rows: [text: string, safe: string][] = [
    ['plain ü 猫 👩\u200d🚀\t\n', 'plain ü 猫 👩\u200d🚀\t\n'],
    ['\u0000\u0008\u000b\u000c\r\u000e', '\\x00\\x08\\x0b\\x0c\\x0d\\x0e'],
    ['\u001b[2J\u001f ', '\\x1b[2J\\x1f '],
    ['~\u007f\u0080\u009b\u009f\u00a0', '~\\x7f\\x80\\x9b\\x9f\u00a0'],
    ['\u2027\u2029\u202a\u202e\u202f', '\u2027\\u2029\\u202a\\u202e\u202f'],
    ['\u200d\u200e\u200f\u061c', '\u200d\\u200e\\u200f\\u061c'],
    ['\u2065\u2066\u2069\u206a', '\u2065\\u2066\\u2069\u206a'],
    ['\u001b\u001b', '\\x1b\\x1b'],
  ];
  for (const [text, safe] of rows) assert.equal(safeText(text), safe, JSON.stringify(text));
  assert.equal(safeLine('a\nb\tc\u001b\nd'), 'a\\nb\\tc\\x1b\\nd');
});

test('formatDuration uses the units that people use', () => {
  const rows: [ms: number, text: string][] = [
    [0, '0 ms'],
    [0.25, '0.3 ms'],
    [99.96, '100 ms'],
    [830.4, '830 ms'],
    [1000, '1 s'],
    [12_440, '12.4 s'],
    [60_000, '1 min'],
    [61_000, '1 min 1 s'],
    [200_400, '3 min 20 s'],
    [3_599_000, '59 min 59 s'],
    [3_600_000, '1 h'],
    [3_659_000, '1 h'],
    [3_660_000, '1 h 1 min'],
    [3_900_000, '1 h 5 min'],
    [28_800_000, '8 h'],
    [90_000_000, '25 h'],
  ];
  for (const [ms, text] of rows) assert.equal(formatDuration(ms), text, String(ms));
});

test('formatCount groups digits by three, also in decimal strings of any length', () => {
  for (const [count, text] of [
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [1_234_567, '1,234,567'],
    ['9007199254741033', '9,007,199,254,741,033'],
    ['>1000', '>1,000'],
  ] as const) {
    assert.equal(formatCount(count), text);
  }
});

test('formatFields aligns names and values in two columns', () => {
  const fields = [
    ['id', '1'],
    ['longer', 'a\u001b'],
  ] as const;
  assert.deepEqual(formatFields(fields), ['id      1', 'longer  a\\x1b']);
});
