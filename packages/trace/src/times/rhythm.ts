// Finds a period in a measured series by its autocorrelation (Box, Jenkins and Reinsel, Time Series Analysis, chapter 2).
import { median } from './trend.ts';

/**
 * `period` has the unit of x. `agreement` is the lowest correlation of the series with itself one, two and three periods later:
 * 1 for an exact rhythm, about 0 for noise.
 */
export type Rhythm = { readonly period: number; readonly agreement: number };

/** Longer series are averaged to this number of points, because the cost grows with the square. */
const MOST_POINTS = 2048;
/** A correlation of fewer points may be high by chance. */
const FEWEST_POINTS = 90;
/** A rhythm has repeated at least this often. */
const FEWEST_PERIODS = 5;
/** Points in a shorter period are too few to tell it from a faster one. */
const SHORTEST_PERIOD = 4;
/** Fewer points than this share of the grid are too irregular. */
const KNOWN_SHARE = 0.8;
/** Of several multiples of a period, the shortest with this share of the best agreement counts. */
const AS_GOOD_SHARE = 0.9;
/** A period is not a whole number of points, so its multiples are found within this share of them. */
const STRAY = 0.03;

/** The strongest rhythm of `y` over ascending `x`, or null if there is none. NaN values are ignored. */
export function rhythmOf(x: ArrayLike<number>, y: ArrayLike<number>): Rhythm | null {
  const { step, values } = gridOf(x, y);
  if (values.length < FEWEST_POINTS) return null;
  const longest = Math.floor(values.length / FEWEST_PERIODS);
  const series = smoothed(detrended(values));
  const correlations = autocorrelation(series, Math.ceil(3 * longest * (1 + STRAY)) + 1);
  const from = correlations.findIndex((one) => one < 0);
  if (from < 0) return null;
  const peaks: { lag: number; agreement: number }[] = [];
  for (let lag = Math.max(2, from); lag <= longest; lag++) {
    const here = correlations[lag] ?? 0;
    if (here < (correlations[lag - 1] ?? 0) || here <= (correlations[lag + 1] ?? 0)) continue;
    const later = [2, 3].map((times) => peakNear(correlations, lag * times).value);
    peaks.push({ lag, agreement: Math.min(here, ...later) });
  }
  const best = peaks.reduce((most, { agreement }) => Math.max(most, agreement), 0);
  const first = peaks.find(({ agreement }) => agreement > 0 && agreement >= best * AS_GOOD_SHARE);
  if (first === undefined || first.lag < SHORTEST_PERIOD) return null;
  const third = peakNear(correlations, first.lag * 3).lag;
  return { period: (third / 3) * step, agreement: first.agreement };
}

/** Averages of the values on an even grid. A point without a value has the average of all. Empty if too few are known. */
function gridOf(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
): { step: number; values: Float64Array } {
  const known = Array.from({ length: x.length }, (_, i) => i).filter(
    (i) => !Number.isNaN(y[i] ?? Number.NaN),
  );
  const from = x[known[0] ?? 0] ?? 0;
  const span = (x[known.at(-1) ?? 0] ?? 0) - from;
  const steps = known.slice(1).map((i, at) => (x[i] ?? 0) - (x[known[at] ?? 0] ?? 0));
  const step = Math.max(median(steps.sort((a, b) => a - b)), span / (MOST_POINTS - 1));
  if (!(step > 0)) return { step: 0, values: new Float64Array(0) };
  const points = Math.round(span / step) + 1;
  const sums = new Float64Array(points);
  const counts = new Float64Array(points);
  let total = 0;
  for (const i of known) {
    const at = Math.round(((x[i] ?? 0) - from) / step);
    sums[at] = (sums[at] ?? 0) + (y[i] ?? 0);
    counts[at] = (counts[at] ?? 0) + 1;
    total += y[i] ?? 0;
  }
  const filled = counts.filter((count) => count > 0).length;
  if (filled < points * KNOWN_SHARE) return { step, values: new Float64Array(0) };
  const mean = total / known.length;
  return {
    step,
    values: sums.map((sum, i) => ((counts[i] ?? 0) > 0 ? sum / (counts[i] ?? 1) : mean)),
  };
}

/** Without the straight line of least squares, which would correlate at every distance. */
function detrended(values: Float64Array): Float64Array {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let product = 0;
  let square = 0;
  for (const [i, value] of values.entries()) {
    product += (i - middle) * (value - mean);
    square += (i - middle) ** 2;
  }
  const slope = product / square;
  return values.map((value, i) => value - mean - slope * (i - middle));
}

/** Averages of three neighbours, so that an event that is one point early or late still agrees. */
function smoothed(values: Float64Array): Float64Array {
  return values.map(
    (value, i) => ((values[i - 1] ?? value) + value + (values[i + 1] ?? value)) / 3,
  );
}

/** The correlation of the series with itself at each distance from 0 to `most`. */
function autocorrelation(series: Float64Array, most: number): Float64Array {
  const squares = new Float64Array(series.length + 1);
  for (const [i, value] of series.entries()) squares[i + 1] = (squares[i] ?? 0) + value * value;
  const all = squares[series.length] ?? 0;
  return Float64Array.from({ length: most + 1 }, (_, lag) => {
    let product = 0;
    for (let i = lag; i < series.length; i++) product += (series[i] ?? 0) * (series[i - lag] ?? 0);
    const energy = (squares[series.length - lag] ?? 0) * (all - (squares[lag] ?? 0));
    return energy > 0 ? product / Math.sqrt(energy) : 0;
  });
}

function peakNear(correlations: Float64Array, at: number): { lag: number; value: number } {
  const reach = Math.max(1, Math.round(at * STRAY));
  let best = { lag: at, value: correlations[at] ?? 0 };
  for (let lag = at - reach; lag <= at + reach; lag++) {
    const value = correlations[lag] ?? -1;
    if (value > best.value) best = { lag, value };
  }
  return best;
}
