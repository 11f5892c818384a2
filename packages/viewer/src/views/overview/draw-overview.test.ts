// The small charts of the overview: frame pacing and sparklines.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, pacingOf } from '@svc/trace';
import { traceFromText } from '@svc/trace/testing';
import { COLOURS, notePen } from '../../../test/note-pen.ts';
import { drawSparkline } from '../../draw/draw-sparkline.ts';
import { framePart, frameScale } from '../../draw/frame-scale.ts';
import { drawPacing } from './draw-pacing.ts';

test('each part of a recording is a bar in the colour of its class, and the longest frame fills the chart', () => {
  const text = `browser\n0 frames 10*80 20*20 10*80 90`;
  const [pacing] = pacingOf(modelOf(traceFromText(text)), 10);
  assert.ok(pacing !== undefined);
  const { pen, rects } = notePen();
  const HEIGHT = 84;
  drawPacing(pen, pacing, { size: { width: 480, height: HEIGHT }, colours: COLOURS });
  const [within, over, far] = ['frame-within', 'frame-over', 'frame-far'].map((token) =>
    rects(token),
  );
  assert.ok((within?.length ?? 0) > 100);
  assert.equal(over?.length, 20);
  assert.equal(far?.length, 1);
  assert.equal(Math.round(far?.[0]?.height ?? 0), HEIGHT - 2);
  for (const bar of [...(within ?? []), ...(over ?? [])]) {
    assert.equal(bar.y + bar.height, HEIGHT);
  }
  const budget = Math.round(HEIGHT - framePart(frameScale(10, 90), 10) * (HEIGHT - 2));
  assert.ok(rects('ink-muted').every(({ y }) => y === budget));
});

test('a sparkline spans its values and its width, and a growing series has the colour of a warning', () => {
  const points = [
    { t: 1000, value: 5 },
    { t: 2000, value: 9 },
    { t: 3000, value: 7 },
  ];
  const { pen, lines } = notePen();
  drawSparkline(pen, points, { size: { width: 100, height: 36 }, colours: COLOURS, grows: false });
  const [line] = lines('data-1');
  assert.deepEqual(line?.xs, [0, 50, 100]);
  assert.deepEqual(line?.ys, [33, 3, 18]);
  drawSparkline(pen, points, { size: { width: 100, height: 36 }, colours: COLOURS, grows: true });
  assert.equal(lines('frame-far').length, 1);
});

test('a sparkline of one value or of equal values is in the middle, and of no values empty', () => {
  for (const points of [[{ t: 5, value: 3 }], [1, 2].map((t) => ({ t, value: 3 }))]) {
    const { pen, lines } = notePen();
    drawSparkline(pen, points, {
      size: { width: 100, height: 36 },
      colours: COLOURS,
      grows: false,
    });
    assert.ok(lines('data-1')[0]?.ys.every((y) => y === 18));
  }
  const { pen, lines } = notePen();
  drawSparkline(pen, [], { size: { width: 100, height: 36 }, colours: COLOURS, grows: false });
  assert.equal(lines('data-1').length, 0);
});
