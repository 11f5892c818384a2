// Draws the timeline with a pen: axis, tracks, gaps. `layout/` computes the positions.

import { FIXED_LIMITS_MS, frameBands, frameToken, stripTopMs } from '../../../draw/frame-bands.ts';
import { hatch } from '../../../draw/hatch.ts';
import type { Pen } from '../../../draw/pen.ts';
import { byteStep, roundStep, ticksBetween, timeStep } from '../../../draw/ticks.ts';
import { type TimeRange, timeToX } from '../../../draw/time-axis.ts';
import type { Colours, Token } from '../../../draw/tokens.ts';
import { formatClock, formatValue } from '../../../format/numbers.ts';
import { firstAt, linePoints, worstFrames } from '../layout/columns.ts';
import {
  AXIS_HEIGHT,
  LANE_HEIGHT,
  type Scale,
  scaleOf,
  type TrackRow,
  valueToY,
} from '../layout/track-rows.ts';
import type { FrameTrack, Gap, IntervalTrack, LineTrack, PointTrack } from '../timeline-data.ts';

/** The inputs of a picture of the timeline. Sizes are in CSS pixels. */
export type TimelinePicture = {
  readonly rows: readonly TrackRow[];
  readonly gaps: readonly Gap[];
  readonly view: TimeRange;
  readonly width: number;
  readonly height: number;
  readonly budgetMs: number;
  readonly colours: Colours;
};

/** The colours of the lines of a track, by index. */
export const SERIES_TOKENS: readonly Token[] = ['data-1', 'data-3', 'data-4', 'data-5', 'data-6'];

/** The colours of the tracks of intervals and points. */
export const RECORD_TOKENS: Readonly<Record<(IntervalTrack | PointTrack)['record'], Token>> = {
  longtask: 'data-2',
  asset: 'data-3',
  mark: 'data-4',
  span: 'data-5',
  log: 'data-6',
};

export function drawTimeline(pen: Pen, picture: TimelinePicture): void {
  const { colours, width, height } = picture;
  pen.rect(0, 0, width, height, colours['surface']);
  drawAxis(pen, picture);
  for (const row of picture.rows) {
    pen.rect(0, row.top - 1, width, 1, colours['line']);
    pen.clip(0, row.top, width, row.height, () => drawTrack(pen, picture, row));
  }
}

function drawAxis(pen: Pen, { view, width, height, colours }: TimelinePicture): void {
  const step = timeStep(view.to - view.from, width / 90);
  for (const t of ticksBetween(view.from, view.to, step)) {
    const x = timeToX(view, width, t);
    pen.rect(Math.round(x), AXIS_HEIGHT - 5, 1, height - AXIS_HEIGHT + 5, colours['data-grid']);
    const align = x < 24 ? 'left' : x > width - 28 ? 'right' : 'center';
    pen.text(
      Math.min(width - 3, Math.max(3, x)),
      10,
      formatClock(t, step),
      colours['ink-muted'],
      11,
      align,
    );
  }
}

function drawTrack(pen: Pen, picture: TimelinePicture, row: TrackRow): void {
  const gaps = picture.gaps.filter((gap) => gap.source === null || gap.source === row.track.source);
  drawGaps(pen, picture, row, gaps);
  switch (row.track.kind) {
    case 'line':
      drawLines(pen, picture, { row, track: row.track, gaps });
      break;
    case 'frames':
      drawFrames(pen, picture, row, row.track);
      break;
    case 'intervals':
      drawIntervals(pen, picture, row, row.track);
      break;
    case 'points':
      drawPoints(pen, picture, row, row.track);
      break;
  }
}

// Gaps are hatched, so that they are not read as values.
function drawGaps(pen: Pen, picture: TimelinePicture, row: TrackRow, gaps: readonly Gap[]): void {
  const { view, width, colours } = picture;
  for (const gap of gaps) {
    const from = Math.max(0, timeToX(view, width, gap.t));
    const to = Math.min(width, Math.max(from + 2, timeToX(view, width, gap.t + gap.duration)));
    if (from > width || to < 0) continue;
    pen.rect(from, row.top, to - from, row.height, colours['surface-sunken']);
    const box = { left: from, right: to, top: row.top, height: row.height };
    hatch(pen, box, colours['line-strong']);
  }
}

function drawLines(
  pen: Pen,
  picture: TimelinePicture,
  { row, track, gaps }: { row: TrackRow; track: LineTrack; gaps: readonly Gap[] },
): void {
  const { view, width, colours } = picture;
  const scale = scaleOf(track);
  const toY = (value: number): number =>
    valueToY(scale, row.top + row.height - 1, row.top + 7, value);
  const base = toY(0);
  for (const value of scaleTicks(scale, track.unit)) {
    pen.rect(0, Math.round(toY(value)), width, 1, colours['data-grid']);
  }
  track.series.forEach((series, index) => {
    const colour = colours[SERIES_TOKENS[index % SERIES_TOKENS.length] ?? 'data-1'];
    const toX = (t: number): number => timeToX(view, width, t);
    const points = linePoints(series, { view, toX, toY, gaps });
    pen.area(points.xs, points.ys, base, withAlpha(colour, 0.12));
    pen.line(points.xs, points.ys, colour, 1.5);
  });
  for (const value of scaleTicks(scale, track.unit)) {
    writeScale(pen, picture, toY(value) - 6, formatValue(value, track.unit));
  }
}

/** Writes a value at the right edge, on a background that keeps it readable. */
function writeScale(pen: Pen, { width, colours }: TimelinePicture, y: number, text: string): void {
  const wide = text.length * 5.6 + 6;
  pen.rect(width - wide - 1, y - 6, wide, 12, withAlpha(colours['surface'], 0.8));
  pen.text(width - 4, y, text, colours['ink-muted'], 10, 'right');
}

