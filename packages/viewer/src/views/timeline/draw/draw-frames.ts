// Draws the frame times of a track on a scale that reaches its slowest frame.
import { frameBands, frameToken } from '../../../draw/frame-bands.ts';
import { type FrameScale, framePart, frameScale, frameTicks } from '../../../draw/frame-scale.ts';
import type { Pen } from '../../../draw/pen.ts';
import { timeToX } from '../../../draw/time-axis.ts';
import { firstAt, worstFrames } from '../layout/columns.ts';
import { slowestMs, type TrackRow } from '../layout/track-rows.ts';
import type { FrameTrack, Gap } from '../timeline-data.ts';
import { withAlpha, writeScale } from './scale-text.ts';
import type { TimelinePicture } from './timeline-picture.ts';

type Strip = {
  readonly row: TrackRow;
  readonly track: FrameTrack;
  readonly gaps: readonly Gap[];
};
type Place = { readonly scale: FrameScale; readonly base: number; readonly height: number };

/** The room above the slowest frame, for half of its label. */
const HEAD = 8;
/** The minimum distance between two labels. */
const APART_PX = 13;

export function drawFrames(pen: Pen, picture: TimelinePicture, { row, track, gaps }: Strip): void {
  const { view, width, budgetMs } = picture;
  const scale = frameScale(budgetMs, slowestMs(track, gaps));
  const place: Place = { scale, base: row.top + row.height, height: row.height - HEAD };
  drawLogarithmic(pen, picture, place);
  const shortest = (view.to - view.from) / width;
  if (shortest < budgetMs / 4) drawSingleFrames(pen, picture, track, place);
  else drawWorstFrames(pen, picture, track, place);
  drawTicks(pen, picture, place);
}

/** Returns the y of the top of a frame, at least one pixel above the base. */
function topOf({ scale, base, height }: Place, ms: number): number {
  return base - Math.max(1, framePart(scale, ms) * height);
}

/** Tints the logarithmic part. The line at its bottom is drawn with the ticks. */
function drawLogarithmic(pen: Pen, { width, colours }: TimelinePicture, place: Place): void {
  const { scale, base, height } = place;
  if (scale.linear === 1) return;
  const top = base - height - HEAD;
  const bottom = topOf(place, scale.breakMs);
  pen.rect(0, top, width, bottom - top, withAlpha(colours['ink-muted'], 0.07));
}

function drawWorstFrames(
  pen: Pen,
  { view, width, budgetMs, colours }: TimelinePicture,
  track: FrameTrack,
  place: Place,
): void {
  const bands = frameBands(budgetMs);
  const worst = worstFrames(track.t, track.duration, view, width);
  for (const [x, ms] of worst.entries()) {
    if (ms === 0) continue;
    const y = topOf(place, ms);
    pen.rect(x, y, 1, place.base - y, colours[frameToken(bands, ms)]);
  }
}

function drawSingleFrames(
  pen: Pen,
  { view, width, budgetMs, colours }: TimelinePicture,
  track: FrameTrack,
  place: Place,
): void {
  const bands = frameBands(budgetMs);
  const end = firstAt(track.t, view.to);
  for (let i = Math.max(0, firstAt(track.t, view.from) - 1); i < end; i++) {
    const ms = track.duration[i] ?? 0;
    const from = timeToX(view, width, track.t[i] ?? 0);
    const to = timeToX(view, width, (track.t[i] ?? 0) + ms);
    const y = topOf(place, ms);
    const colour = colours[frameToken(bands, ms)];
    pen.rect(from, y, Math.max(1, to - from - 1), place.base - y, colour);
  }
}

function drawTicks(pen: Pen, picture: TimelinePicture, place: Place): void {
  const { width, colours } = picture;
  const { scale, base, height } = place;
  for (const { ms, part, label } of frameTicks(scale, APART_PX / height)) {
    const y = Math.round(base - part * height);
    const changes = ms === scale.breakMs && scale.linear < 1;
    if (changes) {
      pen.rect(0, y, width, 1, colours['ink-muted']);
      const text = `logarithmic above ${label.replace(/^3× /, '')}`;
      pen.rect(2, y - 14, text.length * 5.2 + 6, 12, withAlpha(colours['surface'], 0.8));
      pen.text(5, y - 8, text, colours['ink-muted'], 10, 'left');
    } else {
      const colour = colours[ms === scale.budgetMs ? 'accent' : 'ink-muted'];
      const end = width - label.length * 5.6 - 10;
      for (let x = 0; x < end; x += 6) pen.rect(x, y, 3, 1, colour);
    }
    writeScale(pen, picture, y, label);
  }
}
