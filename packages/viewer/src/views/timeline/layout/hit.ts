// Finds what is at a point of the timeline. Pure.
import { formatClock, formatMs, formatValue } from '../../../format/numbers.ts';
import type { LineSeries, Track } from '../timeline-data.ts';
import { firstAt } from './columns.ts';
import { LANE_HEIGHT, type TrackRow } from './track-rows.ts';

/** Returns the last index whose time is at most `t`, or −1 if there is none. */
export function lastAt(times: Float64Array, t: number): number {
  return firstAt(times, t + 1e-9) - 1;
}

/**
 * Returns the value of a line at a time: the value that holds, or else the nearest sample within `near` ms. Returns
 * null if there is none.
 */
export function valueAt(series: LineSeries, t: number, near: number): number | null {
  if (series.heldTo !== undefined) {
    return t > series.heldTo ? null : (series.value[lastAt(series.t, t)] ?? null);
  }
  const after = firstAt(series.t, t);
  const before = after - 1;
  const distance = (index: number): number =>
    Math.abs((series.t[index] ?? Number.POSITIVE_INFINITY) - t);
  const index = distance(before) <= distance(after) ? before : after;
  const value = series.value[index];
  return distance(index) <= near && value !== undefined && !Number.isNaN(value) ? value : null;
}

/** Describes a track at a time in a few words, within `near` ms. Returns an empty text if it has nothing there. */
export function readOut(track: Track, t: number, near: number): string {
  switch (track.kind) {
    case 'line':
      return track.series
        .map((series) => {
          const value = valueAt(series, t, Math.max(near, 1500));
          const name = track.series.length > 1 ? `${series.label} ` : '';
          return value === null ? '' : `${name}${formatValue(value, track.unit)}`;
        })
        .filter(Boolean)
        .join(' · ');
    case 'frames': {
      const index = lastAt(track.t, t);
      const ms = track.duration[index];
      return ms !== undefined && (track.t[index] ?? 0) + ms >= t ? formatMs(ms) : '';
    }
    case 'intervals': {
      const index = intervalAt(track, t, near, null);
      return index < 0 ? '' : `${track.names[index]} · ${formatMs(track.duration[index])}`;
    }
    case 'points': {
      const index = nearest(track.t, t);
      return Math.abs((track.t[index] ?? Number.POSITIVE_INFINITY) - t) <= near
        ? `${track.names[index]} · ${formatClock(track.t[index] ?? 0)}`
        : '';
    }
  }
}

function nearest(times: Float64Array, t: number): number {
  const after = firstAt(times, t);
  const closer =
    Math.abs((times[after - 1] ?? Number.NEGATIVE_INFINITY) - t) <=
    Math.abs((times[after] ?? Number.POSITIVE_INFINITY) - t);
  return closer ? after - 1 : after;
}

/** Returns the latest interval at `t`, in one lane or in any, or −1 if there is none. */
export function intervalAt(
  track: Extract<Track, { kind: 'intervals' }>,
  t: number,
  near: number,
  lane: number | null,
): number {
  for (let i = firstAt(track.t, t + near) - 1; i >= 0; i--) {
    if (lane !== null && track.lane[i] !== lane) continue;
    const from = track.t[i] ?? 0;
    if (from + (track.duration[i] ?? 0) + near >= t) return i;
    if (lane !== null) return -1;
  }
  return -1;
}

/** Returns the row at a height, and the lane in a track of intervals. */
export function rowAt(
  rows: readonly TrackRow[],
  y: number,
): { row: TrackRow; lane: number } | null {
  const row = rows.find((one) => y >= one.top && y < one.top + one.height);
  return row === undefined ? null : { row, lane: Math.floor((y - row.top - 5) / LANE_HEIGHT) };
}
