import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COLOURS, notePen } from '../../../test/note-pen.ts';
import { drawHistogram, HISTOGRAM_HEIGHT } from './draw-histogram.ts';

test('a bar is as high as the root of its count, in its band’s colour, and the largest is reported', () => {
  const counts = new Array<number>(60).fill(0);
  counts[5] = 100;
  counts[15] = 25;
  counts[25] = 1;
  const { pen, rects, texts } = notePen();
  drawHistogram(pen, { binMs: 2, counts }, 20, 600, COLOURS);
  const bars = ['frame-within', 'frame-near', 'frame-over', 'frame-far'].flatMap((token) =>
    rects(token).map(({ x, width, y, height }) => [token, x, width, height, y + height]),
  );
  const base = HISTOGRAM_HEIGHT - 34;
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
      '100 frames at most in a bar of 2.00 ms',
    ],
  );
});

test('a single frame stays visible, and no frames are reported as none', () => {
  const told = (count: number) => {
    const counts = [count, ...new Array<number>(59).fill(0)];
    const { pen, texts } = notePen();
    drawHistogram(pen, { binMs: 2, counts }, 20, 600, COLOURS);
    return texts().at(-1);
  };
  assert.equal(told(1), '1 frame at most in a bar of 2.00 ms');
  assert.equal(told(0), 'No frame to count');
  const { pen, rects } = notePen();
  drawHistogram(pen, { binMs: 2, counts: [1e9, 1] }, 20, 600, COLOURS);
  assert.equal(rects('frame-within').at(-1)?.height, 2);
});
