// Where each track lies in the timeline: heights, one below the other. Pure.
import type { Track } from '../timeline-data.ts';

export type TrackRow = {
  readonly track: Track;
  readonly top: number;
  readonly height: number;
};

/** Height of the time axis above the tracks, in CSS pixels. */
export const AXIS_HEIGHT = 24;
/** Free space between tracks. */
export const TRACK_GAP = 1;
export const LANE_HEIGHT = 15;

const LINE_HEIGHT = 68;
const FRAMES_HEIGHT = 76;
const POINTS_HEIGHT = 42;

/** Rows in the order of the tracks, below the axis; `height` is that of everything. */
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

/** The scale goes this much beyond the largest value, so that the line stays clear of the number at the top. */
const HEADROOM = 1.3;

/** The largest value of a line track in a stretch of time, never below what makes a scale: for CPU one core. */
export function topOfScale(track: Track): number {
  if (track.kind !== 'line') return 0;
  const known = tops.get(track);
  if (known !== undefined) return known;
  let most = track.unit === 'percent' ? 80 : 0;
  for (const series of track.series) {
    for (const value of series.value) if (value > most) most = value;
  }
  const top = most === 0 ? 1 : most * HEADROOM;
  tops.set(track, top);
  return top;
}

/** Looked for once in all the values of a track, not at each drawing. */
const tops = new WeakMap<Track, number>();
