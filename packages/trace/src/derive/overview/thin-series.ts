// A series as few points, to draw it small.

/** `t` in ms, `value` in the unit of the series. */
export type SeriesPoint = { readonly t: number; readonly value: number };

/** The most points of a thin series. */
export const POINTS = 120;

/** At most {@link POINTS} points, each the largest value of its part of the time. NaN values are left out. */
export function thinSeries(t: ArrayLike<number>, value: ArrayLike<number>): SeriesPoint[] {
  const known = Array.from({ length: t.length }, (_, i) => ({
    t: t[i] ?? 0,
    value: value[i] ?? Number.NaN,
  })).filter((point) => !Number.isNaN(point.value));
  const first = known[0]?.t ?? 0;
  const span = (known.at(-1)?.t ?? 0) - first;
  const parts = Map.groupBy(known, (point) =>
    span === 0 ? 0 : Math.min(POINTS - 1, Math.floor(((point.t - first) / span) * POINTS)),
  );
  return [...parts.values()].map((points) =>
    points.reduce((largest, point) => (point.value > largest.value ? point : largest)),
  );
}
