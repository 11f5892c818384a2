// The seconds of a process with the most CPU time and the largest rises of memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { busiestMoments, processMoments, risingMoments } from './process-moments.ts';

const momentsOf = (lines: string) => processMoments(modelOf(traceFromText(lines)).process);

test('processMoments returns the times between samples, with CPU, RSS and its rise', () => {
  const moments = momentsOf(`native
    1000 process cpu=50 rss=100
    2000 process cpu=150 rss=300
    3500 process rss=250
  `);
  const of = { source: 'native' };
  assert.deepEqual(moments, [
    { ...of, from_ms: 0, to_ms: 1000, cpu_percent: 50, rss_bytes: 100, rise_bytes: null },
    { ...of, from_ms: 1000, to_ms: 2000, cpu_percent: 150, rss_bytes: 300, rise_bytes: 200 },
    { ...of, from_ms: 2000, to_ms: 3500, cpu_percent: null, rss_bytes: 250, rise_bytes: -50 },
  ]);
});

test('processMoments lets the first sample describe at most one second, and none at time 0', () => {
  const firstOf = (t: number) => momentsOf(`native\n${t} process cpu=1 rss=1\n`)[0]?.from_ms;
  assert.equal(firstOf(400), 0);
  assert.equal(firstOf(1000), 0);
  assert.equal(firstOf(2500), 1500);
  assert.equal(firstOf(0), undefined);
  const afterZero = momentsOf('native\n0 process rss 10 30\n');
  assert.deepEqual(
    afterZero.map(({ from_ms, to_ms, rise_bytes }) => [from_ms, to_ms, rise_bytes]),
    [[0, 1000, 20]],
  );
});

test('processMoments skips a second sample of the same time, and merges sources by time', () => {
  const moments = momentsOf(`native browser
    1000 native:process rss=1
    1000 native:process rss=2
    2000 native:process rss=3
    1500 browser:process rss=1
    2000 browser:process rss=1
  `);
  assert.deepEqual(
    moments.map(({ source, from_ms, to_ms }) => [source, from_ms, to_ms]),
    [
      ['native', 0, 1000],
      ['browser', 500, 1500],
      ['native', 1000, 2000],
      ['browser', 1500, 2000],
    ],
  );
  assert.deepEqual(processMoments([]), []);
});

test('busiestMoments orders by CPU time, ties by time, and leaves out times without any', () => {
  const moments = momentsOf(`native
    1000 process cpu=0 rss=1
    2000 process cpu=20 rss=1
    3000 process cpu=70 rss=1
    4000 process rss=1
    5000 process cpu=20 rss=1
    6000 process cpu=0.5 rss=1
  `);
  assert.deepEqual(
    busiestMoments(moments).map(({ to_ms }) => to_ms),
    [3000, 2000, 5000, 6000],
  );
});

test('risingMoments orders by the rise of RSS, ties by time, and leaves out times without one', () => {
  const moments = momentsOf('native\n1000 process rss 10 15 15 40 30 35 36\n');
  assert.deepEqual(
    risingMoments(moments).map(({ to_ms, rise_bytes }) => [to_ms, rise_bytes]),
    [
      [4000, 25],
      [2000, 5],
      [6000, 5],
      [7000, 1],
    ],
  );
});
