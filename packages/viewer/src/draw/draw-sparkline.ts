// Draws a series as a small line between its smallest and largest value.
import type { SeriesPoint } from '@svc/trace';
import type { Pen } from './pen.ts';
import type { Colours } from './tokens.ts';

const MARGIN = 3;

type Look = {
  readonly size: { readonly width: number; readonly height: number };
  readonly colours: Colours;
  readonly grows: boolean;
};

export function drawSparkline(
  pen: Pen,
  points: readonly SeriesPoint[],
  { size: { width, height }, colours, grows }: Look,
): void {
  pen.rect(0, 0, width, height, colours['surface']);
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return;
  const values = points.map(({ value }) => value);
  const low = Math.min(...values);
  const span = Math.max(...values) - low;
  const time = last.t - first.t;
  const xs = points.map(({ t }) => (time === 0 ? 0 : ((t - first.t) / time) * width));
  const ys = values.map((value) => {
    const part = span === 0 ? 0.5 : (value - low) / span;
    return height - MARGIN - part * (height - 2 * MARGIN);
  });
  const stroke = colours[grows ? 'frame-far' : 'data-1'];
  pen.line(xs, ys, stroke, 1.5);
}
