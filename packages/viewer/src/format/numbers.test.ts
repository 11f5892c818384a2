import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as numbers from './numbers.ts';

test('formatBytes keeps three figures and never shows 1024 of a unit', () => {
  assert.equal(numbers.formatBytes(0), '0 B');
  assert.equal(numbers.formatBytes(1023), '1023 B');
  assert.equal(numbers.formatBytes(970.5352835), '970.5 B');
  assert.equal(numbers.formatBytes(1024), '1.00 KiB');
  assert.equal(numbers.formatBytes(1024 * 1024 - 1), '1.00 MiB');
  assert.equal(numbers.formatBytes(-1536), '−1.50 KiB');
  assert.equal(numbers.formatBytes(null), '–');
});

test('formatMs picks the unit that fits', () => {
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

test('formatShare never rounds something to nothing', () => {
  assert.equal(numbers.formatShare(1), '100 %');
  assert.equal(numbers.formatShare(0.00001), '<0.01 %');
  assert.equal(numbers.formatShare(0), '0.00 %');
  assert.equal(numbers.formatShare(-0.5), '−50.0 %');
});

test('formatCount groups thousands, also of what a double cannot hold', () => {
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
  assert.equal(numbers.formatValue(2048, 'bytes'), '2.00 KiB');
  assert.equal(numbers.formatValue(1.5, 'seconds'), '1.50 s');
  assert.equal(numbers.formatValue(12, 'draws'), '12 draws');
  assert.equal(numbers.formatValue(1, 'samples'), '1 sample');
  assert.equal(numbers.formatValue(1, 'mass'), '1 mass');
  assert.equal(numbers.formatPlural(1, 'function'), '1 function');
  assert.equal(numbers.formatDelta(-3, numbers.formatMs), '−3.00 ms');
  assert.equal(numbers.formatDelta(0, numbers.formatMs), '±0');
});
