import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TraceRecord } from '@svc/trace';
import { WindowFrames } from './window-frames.ts';

/** Presents a frame every `every` ms after `from`, up to `to`. */
function presentEvery(windows: WindowFrames, key: string, every: number, from: number, to: number) {
  for (let t = from + every; t <= to; t += every) windows.present(key, t);
}

function framesOf(records: readonly TraceRecord[]): [t: number, durations: readonly number[]][] {
  return records.flatMap((record) =>
    record.type === 'frames' ? [[record.t, record.duration_ms] as const] : [],
  ) as [number, readonly number[]][];
}

function others(records: readonly TraceRecord[]) {
  return records.filter(({ type }) => type !== 'frames');
}

test('WindowFrames: a frame is from one presented frame to the next, also across two seconds', () => {
  const windows = new WindowFrames();
  for (const t of [10, 26.5, 990]) windows.present('a', t);
  assert.deepEqual(windows.take(1000), [{ type: 'frames', t: 10, duration_ms: [16.5, 963.5] }]);
  windows.present('a', 1006.7);
  assert.deepEqual(windows.take(2000), [{ type: 'frames', t: 990, duration_ms: [16.7] }]);
  assert.deepEqual(windows.take(3000), []);
});

test('WindowFrames: an interruption ends a frame without recording it', () => {
  const windows = new WindowFrames();
  for (const t of [0, 10]) windows.present('a', t);
  windows.interrupt();
  for (const t of [500, 510]) windows.present('a', t);
  assert.deepEqual(framesOf(windows.take(1000)), [
    [0, [10]],
    [500, [10]],
  ]);
});

test('WindowFrames: a long second is more than one record', () => {
  const windows = new WindowFrames();
  for (let i = 0; i <= 4001; i++) windows.present('a', i / 8);
  const frames = framesOf(windows.take(1000));
  assert.deepEqual(
    frames.map(([t, durations]) => [t, durations.length]),
    [
      [0, 4000],
      [500, 1],
    ],
  );
});

test('WindowFrames: the first window stays the main one, and others have a counter', () => {
  const windows = new WindowFrames();
  for (let second = 0; second < 5; second++) {
    const [from, to] = [second * 1000, (second + 1) * 1000];
    presentEvery(windows, 'a', 20, from, to);
    if (second > 0) presentEvery(windows, 'b', 16, from, to);
    const records = windows.take(to);
    assert.equal(framesOf(records)[0]?.[1].length, second === 0 ? 49 : 50);
    assert.deepEqual(
      others(records),
      second === 0
        ? []
        : [
            {
              type: 'counter',
              t: to,
              name: 'window 2 frames',
              unit: 'frames/s',
              value: 62,
            },
          ],
    );
  }
});

test('WindowFrames: a window that presents twice as often for ten seconds becomes the main one', () => {
  const windows = new WindowFrames();
  const seconds = Array.from({ length: 13 }, (_, second) => {
    const [from, to] = [second * 1000, (second + 1) * 1000];
    presentEvery(windows, 'a', 100, from, to);
    if (second > 0) presentEvery(windows, 'b', 50, from, to);
    return windows.take(to);
  });
  const [before = [], switched = [], after = []] = seconds.slice(9);
  assert.deepEqual(framesOf(before)[0]?.[1].length, 10);
  assert.deepEqual(others(switched)[0], {
    type: 'log',
    t: 10_000,
    level: 'info',
    text: 'The program presents frames in several windows. From here on, frames are those of its window 2.',
  });
  // Frames do not overlap: those of window 2 begin after the last one of window 1.
  assert.deepEqual(framesOf(switched), [[10_000, Array.from({ length: 20 }, () => 50)]]);
  assert.deepEqual(framesOf(after), [[11_000, Array.from({ length: 20 }, () => 50)]]);
});

test('WindowFrames: a freeze of the main window is its frame, whatever other windows present meanwhile', () => {
  for (const [rate, freezeMs] of [
    [1, 4000],
    [5, 3000],
    [5, 4000],
    [30, 9000],
    [60, 9000],
  ] as const) {
    const windows = new WindowFrames();
    const records: TraceRecord[] = [];
    const [from, to] = [3000, 3000 + freezeMs];
    for (let second = 0; second < 20; second++) {
      for (let t = second * 1000; t < (second + 1) * 1000; t += 10) {
        if (t <= from || t >= to) windows.present('game', t);
        if (t % Math.round(1000 / rate) < 10) windows.present('tool', t);
      }
      records.push(...windows.take((second + 1) * 1000));
    }
    const durations = framesOf(records).flatMap(([, all]) => all);
    assert.deepEqual(
      durations.filter((ms) => ms > 15),
      [freezeMs],
      `${rate} fps, ${freezeMs} ms`,
    );
  }
});

test('WindowFrames: a window that replaces the main one has all of its frames', () => {
  const windows = new WindowFrames();
  presentEvery(windows, 'splash', 60, 0, 1000);
  windows.take(1000);
  const records: TraceRecord[] = [];
  for (let second = 1; second < 13; second++) {
    presentEvery(windows, 'game', 100, second * 1000, (second + 1) * 1000);
    records.push(...windows.take((second + 1) * 1000));
  }
  const frames = framesOf(records);
  assert.equal(frames[0]?.[0], 1100);
  assert.equal(frames.flatMap(([, durations]) => durations).length, 119);
});

test('WindowFrames: at the end, the window that replaced the main one is known without more seconds', () => {
  const windows = new WindowFrames();
  presentEvery(windows, 'a', 10, 0, 1000);
  windows.take(1000);
  presentEvery(windows, 'b', 10, 1000, 2000);
  assert.deepEqual(framesOf(windows.take(2000)), []);
  assert.equal(framesOf(windows.take(2100, true))[0]?.[1].length, 99);
});

test('WindowFrames: windows without end are not distinguished, and a forgotten one keeps its number', () => {
  const windows = new WindowFrames();
  const namesAt = (t: number) =>
    others(windows.take(t)).flatMap((one) => ('name' in one ? [one.name] : []));
  windows.take(0);
  presentEvery(windows, 'a', 10, 0, 1000);
  for (let i = 0; i < 1000; i++) windows.present(`x${i}`, 500);
  assert.equal(namesAt(1000).length, 63);
  for (let second = 2; second < 15; second++) {
    presentEvery(windows, 'a', 10, (second - 1) * 1000, second * 1000);
    windows.take(second * 1000);
  }
  windows.present('x0', 14_500);
  windows.present('later', 14_500);
  assert.deepEqual(namesAt(15_000), ['window 2 frames']);
});
