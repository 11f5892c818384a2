// Limits for the change of a metric from one trace to another, for a check in CI.
import { changeOf, type MetricChange } from './compare-metrics.ts';
import { METRICS, type MetricName, type TraceMetrics } from './trace-metrics.ts';

/** How far a metric may change for the worse: by a part of the value before (0.1 is 10 %), or by an amount in its unit. Not negative. */
export type ChangeLimit = {
  readonly metric: MetricName;
  readonly amount: number;
  readonly relative: boolean;
};

export type LimitCheck = {
  readonly limit: ChangeLimit;
  readonly change: MetricChange;
  /** False also if a trace does not have the metric. */
  readonly kept: boolean;
};

/** Decimal fractions are not exact in binary: a rise of 10 % must not exceed a limit of 10 %. */
const ROUNDING = 1e-9;

/** Whether a limit of this metric can be relative. A slope has no meaningful ratio, because it can be 0 or negative. */
export function hasRatio(metric: MetricName): boolean {
  return METRICS[metric].unit !== 'bytes_per_minute';
}

/** Checks each limit. A change equal to its limit is within it. */
export function checkLimits(
  limits: readonly ChangeLimit[],
  before: TraceMetrics,
  after: TraceMetrics,
): LimitCheck[] {
  return limits.map((limit) => {
    const change = changeOf(limit.metric, before, after);
    return { limit, change, kept: isKept(limit, change) };
  });
}

function isKept(
  { metric, amount, relative }: ChangeLimit,
  { before, change }: MetricChange,
): boolean {
  if (before === null || change === null) return false;
  const worse = METRICS[metric].better === 'less' ? change : -change;
  const most = relative ? amount * Math.abs(before) : amount;
  return worse <= most * (1 + ROUNDING);
}
