// Draws the overview strip: the first line of the trace, and the longest frames if there are any.

import { frameBands, frameToken } from '../../../draw/frame-bands.ts';
import { framePart, frameScale } from '../../../draw/frame-scale.ts';
import { hatch } from '../../../draw/hatch.ts';
import type { Pen } from '../../../draw/pen.ts';
import { type TimeRange, timeToX } from '../../../draw/time-axis.ts';
import type { Colours } from '../../../draw/tokens.ts';
import { linePoints, worstFrames } from '../layout/columns.ts';
import { scaleOf, slowestMs, valueToY } from '../layout/track-rows.ts';
import type { Timeline } from '../timeline-data.ts';
import { withAlpha } from './scale-text.ts';

type Look = {
  readonly whole: TimeRange;
  readonly width: number;
  readonly height: number;
  readonly budgetMs: number;
  readonly colours: Colours;
};

export function drawOverview(pen: Pen, timeline: Timeline, look: Look): void {
  const { whole, width, height, budgetMs, colours } = look;
  pen.rect(0, 0, width, height, colours['surface-sunken']);
  const line = timeline.tracks.find((track) => track.kind === 'line');
  const toX = (t: number): number => timeToX(whole, width, t);
  if (line?.kind === 'line') {
    const [series] = line.series;
    const toY = (value: number): number => valueToY(scaleOf(line), height, 3, value);
    if (series !== undefined) {
      const points = linePoints(series, { view: whole, toX, toY, gaps: timeline.gaps });
      pen.area(points.xs, points.ys, toY(0), withAlpha(colours['data-1'], 0.25));
      pen.line(points.xs, points.ys, colours['data-1'], 1);
    }
  }
  const frames = timeline.tracks.find((track) => track.kind === 'frames');
  if (frames?.kind === 'frames') {
    const bands = frameBands(budgetMs);
    const scale = frameScale(budgetMs, slowestMs(frames, timeline.gaps));
    const worst = worstFrames(frames.t, frames.duration, whole, width);
    for (let x = 0; x < worst.length; x++) {
      const ms = worst[x] ?? 0;
      if (ms === 0) continue;
      const tall = Math.max(1, framePart(scale, ms) * height);
      pen.rect(x, height - tall, 1, tall, colours[frameToken(bands, ms)]);
    }
  }
  for (const gap of timeline.gaps) {
    const left = toX(gap.t);
    const right = Math.max(left + 1, toX(gap.t + gap.duration));
    pen.rect(left, 0, right - left, height, colours['surface-sunken']);
    hatch(pen, { left, right, top: 0, height }, colours['line-strong']);
  }
}
