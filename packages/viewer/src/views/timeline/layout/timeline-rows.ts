// The timeline as rows of a table, one for each value. Pure.

import type { TimeRange } from '../../../draw/time-axis.ts';
import { formatMs, formatValue } from '../../../format/numbers.ts';
import type { Timeline, Track } from '../timeline-data.ts';
import { firstAt } from './columns.ts';

export type TimelineRow = {
  readonly id: string;
  readonly t: number;
  readonly track: string;
  readonly source: string;
  readonly what: string;
  readonly value: string;
};

/** The maximum number of rows. The caller reports if it is reached. */
export const TABLE_ROWS = 200_000;

/** Returns everything in a time range, sorted by time. */
export function timelineRows(timeline: Timeline, range: TimeRange): TimelineRow[] {
  const rows: TimelineRow[] = timeline.tracks.flatMap((track) => rowsOf(track, range));
  for (const gap of timeline.gaps) {
    if (gap.t > range.to || gap.t + gap.duration < range.from) continue;
    const count = gap.count === null ? '' : `, ${gap.count} records`;
    rows.push({
      id: `gap/${gap.t}/${gap.reason}/${gap.source}`,
      t: gap.t,
      track: 'Lost',
      source: gap.source ?? 'all',
      what: gap.reason,
      value: `${formatMs(gap.duration)}${count}`,
    });
  }
  return rows.sort((a, b) => a.t - b.t).slice(0, TABLE_ROWS);
}

function rowsOf(track: Track, range: TimeRange): TimelineRow[] {
  const row = (key: string, t: number, what: string, value: string): TimelineRow => {
    return { id: `${track.id}/${key}`, t, track: track.label, source: track.source, what, value };
  };
  if (track.kind === 'line') {
    return track.series.flatMap((series) =>
      indices(series.t, range).flatMap((i) => {
        const value = series.value[i] ?? Number.NaN;
        const text = Number.isNaN(value) ? 'not measured' : formatValue(value, track.unit);
        return [row(`${series.label}/${i}`, series.t[i] ?? 0, series.label, text)];
      }),
    );
  }
  if (track.kind === 'frames') {
    return indices(track.t, range).map((i) =>
      row(String(i), track.t[i] ?? 0, `frame ${i + 1}`, formatMs(track.duration[i])),
    );
  }
  return indices(track.t, range).map((i) => {
    const value = track.kind === 'intervals' ? formatMs(track.duration[i]) : '';
    return row(String(i), track.t[i] ?? 0, track.names[i] ?? '', value);
  });
}

function indices(times: Float64Array, range: TimeRange): number[] {
  const from = firstAt(times, range.from);
  const to = Math.min(firstAt(times, range.to + 1e-9), from + TABLE_ROWS);
  return Array.from({ length: to - from }, (_, i) => from + i);
}
