// A robust slope with a confidence interval: the Theil–Sen estimator, with the interval of Sen (1968) from Kendall's variance.

/** Per unit of x. `low` to `high` is the 95 % confidence interval of the slope. */
export type Trend = { readonly slope: number; readonly low: number; readonly high: number };

/** The number of pairs grows with the square, so longer series are first reduced to this number of medians. */
const MOST_POINTS = 240;
/** The two-sided 95 % quantile of the normal distribution. */
const Z95 = 1.96;

/** The trend of `y` over `x`, or null for fewer than four points. NaN values are ignored. */
export function trendOf(x: ArrayLike<number>, y: ArrayLike<number>): Trend | null {
  const points = thinned(x, y);
  const n = points.length;
  if (n < 4) return null;
  const slopes: number[] = [];
  for (const [i, a] of points.entries()) {
    for (const b of points.slice(i + 1)) if (b.x > a.x) slopes.push((b.y - a.y) / (b.x - a.x));
  }
  slopes.sort((a, b) => a - b);
  const spread = Z95 * Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
  const low = Math.max(0, Math.floor((slopes.length - spread) / 2));
  const high = Math.min(slopes.length - 1, Math.ceil((slopes.length + spread) / 2));
  return { slope: median(slopes), low: slopes[low] ?? 0, high: slopes[high] ?? 0 };
}

/** The median of ascending values, or 0 for no values. */
export function median(sorted: ArrayLike<number>): number {
  const half = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half)] ?? 0)) / 2;
}

function thinned(x: ArrayLike<number>, y: ArrayLike<number>): { x: number; y: number }[] {
  const points: { x: number; y: number }[] = [];
  for (let i = 0; i < x.length; i++) {
    const value = y[i] ?? Number.NaN;
    if (!Number.isNaN(value)) points.push({ x: x[i] ?? 0, y: value });
  }
  const size = Math.ceil(points.length / MOST_POINTS);
  if (size <= 1) return points;
  const buckets = Array.from({ length: Math.ceil(points.length / size) }, (_, i) =>
    points.slice(i * size, (i + 1) * size),
  );
  return buckets.map((bucket) => ({
    x: median(bucket.map((point) => point.x)),
    y: median(bucket.map((point) => point.y).sort((a, b) => a - b)),
  }));
}
