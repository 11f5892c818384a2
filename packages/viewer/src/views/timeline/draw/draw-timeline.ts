// Draws the timeline with a pen: axis, tracks, gaps. `layout/` computes the positions.

import { fitName } from '../../../draw/fit-name.ts';
import { hatch } from '../../../draw/hatch.ts';
import type { Pen } from '../../../draw/pen.ts';
import { byteStep, roundStep, ticksBetween, timeStep } from '../../../draw/ticks.ts';
import { timeToX } from '../../../draw/time-axis.ts';
import type { Token } from '../../../draw/tokens.ts';
import { formatClock, formatValue } from '../../../format/numbers.ts';
import { firstAt, linePoints } from '../layout/columns.ts';
import {
  AXIS_HEIGHT,
  LANE_HEIGHT,
  type Scale,
  scaleOf,
  type TrackRow,
  valueToY,
} from '../layout/track-rows.ts';
import type { Gap, IntervalTrack, LineTrack, PointTrack } from '../timeline-data.ts';
import { drawFrames } from './draw-frames.ts';
import { withAlpha, writeScale } from './scale-text.ts';
import type { TimelinePicture } from './timeline-picture.ts';

/** About the width of a letter of a label. A label that is wider than its place is clipped. */
const LETTER_PX = 5.8;

/** The least distance between two values of a scale. */
const TICK_PX = 34;

/** The colours of the lines of a track, by index. */
export const SERIES_TOKENS: readonly Token[] = ['data-1', 'data-3', 'data-4', 'data-5', 'data-6'];

/** The colours of the tracks of intervals and points. */
export const RECORD_TOKENS: Readonly<Record<(IntervalTrack | PointTrack)['record'], Token>> = {
  longtask: 'data-2',
  asset: 'data-3',
  mark: 'data-4',
  span: 'data-5',
  log: 'data-6',
  note: 'accent',
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
      drawFrames(pen, picture, { row, track: row.track, gaps });
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
  for (const value of scaleTicks(scale, track.unit, row.height)) {
    pen.rect(0, Math.round(toY(value)), width, 1, colours['data-grid']);
  }
  track.series.forEach((series, index) => {
    const colour = colours[SERIES_TOKENS[index % SERIES_TOKENS.length] ?? 'data-1'];
    const toX = (t: number): number => timeToX(view, width, t);
    const points = linePoints(series, { view, toX, toY, gaps });
    pen.area(points.xs, points.ys, base, withAlpha(colour, 0.12));
    pen.line(points.xs, points.ys, colour, 1.5);
  });
  for (const value of scaleTicks(scale, track.unit, row.height)) {
    writeScale(pen, picture, toY(value) - 6, formatValue(value, track.unit));
  }
}

/** Returns round values of a scale, one or two if the row is low. 0 is included if it is not at the bottom. */
function scaleTicks({ bottom, top }: Scale, unit: string, height: number): number[] {
  const least = (top - bottom) / Math.max(2.6, height / TICK_PX);
  const step = unit === 'bytes' ? byteStep(least) : roundStep(least);
  return ticksBetween(bottom < 0 ? bottom * 0.93 : step, top * 0.93, step);
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
    if (track.record === 'note') drawRangeName(pen, picture, { track, index: i, from, to, y });
    else if (to - from > 40) {
      pen.clip(from, y, to - from - 2, LANE_HEIGHT - 3, () => {
        pen.text(
          Math.max(0, from) + 4,
          y + (LANE_HEIGHT - 3) / 2,
          fitName(track.names[i] ?? '', (to - Math.max(0, from) - 6) / LETTER_PX),
          colours['surface'],
          10,
        );
      });
    }
  }
}

type RangeName = {
  readonly track: IntervalTrack;
  readonly index: number;
  readonly from: number;
  readonly to: number;
  readonly y: number;
};

/** The name of a range is in its bar, or, if there is more room, after it until the next bar of the lane. */
function drawRangeName(pen: Pen, picture: TimelinePicture, range: RangeName): void {
  const { track, index, from, to, y } = range;
  const { view, width, colours } = picture;
  const name = track.names[index] ?? '';
  const middle = y + (LANE_HEIGHT - 3) / 2;
  const left = Math.max(0, from) + 4;
  const next = nextInLane(track, index);
  const inside = to - left - 2;
  const after = Math.min(width, next === null ? width : timeToX(view, width, next)) - to - 6;
  if (name.length * LETTER_PX > inside && after > inside) {
    pen.text(to + 4, middle, fitName(name, after / LETTER_PX), colours['ink'], 10);
  } else if (inside > 34) {
    pen.text(left, middle, fitName(name, inside / LETTER_PX), colours['surface'], 10);
  }
}

/** The start of the next interval in the lane of another, in ms. Null if it is the last. */
function nextInLane(track: IntervalTrack, index: number): number | null {
  for (let i = index + 1; i < track.t.length; i++) {
    if (track.lane[i] === track.lane[index]) return track.t[i] ?? null;
  }
  return null;
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
        const room = (next - x - 6) / LETTER_PX;
        pen.text(x + 5, row.top + row.height / 2, fitName(name, room), colours['ink'], 11);
      });
      free = x;
    }
  }
}
