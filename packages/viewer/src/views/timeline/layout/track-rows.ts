// The positions and scales of tracks. Pure.
import type { FrameTrack, Gap, LineTrack, Track } from '../timeline-data.ts';

export type TrackRow = {
  readonly track: Track;
  readonly top: number;
  readonly height: number;
};

/** The height of the time axis above the tracks, in CSS pixels. */
export const AXIS_HEIGHT = 24;
/** The space between tracks. */
export const TRACK_GAP = 1;
export const LANE_HEIGHT = 15;

const POINTS_HEIGHT = 42;
const LINE_HEIGHT = 62;
/** The height of a line's value beside its track. */
const VALUE_HEIGHT = 17;

/** The heights that a track may have, and its share of the room that is left. */
type Flex = { readonly least: number; readonly most: number; readonly share: number };

/**
 * Returns the rows below the axis, in the order of the tracks, and the total height. Together they fill `room` CSS pixels, as
 * far as the minimum and the maximum of each kind of track allow: curves and above all frames grow, rows of events do not.
 */
export function trackRows(
  tracks: readonly Track[],
  room = 0,
): { rows: TrackRow[]; height: number } {
  const heights = shareRoom(tracks.map(flexOf), room - AXIS_HEIGHT - tracks.length * TRACK_GAP);
  let top = AXIS_HEIGHT;
  const rows = tracks.map((track, index) => {
    const row = { track, top, height: heights[index] ?? 0 };
    top += row.height + TRACK_GAP;
    return row;
  });
  return { rows, height: top };
}

function flexOf(track: Track): Flex {
  switch (track.kind) {
    case 'line':
      return { least: LINE_HEIGHT + (track.series.length - 1) * VALUE_HEIGHT, most: 260, share: 1 };
    case 'frames':
      return { least: 110, most: 620, share: 2.5 };
    case 'intervals': {
      const height = Math.max(POINTS_HEIGHT, track.lanes * LANE_HEIGHT + 10);
      return { least: height, most: height, share: 0 };
    }
    case 'points':
      return { least: POINTS_HEIGHT, most: POINTS_HEIGHT, share: 0 };
  }
}

/** Gives each the same height per share, but at least its minimum and at most its maximum. Heights are whole pixels. */
function shareRoom(all: readonly Flex[], room: number): number[] {
  const heightsAt = (unit: number): number[] =>
    all.map(({ least, most, share }) => Math.floor(Math.min(most, Math.max(least, unit * share))));
  const sum = (heights: readonly number[]): number => heights.reduce((a, b) => a + b, 0);
  let [low, high] = [0, Math.max(0, room)];
  // The sum of the heights never falls as the unit grows, so the largest unit that fits is found by halving.
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (sum(heightsAt(middle)) <= room) low = middle;
    else high = middle;
  }
  return heightsAt(low);
}

/** The part of the largest value at the top of a scale, so that the line does not reach the label. */
const HEADROOM = 1.3;
/** The part of the smallest value at the bottom of a scale, if that is below 0. */
const FOOTROOM = 1.1;

/** The values at the bottom and the top of a track. 0 is always between them. */
export type Scale = { readonly bottom: number; readonly top: number };

/** Returns the scale of all values of a track. The scale of CPU is at least one core. */
export function scaleOf(track: LineTrack): Scale {
  const known = scales.get(track);
  if (known !== undefined) return known;
  let most = track.unit === 'percent' ? 80 : 0;
  let least = 0;
  for (const series of track.series) {
    for (const value of series.value) {
      if (value > most) most = value;
      if (value < least) least = value;
    }
  }
  const top = most === 0 && least === 0 ? 1 : most === 0 ? -least * 0.1 : most * HEADROOM;
  const scale = { bottom: least * FOOTROOM, top };
  scales.set(track, scale);
  return scale;
}

/** A scale is computed once for each track, not for each drawing. */
const scales = new WeakMap<LineTrack, Scale>();

/** Returns the longest frame of a track in ms that is not in a gap of its source, or 0. */
export function slowestMs(track: FrameTrack, gaps: readonly Gap[]): number {
  const known = slowest.get(track);
  if (known !== undefined) return known;
  const own = gaps.filter(
    ({ source, duration }) => duration > 0 && (source === null || source === track.source),
  );
  let most = 0;
  for (const [index, ms] of track.duration.entries()) {
    const t = track.t[index] ?? 0;
    if (ms > most && !own.some((gap) => gap.t < t + ms && gap.t + gap.duration > t)) most = ms;
  }
  slowest.set(track, most);
  return most;
}

/** Computed once for each track, too. */
const slowest = new WeakMap<FrameTrack, number>();

/** Returns the y of a value between `foot` and `head`, in pixels downwards. */
export function valueToY(
  { bottom, top }: Scale,
  foot: number,
  head: number,
  value: number,
): number {
  return foot - ((value - bottom) / (top - bottom)) * (foot - head);
}
