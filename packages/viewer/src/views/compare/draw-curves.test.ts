import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COLOURS, notePen } from '../../../test/note-pen.ts';
import { curvesHeight, drawCurves } from './draw-curves.ts';
import type { Curve, CurvePair } from './pair-curves.ts';

function curve(t: number[], value: number[], gaps: Curve['gaps'] = []): Curve {
  return { label: 'RSS', t: Float64Array.from(t), value: Float64Array.from(value), gaps };
}

const SIZE = { width: 1000, height: 170 };

const pair = (before: Curve | null, after: Curve | null): CurvePair => {
  return { id: 'memory', label: 'RSS', source: 'native', before, after };
};

test('both traces are drawn over each other on one scale of time and size', () => {
  const { pen, lines, texts } = notePen();
  drawCurves(
    pen,
    [pair(curve([0, 1000], [100, 200]), curve([0, 2000], [100, 400]))],
    SIZE,
    COLOURS,
  );
  const [before] = lines('data-2');
  const [after] = lines('data-1');
  assert.deepEqual(
    [before?.xs, after?.xs],
    [
      [0, 500],
      [0, 1000],
    ],
  );
  assert.equal(before?.ys[0], after?.ys[0], 'the same size is at the same height');
  assert.ok((after?.ys[1] ?? 0) < (before?.ys[1] ?? 0), 'more is higher');
  assert.ok(texts().includes('RSS, native'));
  assert.ok(texts().includes('256 B'), texts().join(', '));
});

test('the scale includes the largest value of either trace', () => {
  for (const [before, after] of [
    [400, 100],
    [100, 400],
  ] as const) {
    const { pen, lines } = notePen();
    drawCurves(pen, [pair(curve([0, 1], [before, 1]), curve([0, 1], [after, 1]))], SIZE, COLOURS);
    const highest = Math.min(...['data-1', 'data-2'].map((token) => lines(token)[0]?.ys[0] ?? -1));
    assert.ok(highest > 22 && highest < 50, String(highest));
  }
});

test('a missing line is not drawn, and each pair has its own panel', () => {
  const { pen, lines, texts } = notePen();
  const pairs = [pair(curve([0], [1]), null), pair(null, curve([0], [1]))];
  drawCurves(pen, pairs, { width: 1000, height: 320 }, COLOURS);
  assert.deepEqual([lines('data-2').length, lines('data-1').length], [1, 1]);
  assert.ok((lines('data-1')[0]?.ys[0] ?? 0) > (lines('data-2')[0]?.ys[0] ?? 0) + 100);
  assert.deepEqual(curvesHeight(pairs), { least: 320, most: 700 });
  assert.deepEqual(curvesHeight(pairs.slice(1)), { least: 170, most: 360 });
  assert.equal(texts().filter((text) => text === 'RSS, native').length, 2);
});

test('a line is interrupted at a gap, which is hatched in the colour of the line', () => {
  const gap = { t: 400, duration: 200, reason: 'late_sampler', source: null, count: null };
  const { pen, lines } = notePen();
  drawCurves(pen, [pair(null, curve([0, 1000], [1, 2], [gap]))], SIZE, COLOURS);
  const own = lines('data-1');
  assert.ok(own.length > 5, 'hatching');
  assert.ok(own.at(-1)?.ys.some(Number.isNaN));
  assert.equal(lines('data-2').length, 0);
});

test('panels share the height of the chart', () => {
  const depth = (height: number): number => {
    const { pen, lines } = notePen();
    drawCurves(
      pen,
      [pair(curve([0, 1], [1, 2]), null), pair(null, curve([0, 1], [0, 2]))],
      { width: 1000, height },
      COLOURS,
    );
    return lines('data-1')[0]?.ys[0] ?? 0;
  };
  assert.equal(depth(320), 299);
  assert.equal(depth(620), 599);
});