/** Returns one or two round values of a scale. 0 is included if it is not at the bottom. */
function scaleTicks({ bottom, top }: Scale, unit: string): number[] {
  const least = (top - bottom) / 2.6;
  const step = unit === 'bytes' ? byteStep(least) : roundStep(least);
  return ticksBetween(bottom < 0 ? bottom * 0.93 : step, top * 0.93, step);
}

function drawFrames(pen: Pen, picture: TimelinePicture, row: TrackRow, track: FrameTrack): void {
  const { view, width, colours, budgetMs } = picture;
  const most = stripTopMs(budgetMs);
  const bands = frameBands(budgetMs);
  const scale = (row.height - 6) / most;
  const base = row.top + row.height;
  const shortest = (view.to - view.from) / width;
  if (shortest < budgetMs / 4) drawSingleFrames(pen, picture, row, track);
  else {
    const worst = worstFrames(track.t, track.duration, view, width);
    for (let x = 0; x < worst.length; x++) {
      const ms = worst[x] ?? 0;
      if (ms === 0) continue;
      const height = Math.max(1, Math.min(most, ms) * scale);
      pen.rect(x, base - height, 1, height, colours[frameToken(bands, ms)]);
    }
  }
  const limit = (ms: number, colour: string): number => {
    const y = Math.round(base - ms * scale);
    for (let x = 0; x < width; x += 6) pen.rect(x, y, 3, 1, colour);
    return y - 6;
  };
  let above = Number.NEGATIVE_INFINITY;
  for (const ms of FIXED_LIMITS_MS.toReversed()) {
    const y = limit(ms, colours['ink-muted']);
    if (y - above < 11) continue;
    above = y;
    writeScale(pen, picture, y, `${ms.toFixed(1)} ms`);
  }
  // The budget is labelled at the top, away from the fixed limits.
  if (bands.length > FIXED_LIMITS_MS.length + 1) {
    limit(budgetMs, colours['accent']);
    const text = `- - your budget, ${budgetMs.toFixed(1)} ms`;
    pen.text(4, row.top + 9, text, colours['accent'], 10, 'left');
  }
}

function drawSingleFrames(
  pen: Pen,
  picture: TimelinePicture,
  row: TrackRow,
  track: FrameTrack,
): void {
  const { view, width, colours, budgetMs } = picture;
  const most = stripTopMs(budgetMs);
  const bands = frameBands(budgetMs);
  const scale = (row.height - 6) / most;
  const end = firstAt(track.t, view.to);
  for (let i = Math.max(0, firstAt(track.t, view.from) - 1); i < end; i++) {
    const ms = track.duration[i] ?? 0;
    const from = timeToX(view, width, track.t[i] ?? 0);
    const to = timeToX(view, width, (track.t[i] ?? 0) + ms);
    const height = Math.max(1, Math.min(most, ms) * scale);
    const colour = colours[frameToken(bands, ms)];
    pen.rect(from, row.top + row.height - height, Math.max(1, to - from - 1), height, colour);
  }
}

function drawIntervals(
  pen: Pen,
  picture: TimelinePicture,
  row: TrackRow,
  track: IntervalTrack,
): void {
  const { view, width, colours } = picture;
  const colour = colours[RECORD_TOKENS[track.record]];
  const ends = new Float64Array(track.lanes).fill(Number.NEGATIVE_INFINITY);
  for (let i = 0; i < track.t.length; i++) {
    const t = track.t[i] ?? 0;
    if (t > view.to) break;
    const until = t + (track.duration[i] ?? 0);
    if (until < view.from) continue;
    const lane = track.lane[i] ?? 0;
    const from = Math.max(timeToX(view, width, t), -2);
    const to = Math.min(width + 2, Math.max(from + 2, timeToX(view, width, until)));
    if (to <= (ends[lane] ?? 0) + 0.5) continue;
    ends[lane] = to;
    const y = row.top + 5 + lane * LANE_HEIGHT;
    pen.rect(from, y, to - from, LANE_HEIGHT - 3, colour);
    if (to - from > 40) {
      pen.clip(from, y, to - from - 2, LANE_HEIGHT - 3, () => {
        pen.text(
          Math.max(0, from) + 4,
          y + (LANE_HEIGHT - 3) / 2,
          track.names[i] ?? '',
          colours['surface'],
          10,
        );
      });
    }
  }
}

function drawPoints(pen: Pen, picture: TimelinePicture, row: TrackRow, track: PointTrack): void {
  const { view, width, colours } = picture;
  const colour = colours[RECORD_TOKENS[track.record]];
  const end = firstAt(track.t, view.to);
  let free = Number.NEGATIVE_INFINITY;
  let drawn = -1;
  for (let i = firstAt(track.t, view.from); i < end; i++) {
    const x = Math.round(timeToX(view, width, track.t[i] ?? 0));
    if (x === drawn) continue;
    drawn = x;
    pen.rect(x, row.top + 4, 2, row.height - 8, colour);
    const name = track.names[i] ?? '';
    const next = i + 1 < end ? timeToX(view, width, track.t[i + 1] ?? 0) : width;
    if (x > free && next - x > 30) {
      pen.clip(x + 4, row.top, next - x - 6, row.height, () => {
        pen.text(x + 5, row.top + row.height / 2, name, colours['ink'], 11);
      });
      free = x;
    }
  }
}

/** Adds an alpha channel to `rgb(…)`. */
export function withAlpha(colour: string, alpha: number): string {
  const [r = '0', g = '0', b = '0'] = colour.match(/[\d.]+/g) ?? [];
  return `rgba(${r}, ${g}, ${b}, ${alpha})`;
}
