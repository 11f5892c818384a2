// Memory that grows steadily: the 95 % interval of a robust slope is above zero, also in the second half.

import { median, trendOf } from '../../times/trend.ts';
import { mebibytes, type Rule, rounded } from '../findings/finding.ts';

/** The first part of the recording is start-up and ignored. */
const WARM_UP_SHARE = 0.2;
/** Fewest samples and shortest time for a trend. */
const FEWEST_SAMPLES = 24;
const SHORTEST_MS = 30_000;
/** Smallest growth over the recording, as a fraction of the median and in bytes. Less may be caches. */
const GROWTH_SHARE = 0.08;
const GROWTH_BYTES = 8 * 1_048_576;

type Series = { readonly label: string; readonly t: Float64Array; readonly value: Float64Array };

export const memoryGrowth: Rule = ({ model }) => {
  const growing = seriesOf(model).flatMap((series) => growthOf(series) ?? []);
  const [worst] = growing.toSorted((a, b) => b.bytes - a.bytes);
  if (worst === undefined) return null;
  const heap = growing.find((one) => one.label === 'JS heap');
  const where =
    heap !== undefined
      ? 'The JS heap grows too, so objects are kept alive. Compare two heap snapshots.'
      : 'The JS heap does not grow. Check native memory, GPU resources and buffers.';
  return {
    id: 'memory_growth',
    severity: worst.bytes > worst.middle / 2 ? 'critical' : 'warning',
    title: `${worst.label} grows by ${mebibytes(worst.perMinute)} a minute`,
    detail: `It rose by about ${mebibytes(worst.bytes)} after start-up and was not freed (95 % interval ${mebibytes(worst.low)} to ${mebibytes(worst.high)} a minute). ${where}`,
    evidence: growing.map((one) => ({
      label: one.label,
      value: rounded(one.perMinute),
      unit: 'bytes a minute',
      t: one.from,
      duration_ms: rounded(one.span),
    })),
    impact: worst.bytes / 1_048_576,
  };
};

function seriesOf(model: Parameters<Rule>[0]['model']): Series[] {
  const process = model.process.flatMap(({ t, rss_bytes, pss_bytes }) => [
    { label: 'RSS', t, value: rss_bytes },
    { label: 'PSS', t, value: pss_bytes },
  ]);
  const heap = model.counters
    .filter((counter) => counter.name === 'js_heap_bytes')
    .map(({ t, value }) => ({ label: 'JS heap', t, value }));
  return [...process, ...heap];
}

function growthOf({ label, t, value }: Series) {
  const known = Array.from(t.keys()).filter((i) => !Number.isNaN(value[i] ?? Number.NaN));
  const kept = known.slice(Math.floor(known.length * WARM_UP_SHARE));
  const times = kept.map((i) => t[i] ?? 0);
  const values = kept.map((i) => value[i] ?? 0);
  const from = times[0] ?? 0;
  const span = (times.at(-1) ?? 0) - from;
  if (kept.length < FEWEST_SAMPLES || span < SHORTEST_MS) return null;
  const half = Math.floor(kept.length / 2);
  const whole = trendOf(times, values);
  const later = trendOf(times.slice(half), values.slice(half));
  const middle = median(values.toSorted((a, b) => a - b));
  if (whole === null || later === null || whole.low <= 0 || later.low <= 0) return null;
  const bytes = whole.slope * span;
  if (bytes < Math.max(middle * GROWTH_SHARE, GROWTH_BYTES)) return null;
  const minute = 60_000;
  return {
    label,
    from,
    span,
    middle,
    bytes,
    perMinute: whole.slope * minute,
    low: whole.low * minute,
    high: whole.high * minute,
  };
}
