import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COLOURS, notePen } from '../../../test/note-pen.ts';
import { drawHistogram } from './draw-histogram.ts';

const LOOK = { budgetMs: 20, width: 600, height: 220, colours: COLOURS };

test('a bar is as high as the square root of its count, has the colour of its band, and the caption states the largest', () => {
  const counts = new Array<number>(60).fill(0);
  counts[5] = 100;
  counts[15] = 25;
  counts[25] = 1;
  const { pen, rects, texts } = notePen();
  drawHistogram(pen, { binMs: 2, counts }, LOOK);
  const bars = ['frame-within', 'frame-near', 'frame-over', 'frame-far'].flatMap((token) =>
    rects(token).map(({ x, width, y, height }) => [token, x, width, height, y + height]),
  );
  const base = 220 - 34;
  assert.deepEqual(bars, [
    ['frame-within', 50, 9, 168, base],
    ['frame-over', 150, 9, 84, base],
    ['frame-far', 250, 9, 16.8, base],
  ]);
  assert.deepEqual(
    texts().filter((text) => /\d/.test(text)),
    [
      '0',
      '20.0 ms',
      '40.0 ms',
      '60.0 ms',
      '80.0 ms',
      '100.0 ms',
      'At most 100 frames in a bar of 2.00 ms',
    ],
  );
});

test('a single frame stays visible, and the caption says if there are no frames', () => {
  const caption = (count: number) => {
    const counts = [count, ...new Array<number>(59).fill(0)];
    const { pen, texts } = notePen();
    drawHistogram(pen, { binMs: 2, counts }, LOOK);
    return texts().at(-1);
  };
  assert.equal(caption(1), 'At most 1 frame in a bar of 2.00 ms');
  assert.equal(caption(0), 'No frames');
  const { pen, rects } = notePen();
  drawHistogram(pen, { binMs: 2, counts: [1e9, 1] }, LOOK);
  assert.equal(rects('frame-within').at(-1)?.height, 2);
});

test('the bars grow with the height of the chart', () => {
  const tallest = (height: number): number => {
    const { pen, rects } = notePen();
    drawHistogram(pen, { binMs: 2, counts: [7, 1] }, { ...LOOK, height });
    return rects('frame-within')[0]?.height ?? 0;
  };
  assert.equal(tallest(420) - tallest(220), 200);
});
