import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatClock } from './numbers.ts';
import { parseClock } from './parse-clock.ts';

test('seconds and clock times are read to ms, and other texts are refused', () => {
  for (const [text, ms] of [
    ['31.2', 31_200],
    [' 0:31.2 ', 31_200],
    ['1:02:03.5', 3_723_500],
    ['90:00', 5_400_000],
    ['0', 0],
    ['75', 75_000],
    ['0:00,25', 250],
    ['1.0000004', 1000],
    ['', null],
    ['-1', null],
    ['1:60', null],
    ['1:60:00', null],
    ['1:2:3:4', null],
    ['abc', null],
    ['1e3', null],
    ['0:', null],
  ] as const) {
    assert.equal(parseClock(text), ms, text);
  }
});

test('a time that is written as the page shows it is read as the same time', () => {
  for (const ms of [0, 1, 31_234, 59_999, 60_000, 3_600_001, 86_399_999]) {
    assert.equal(parseClock(formatClock(ms)), ms);
  }
});
