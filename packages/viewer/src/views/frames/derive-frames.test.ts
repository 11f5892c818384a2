import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../../test/build-trace.ts';
import { countBins, deriveFrames } from './derive-frames.ts';
import { histogramRows } from './histogram-rows.ts';

const model = modelOf(
  { type: 'frames', t: 0, duration_ms: [10, 10, 50, 10] },
  { type: 'frames', t: 1000, duration_ms: [30, 10, 40] },
  { type: 'frames', t: 0, duration_ms: [25], source: 'native' },
  { type: 'loss', t: 1035, reason: 'hidden_tab', duration_ms: 2, source: 'browser' },
);

test('each source has its own statistics, histogram and hitches, without frames in gaps', () => {
  const [browser, native, ...more] = deriveFrames(model, null, 20);
  assert.equal(more.length, 0);
  assert.equal(browser?.source, 'browser');
  assert.equal(browser.stats.count, 6);
  assert.equal(browser.stats.left_out, 1);
  assert.equal(browser.stats.budget_ms, 20);
  assert.equal(browser.stats.over_budget, 3);
  assert.deepEqual(
    browser.hitches.map(({ start_ms, duration_ms }) => [start_ms, duration_ms]),
    [
      [20, 50],
      [1040, 40],
      [1000, 30],
    ],
  );
  assert.equal(browser.hitchCount, 3);
  assert.equal(
    browser.histogram.counts.reduce((sum, count) => sum + count, 0),
    6,
  );
  assert.equal(native?.source, 'native');
  assert.deepEqual(
    native.hitches.map(({ start_ms }) => start_ms),
    [0],
  );
  assert.equal(native.stats.count, 1);
});

test('a range counts the frames that begin in it', () => {
  const [part] = deriveFrames(model, { from: 20, to: 1040 }, 20);
  assert.deepEqual(
    part?.hitches.map(({ start_ms }) => start_ms),
    [20, 1000],
  );
  assert.equal(part?.hitchCount, 2);
  assert.equal(part?.stats.count, 3);
  assert.equal(
    part?.histogram.counts.reduce((sum, count) => sum + count, 0),
    3,
  );
});

test('of many hitches only the worst are listed, and all are counted', () => {
  const slow = { type: 'frames', t: 0, duration_ms: new Array<number>(2001).fill(50) } as const;
  const [browser] = deriveFrames(modelOf(slow), null, 20);
  assert.deepEqual([browser?.hitches.length, browser?.hitchCount], [2000, 2001]);
});

test('a bin is a tenth of the budget and includes its lower edge, and the last bin holds all longer frames', () => {
  const { binMs, counts } = countBins(
    Float64Array.from([0, 1.9, 2, 20, 119.9, 5000, 7]),
    [0, 1, 2, 3, 4, 5],
    20,
  );
  assert.equal(binMs, 2);
  assert.equal(counts.length, 60);
  assert.deepEqual([counts[0], counts[1], counts[10], counts[59]], [2, 1, 1, 2]);
  assert.equal(counts[3], 0, 'frames that are not kept are not counted');
  // As doubles, 0.3 / 0.1 is less than 3.
  assert.equal(countBins(Float64Array.from([0.3]), [0], 1).counts[3], 1);
});

test('the rows of a histogram are its non-empty bins with their shares, and the last has no end', () => {
  const counts = [3, 0, 1];
  assert.deepEqual(histogramRows({ binMs: 2, counts }, 4), [
    { from: 0, to: 2, count: 3, share: 0.75 },
    { from: 4, to: null, count: 1, share: 0.25 },
  ]);
  assert.deepEqual(histogramRows({ binMs: 2, counts: [1, 1] }, 0)[0]?.share, 0);
});
