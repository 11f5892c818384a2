// How each metric changed from one trace to another, and whether that is better or worse.
import {
  METRIC_NAMES,
  METRICS,
  type MetricName,
  type MetricValue,
  type TraceMetrics,
} from './trace-metrics.ts';

/** A smaller change, relative to the value before, counts as the same. Two recordings of one build differ by more. */
const SAME_RATIO = 0.01;

/** `unknown`: a trace does not have the metric. */
export type ChangeVerdict = 'better' | 'worse' | 'same' | 'unknown';

export type MetricChange = {
  readonly metric: MetricName;
  /** Null: the trace does not have it. */
  readonly before: number | null;
  readonly after: number | null;
  /** After minus before. Null if one of them is missing. */
  readonly change: number | null;
  /** The change divided by the value before. Null without a change, for slopes, and if the value before is not above 0. */
  readonly ratio: number | null;
  readonly verdict: ChangeVerdict;
};

/** Whether a change is too small to count: two recordings of one build differ by as much. */
export function isNoise(before: number, after: number): boolean {
  return Math.abs(after - before) <= Math.abs(before) * SAME_RATIO;
}

/** The changes of all metrics that at least one of the traces has, in the order of METRICS. */
export function compareMetrics(before: TraceMetrics, after: TraceMetrics): MetricChange[] {
  return METRIC_NAMES.map((metric) => changeOf(metric, before, after)).filter(
    (row) => row.before !== null || row.after !== null,
  );
}

/** The change of one metric, which both traces may lack. */
export function changeOf(
  metric: MetricName,
  before: TraceMetrics,
  after: TraceMetrics,
): MetricChange {
  const was = before[metric];
  const is = after[metric];
  const sides = { metric, before: was?.value ?? null, after: is?.value ?? null };
  if (was === undefined || is === undefined) {
    return { ...sides, change: null, ratio: null, verdict: 'unknown' };
  }
  const change = is.value - was.value;
  const ratio = was.slope === null && was.value > 0 ? change / was.value : null;
  return { ...sides, change, ratio, verdict: verdictOf(metric, was, is) };
}

function verdictOf(metric: MetricName, was: MetricValue, is: MetricValue): ChangeVerdict {
  if (was.slope !== null && is.slope !== null) return slopeVerdict(was.slope, is.slope);
  if (isNoise(was.value, is.value)) return 'same';
  return is.value > was.value === (METRICS[metric].better === 'more') ? 'better' : 'worse';
}

type Slope = NonNullable<MetricValue['slope']>;

/**
 * Slopes are the same if their intervals overlap, because the difference may be chance. The larger one must also be of memory that
 * keeps growing: otherwise no other view says that the memory grows.
 */
function slopeVerdict(was: Slope, is: Slope): ChangeVerdict {
  if (is.grows && is.low > was.high) return 'worse';
  return was.grows && was.low > is.high ? 'better' : 'same';
}
