// Memory of two traces over time: the same line of both, and their values at the same moments. Pure.

import type { TimeRange } from '../../draw/time-axis.ts';
import { firstAt } from '../timeline/layout/columns.ts';
import type { Gap, LineSeries, Timeline } from '../timeline/timeline-data.ts';
import type { Stretches } from './stretches.ts';

/** A line of one trace: times are ms since the start of its stretch; in a gap nothing is known. */
export type Curve = LineSeries & { readonly gaps: readonly Gap[] };

/** One line of memory, as far as each trace has it. */
export type CurvePair = {
  readonly id: string;
  readonly label: string;
  readonly source: string;
  readonly before: Curve | null;
  readonly after: Curve | null;
};

/** A moment of a pair. Null where a trace has no value yet, or no more, or lost it. */
export type CurveRow = {
  readonly id: string;
  readonly what: string;
  readonly t: number;
  readonly before: number | null;
  readonly after: number | null;
};

/** Every line that is counted in bytes in one of the traces or both, each of its stretch. */
export function pairCurves(
  before: Timeline,
  after: Timeline,
  stretches: Stretches = { before: null, after: null },
): CurvePair[] {
  const was = byteLines(before, stretches.before);
  const is = byteLines(after, stretches.after);
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

/** Both values at each moment that one of the traces measured: the latest that was measured until then. */
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
