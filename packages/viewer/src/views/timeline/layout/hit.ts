// Finds what the tracks have at a time, by binary search. Pure.
import { formatClock, formatMs, formatValue } from '../../../format/numbers.ts';
import type { LineSeries, Track } from '../timeline-data.ts';
import { firstAt } from './columns.ts';
import { countTouching, firstAfter, lastTouching } from './interval-index.ts';

/** Returns the last index whose time is at most `t`, or −1 if there is none. */
export function lastAt(times: Float64Array, t: number): number {
  return firstAfter(times, t) - 1;
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

/**
 * What a track has at a time: the name of a line or an event, empty if the track says it, and the value. `more` is the number
 * of other events at this time.
 */
export type Reading = { readonly name: string; readonly value: string; readonly more: number };

/**
 * Returns what a track has at a time, within `near` ms: a reading for each of its lines, otherwise one, or none if nothing is
 * there. The value of a line without a sample is empty. Of several events, the last is named and the others are counted.
 */
export function readOut(track: Track, t: number, near: number): readonly Reading[] {
  switch (track.kind) {
    case 'line':
      return track.series.map((series) => {
        const value = valueAt(series, t, Math.max(near, SAMPLE_NEAR_MS));
        return {
          name: track.series.length > 1 ? series.label : '',
          value: value === null ? '' : formatValue(value, track.unit),
          more: 0,
        };
      });
    case 'frames': {
      const index = lastAt(track.t, t);
      const ms = track.duration[index];
      const lasts = ms !== undefined && (track.t[index] ?? 0) + ms >= t;
      return lasts ? [{ name: '', value: formatMs(ms), more: 0 }] : [];
    }
    case 'intervals': {
      const index = lastTouching(track, t - near, t + near);
      if (index < 0) return [];
      const more = countTouching(track, t - near, t + near) - 1;
      return [{ name: track.names[index] ?? '', value: formatMs(track.duration[index]), more }];
    }
    case 'points': {
      const index = nearest(track.t, t);
      const at = track.t[index] ?? Number.POSITIVE_INFINITY;
      if (Math.abs(at - t) > near) return [];
      const more = firstAfter(track.t, t + near) - firstAt(track.t, t - near) - 1;
      return [{ name: track.names[index] ?? '', value: formatClock(at), more }];
    }
  }
}

/** Samples are about a second apart. A sample this near counts as the value at a time. */
const SAMPLE_NEAR_MS = 1500;

function nearest(times: Float64Array, t: number): number {
  const after = firstAt(times, t);
  const closer =
    Math.abs((times[after - 1] ?? Number.NEGATIVE_INFINITY) - t) <=
    Math.abs((times[after] ?? Number.POSITIVE_INFINITY) - t);
  return closer ? after - 1 : after;
}

/** Returns everything at a time as a sentence for each track, for screen readers. */
export function spokenReadOut(tracks: readonly Track[], t: number, near: number): string {
  const parts = tracks.flatMap((track) => {
    const readings = readOut(track, t, near).filter(({ value }) => value !== '');
    const texts = readings.map(({ name, value, more }) =>
      [...(name === '' ? [] : [name]), value, ...(more > 0 ? [`and ${more} more`] : [])].join(' '),
    );
    return texts.length === 0 ? [] : [`${track.label} ${texts.join(', ')}`];
  });
  return [formatClock(t), ...parts].join('. ');
}
