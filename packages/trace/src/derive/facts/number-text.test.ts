// Numbers in sentences, at the limits between two forms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  budgetText,
  bytesText,
  clockText,
  countText,
  durationText,
  msNumber,
  msText,
  nameText,
  percentText,
  pluralText,
  weightNoun,
} from './number-text.ts';

test('msText has one decimal below 10 ms, and seconds from 10 s on', () => {
  assert.deepEqual([0, 0.04, 0.05, 9.94, 10, 10.6, 9999, 10_000, 12_349].map(msText), [
    '0 ms',
    '0 ms',
    '0.1 ms',
    '9.9 ms',
    '10 ms',
    '11 ms',
    '9999 ms',
    '10.0 s',
    '12.3 s',
  ]);
  assert.deepEqual([9.96, 10.4, 10.5].map(msNumber), ['10', '10', '11']);
});

test('percentText rounds to whole percent, and a small share is not 0', () => {
  assert.deepEqual([0, 0.0049, 0.005, 0.006, 0.5, 0.996, 1].map(percentText), [
    '0 %',
    '<1 %',
    '1 %',
    '1 %',
    '50 %',
    '100 %',
    '100 %',
  ]);
});

test('budgetText has one decimal, and two digits below 0.1 ms', () => {
  assert.deepEqual([1000 / 60, 1000 / 120, 10, 33.36, 0.1, 0.0999, 0.0123].map(budgetText), [
    '16.7 ms',
    '8.3 ms',
    '10 ms',
    '33.4 ms',
    '0.1 ms',
    '0.1 ms',
    '0.012 ms',
  ]);
});

test('nameText and weightNoun have words for what has no name or unit', () => {
  assert.deepEqual(['', 'a'].map(nameText), ['(no name)', 'a']);
  assert.deepEqual(['ms', '', 'count', 'samples', 'bytes'].map(weightNoun), [
    'time',
    'samples',
    'samples',
    'samples',
    'bytes',
  ]);
});

test('countText groups digits from five digits on', () => {
  assert.deepEqual([0, 9999, 10_000, 1_234_567].map(countText), [
    '0',
    '9999',
    '10,000',
    '1,234,567',
  ]);
});

test('pluralText uses the plural for every count but one', () => {
  assert.deepEqual(
    [0, 1, 2, 12_000].map((count) => pluralText(count, 'frame')),
    ['0 frames', '1 frame', '2 frames', '12,000 frames'],
  );
  assert.equal(pluralText(2, 'hitch', 'hitches'), '2 hitches');
});

test('bytesText uses the largest binary unit, with one decimal below 100', () => {
  const rows: readonly (readonly [bytes: number, text: string])[] = [
    [0, '0 B'],
    [-0.4, '0 B'],
    [512, '512 B'],
    [970.6, '971 B'],
    [1023, '1023 B'],
    [1023.5, '1.0 KiB'],
    [1536, '1.5 KiB'],
    [102_348, '99.9 KiB'],
    [102_400, '100 KiB'],
    [1_048_064, '1.0 MiB'],
    [18.44 * 2 ** 20, '18.4 MiB'],
    [2 ** 30, '1.0 GiB'],
    [2 ** 40, '1.0 TiB'],
    [2 ** 51, '2048 TiB'],
    [-2048, '−2.0 KiB'],
  ];
  for (const [bytes, text] of rows) assert.equal(bytesText(bytes), text, String(bytes));
});

test('clockText has minutes, seconds and tenths, and hours from an hour on', () => {
  assert.deepEqual(
    [0, 99, 100, 31_250, 59_999, 60_000, 3_599_999, 3_600_000, 3_725_000, 36_000_000].map(
      clockText,
    ),
    [
      '0:00.0',
      '0:00.0',
      '0:00.1',
      '0:31.2',
      '0:59.9',
      '1:00.0',
      '59:59.9',
      '1:00:00.0',
      '1:02:05.0',
      '10:00:00.0',
    ],
  );
});

test('durationText is in seconds from one second on', () => {
  assert.deepEqual([0, 999, 1000, 5540].map(durationText), ['0 ms', '999 ms', '1.0 s', '5.5 s']);
});
