// Pairs the memory lines of two traces, as curves and as rows of values. Pure.

import type { TimeRange } from '../../draw/time-axis.ts';
import { firstAt } from '../timeline/layout/columns.ts';
import type { Gap, LineSeries, Timeline } from '../timeline/timeline-data.ts';
import type { ComparedRanges } from './compared-ranges.ts';

/** A line of one trace. Times are ms since the start of the compared range. */
export type Curve = LineSeries & { readonly gaps: readonly Gap[] };

/** One line of memory. A side is null if that trace does not have the line. */
export type CurvePair = {
  readonly id: string;
  readonly label: string;
  readonly source: string;
  readonly before: Curve | null;
  readonly after: Curve | null;
};

/** The values of a pair at one time. Null if a trace has no value then. */
export type CurveRow = {
  readonly id: string;
  readonly what: string;
  readonly t: number;
  readonly before: number | null;
  readonly after: number | null;
};

/** Returns every line in bytes of either trace, each for its compared range. */
export function pairCurves(
  before: Timeline,
  after: Timeline,
  comparedRanges: ComparedRanges = { before: null, after: null },
): CurvePair[] {
  const was = byteLines(before, comparedRanges.before);
  const is = byteLines(after, comparedRanges.after);
  return [...new Set([...is.keys(), ...was.keys()])].flatMap((id) => {
    const line = is.get(id) ?? was.get(id);
    if (line === undefined) return [];
    const { label, source } = line;
    const pair = { before: was.get(id)?.curve ?? null, after: is.get(id)?.curve ?? null };
    return [{ id, label, source, ...pair }];
  });
}

type ByteLine = { readonly label: string; readonly source: string; readonly curve: Curve };

function byteLines({ tracks, gaps }: Timeline, range: TimeRange | null): Map<string, ByteLine> {
  const lines = new Map<string, ByteLine>();
  for (const track of tracks) {
    if (track.kind !== 'line' || track.unit !== 'bytes') continue;
    const { source } = track;
    const own = gaps.filter((gap) => gap.source === null || gap.source === source);
    for (const series of track.series) {
      const curve = curveOf(series, own, range);
      const { label } = series;
      if (curve.t.length > 0) lines.set(`${track.id}/${label}`, { label, source, curve });
    }
  }
  return lines;
}

function curveOf(series: LineSeries, gaps: readonly Gap[], range: TimeRange | null): Curve {
  if (range === null) return { ...series, gaps };
  const { heldTo } = series;
  const end = firstAt(series.t, range.to);
  const inside = firstAt(series.t, range.from);
  const isHeld = heldTo !== undefined && inside > 0 && series.t[inside] !== range.from;
  const first = isHeld ? inside - 1 : inside;
  return {
    label: series.label,
    t: series.t.subarray(first, end).map((t) => Math.max(0, t - range.from)),
    value: series.value.subarray(first, end),
    ...(heldTo === undefined ? {} : { heldTo: Math.min(heldTo, range.to) - range.from }),
    gaps: gaps
      .filter((gap) => gap.t < range.to && gap.t + gap.duration > range.from)
      .map((gap) => ({ ...gap, t: gap.t - range.from })),
  };
}

/** Returns both values at every time of either trace. A value is the latest one measured until then. */
export function curveRows(pair: CurvePair): CurveRow[] {
  const times = new Set([...(pair.before?.t ?? []), ...(pair.after?.t ?? [])]);
  return [...times]
    .sort((a, b) => a - b)
    .map((t) => ({
      id: `${pair.id}/${t}`,
      what: `${pair.label}, ${pair.source}`,
      t,
      before: valueAt(pair.before, t),
      after: valueAt(pair.after, t),
    }));
}

function valueAt(curve: Curve | null, t: number): number | null {
  if (curve === null || t > (curve.heldTo ?? curve.t.at(-1) ?? Number.NEGATIVE_INFINITY))
    return null;
  const next = firstAt(curve.t, t);
  const index = curve.t[next] === t ? next : next - 1;
  const measured = curve.t[index] ?? t;
  const lost = curve.gaps.some((gap) => gap.t < t && gap.t + gap.duration > measured);
  const value = curve.value[index];
  return value === undefined || Number.isNaN(value) || lost ? null : value;
}
