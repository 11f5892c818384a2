// The positions and scales of tracks. Pure.
import type { LineTrack, Track } from '../timeline-data.ts';

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

const LINE_HEIGHT = 68;
const FRAMES_HEIGHT = 76;
const POINTS_HEIGHT = 42;

/** Returns the rows below the axis, in the order of the tracks, and the total height. */
export function trackRows(tracks: readonly Track[]): { rows: TrackRow[]; height: number } {
  let top = AXIS_HEIGHT;
  const rows = tracks.map((track) => {
    const row = { track, top, height: heightOf(track) };
    top += row.height + TRACK_GAP;
    return row;
  });
  return { rows, height: top };
}

function heightOf(track: Track): number {
  switch (track.kind) {
    case 'line':
      return LINE_HEIGHT;
    case 'frames':
      return FRAMES_HEIGHT;
    case 'intervals':
      return Math.max(POINTS_HEIGHT, track.lanes * LANE_HEIGHT + 10);
    case 'points':
      return POINTS_HEIGHT;
  }
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

/** Returns the y of a value between `foot` and `head`, in pixels downwards. */
export function valueToY(
  { bottom, top }: Scale,
  foot: number,
  head: number,
  value: number,
): number {
  return foot - ((value - bottom) / (top - bottom)) * (foot - head);
}
