// How places in a trace are written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedTimeText, parsePlace, parseTime, secondsText } from './moment-place.ts';

const time = (t: number, precision_ms: number) => ({ kind: 'time', t, precision_ms });

test('parsePlace reads ranges, times and moments', () => {
  assert.deepEqual(parsePlace('31-31.5'), { kind: 'range', from_ms: 31_000, to_ms: 31_500 });
  assert.deepEqual(parsePlace('0s-31.7s'), { kind: 'range', from_ms: 0, to_ms: 31_700 });
  assert.deepEqual(parsePlace('31.2'), time(31_200, 100));
  assert.deepEqual(parsePlace('31'), time(31_000, 1000));
  assert.deepEqual(parsePlace('31.00s'), time(31_000, 10));
  assert.deepEqual(parsePlace('31.245001s'), time(31_245.001, 0.001));
  assert.deepEqual(parsePlace('0:31.2'), time(31_200, 100));
  assert.deepEqual(parsePlace('1:02:05'), time(3_725_000, 1000));
  assert.deepEqual(parsePlace('59-1:00.5'), { kind: 'range', from_ms: 59_000, to_ms: 60_500 });
  assert.deepEqual(parsePlace('hitch:1'), { kind: 'hitch', number: 1 });
  assert.deepEqual(parsePlace('cpu:20'), { kind: 'cpu', number: 20 });
  assert.deepEqual(parsePlace('memory:3'), { kind: 'memory', number: 3 });
});

test('parsePlace rejects everything else', () => {
  for (const text of [
    ...[
      '',
      ' ',
      '-',
      '1-',
      '-1',
      '1-2-3',
      '1:2',
      '1:60',
      '1:60:00',
      '1:1:00',
      ':31',
      '1:2:3:04',
      'hitch',
      'hitch:',
      'hitch:0',
      'hitch:01',
    ],
    ...['hitch:-1', 'hitch:1.5', 'Hitch:1', 'gpu:1', '1e3', 'NaN', '1,5', '1ms', '0x1', '1 - 2'],
    ...['12345678901', '1.0000001', `hitch:${'9'.repeat(20)}`],
  ]) {
    assert.throws(() => parsePlace(text), /Write seconds such as 31-31\.5/, text);
  }
  for (const text of ['2-1', '1-1', '1.5-1.50', '1:00-59']) {
    assert.throws(() => parsePlace(text), /must end after it begins/, text);
  }
});

test('parseTime reads times only', () => {
  assert.deepEqual(
    ['0.5', '2s', '0:31.2', '1:00:00'].map(parseTime),
    [500, 2000, 31_200, 3_600_000],
  );
  for (const text of ['', '-1', '1-2', 'hitch:1', '1:2', '1e3']) {
    assert.throws(() => parseTime(text), /Write seconds such as 31\.2, or 0:31\.2/, text);
  }
});

test('secondsText rounds up to a millisecond, so that the time is in the frame that begins there', () => {
  assert.equal(secondsText(31_245), '31.245 s');
  assert.equal(secondsText(31_245.4), '31.246 s');
  assert.equal(secondsText(31_245.000_000_1), '31.245 s');
  assert.equal(secondsText(0), '0.000 s');
});

test('namedTimeText is a second on a clock, or with decimals its start and its end', () => {
  assert.equal(namedTimeText(31_000, 1000), 'in 0:31');
  assert.equal(namedTimeText(3_725_000, 1000), 'in 1:02:05');
  assert.equal(namedTimeText(31_000, 100), 'from 31.0 s to 31.1 s');
  assert.equal(namedTimeText(31_245, 1), 'from 31.245 s to 31.246 s');
  assert.equal(namedTimeText(31_245.001, 0.001), 'from 31.245001 s to 31.245002 s');
});
