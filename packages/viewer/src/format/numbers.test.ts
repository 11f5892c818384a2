import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as numbers from './numbers.ts';

test('formatMs chooses a suitable unit', () => {
  assert.equal(numbers.formatMs(0), '0 ms');
  assert.equal(numbers.formatMs(0.0005), '0.50 µs');
  assert.equal(numbers.formatMs(16.6667), '16.7 ms');
  assert.equal(numbers.formatMs(999.6), '1.00 s');
  assert.equal(numbers.formatMs(60_000), '1 min 00 s');
  assert.equal(numbers.formatMs(3_660_000), '1 h 01 min');
});

test('formatClock shows as many decimals as the step needs', () => {
  assert.equal(numbers.formatClock(62_350), '1:02.350');
  assert.equal(numbers.formatClock(62_350, 1000), '1:02');
  assert.equal(numbers.formatClock(3_600_000, 1000), '1:00:00');
  assert.equal(numbers.formatClock(59_999, 100), '1:00.0');
  assert.equal(numbers.formatClock(0.25, 0.05), '0:00.00025');
  assert.equal(numbers.formatClock(0.4, 0.1), '0:00.0004');
  assert.equal(numbers.formatClock(3.4, 20), '0:00.00');
});

test('formatShare never rounds a positive share to 0', () => {
  assert.equal(numbers.formatShare(1), '100 %');
  assert.equal(numbers.formatShare(0.00001), '<0.01 %');
  assert.equal(numbers.formatShare(0), '0.00 %');
  assert.equal(numbers.formatShare(-0.5), '−50.0 %');
});

test('formatCount groups thousands, also of a bigint', () => {
  assert.equal(numbers.formatCount(1234567), '1\u202f234\u202f567');
  assert.equal(
    numbers.formatCount(12345678901234567890n),
    '12\u202f345\u202f678\u202f901\u202f234\u202f567\u202f890',
  );
  assert.equal(numbers.formatCount(-1.5), '−1.5');
  assert.equal(numbers.formatCount(1.2345e29), '1.23\u202f×\u202f10²⁹');
  assert.equal(numbers.formatCount(-9e15), '−9.00\u202f×\u202f10¹⁵');
});

test('formatValue and formatDelta know the units of a trace', () => {
  assert.equal(numbers.formatValue(2048, 'bytes'), '2.0 KiB');
  assert.equal(numbers.formatValue(2048, 'bytes a minute'), '2.0 KiB a minute');
  assert.equal(numbers.formatValue(1.5, 'seconds'), '1.50 s');
  assert.equal(numbers.formatValue(12, 'draws'), '12 draws');
  assert.equal(numbers.formatValue(1, 'samples'), '1 sample');
  assert.equal(numbers.formatValue(1, 'mass'), '1 mass');
  assert.equal(numbers.formatPlural(1, 'function'), '1 function');
  assert.equal(numbers.formatDelta(-3, numbers.formatMs), '−3.00 ms');
  assert.equal(numbers.formatDelta(0, numbers.formatMs), '±0');
});

/** Formats each value of a table. */
function shown<Value>(
  format: (value: Value) => string,
  table: readonly (readonly [Value, string])[],
) {
  assert.deepEqual(
    table.map(([value]) => [value, format(value)]),
    table.map(([value, text]) => [value, text]),
  );
}

test('a size has one form in all views, and an unknown one is a dash', () => {
  shown(numbers.formatBytes, [
    [null, '–'],
    [undefined, '–'],
    [0, '0 B'],
    [1536, '1.5 KiB'],
    [-1024, '−1.0 KiB'],
  ]);
});

test('times change their unit before a fourth digit', () => {
  shown(numbers.formatMs, [
    [null, '–'],
    [undefined, '–'],
    [0.9994, '999 µs'],
    [0.9995, '1.00 ms'],
    [-16, '−16.0 ms'],
    [999.4, '999 ms'],
    [999.5, '1.00 s'],
    [59_900, '59.9 s'],
    [59_995, '1 min 00 s'],
    [65_000, '1 min 05 s'],
    [90_500, '1 min 31 s'],
    [3_599_499, '59 min 59 s'],
    [3_599_500, '1 h 00 min'],
    [-7_500_000, '−2 h 05 min'],
  ]);
});

test('formatClock shows hours, minutes and negative times', () => {
  shown(numbers.formatClock, [
    [0, '0:00.000'],
    [-1500, '−0:01.500'],
    [59_999, '0:59.999'],
    [60_000, '1:00.000'],
    [600_000, '10:00.000'],
    [3_599_999, '59:59.999'],
    [3_723_004, '1:02:03.004'],
  ]);
});

test('formatShare keeps three digits, and returns a dash for an unknown share', () => {
  shown(numbers.formatShare, [
    [null, '–'],
    [undefined, '–'],
    [Number.NaN, '–'],
    [Number.POSITIVE_INFINITY, '–'],
    [0.9994, '99.9 %'],
    [0.9995, '100 %'],
    [2.5, '250 %'],
    [0.1, '10.0 %'],
    [0.05, '5.00 %'],
    [0.0001, '0.01 %'],
    [0.00009, '<0.01 %'],
    [-0.00009, '−<0.01 %'],
  ]);
});

test('formatCount keeps three decimals, and uses powers of ten only for counts that a double cannot hold', () => {
  shown(numbers.formatCount, [
    [null, '–'],
    [undefined, '–'],
    [0, '0'],
    [999, '999'],
    [1000, '1\u202f000'],
    [-1234, '−1\u202f234'],
    [1234.5678, '1\u202f234.568'],
    [999_999_999_999_999, '999\u202f999\u202f999\u202f999\u202f999'],
    [1e15, '1.00\u202f×\u202f10¹⁵'],
  ]);
});

test('formatValue uses the unit of the trace', () => {
  assert.deepEqual(
    [
      [null, 'bytes'],
      [undefined, 'count'],
      [1.5, 'ms'],
      [1.5, 'milliseconds'],
      [1500, 'us'],
      [1500, 'µs'],
      [1500, 'microseconds'],
      [1_500_000, 'ns'],
      [1_500_000, 'nanoseconds'],
      [0.0015, 's'],
      [12.34, 'percent'],
      [99.94, 'percent'],
      [99.95, 'percent'],
      [1234, ''],
      [1234, 'count'],
      [2, 'frames'],
      [1, 'frames'],
      [1.5, 'frames'],
    ].map(([value, unit]) => numbers.formatValue(value as number | null, String(unit))),
    [
      '–',
      '–',
      '1.50 ms',
      '1.50 ms',
      '1.50 ms',
      '1.50 ms',
      '1.50 ms',
      '1.50 ms',
      '1.50 ms',
      '1.50 ms',
      '12.3 %',
      '99.9 %',
      '100 %',
      '1\u202f234',
      '1\u202f234',
      '2 frames',
      '1 frame',
      '1.5 frames',
    ],
  );
  assert.equal(numbers.formatPlural(0, 'function'), '0 functions');
  assert.equal(numbers.formatPlural(1200, 'function'), '1\u202f200 functions');
  assert.equal(numbers.formatDelta(1536, numbers.formatBytes), '+1.5 KiB');
  assert.equal(numbers.formatDelta(null, numbers.formatBytes), '–');
});
