// Memory that keeps growing: the 95 % interval of a robust slope is above zero, also in the second half.
import { memoryGrowth as growthOf, memorySeries } from '../../derive/facts/memory-growth.ts';
import { bytesText } from '../../derive/facts/number-text.ts';
import { type Rule, rounded } from '../findings/finding.ts';

/** The series that the rule reports. */
const LABELS = ['RSS', 'PSS', 'JS heap'];

export const memoryGrowth: Rule = ({ model }) => {
  const growing = memorySeries(model).flatMap((series) => {
    const growth = LABELS.includes(series.label) ? growthOf(series) : null;
    return growth?.grows === true ? [{ label: series.label, ...growth }] : [];
  });
  const [worst] = growing.toSorted((a, b) => b.bytes - a.bytes);
  if (worst === undefined) return null;
  const { slope, low, high } = worst.slope_per_minute;
  return {
    id: 'memory_growth',
    severity: worst.bytes > worst.middle_bytes / 2 ? 'critical' : 'warning',
    title: `${worst.label} grows by ${bytesText(slope)} a minute`,
    detail: `It rose by about ${bytesText(worst.bytes)} after start-up and was not freed (95 % interval ${bytesText(low)} to ${bytesText(high)} a minute). ${whereToLook(model, growing)}`,
    evidence: growing.map((one) => ({
      label: one.label,
      value: rounded(one.slope_per_minute.slope),
      unit: 'bytes a minute',
      t: one.from_ms,
      duration_ms: rounded(one.span_ms),
    })),
    impact: worst.bytes / 1_048_576,
  };
};

function whereToLook(
  { counters }: Parameters<Rule>[0]['model'],
  growing: readonly { readonly label: string }[],
): string {
  if (growing.some((one) => one.label === 'JS heap')) {
    return 'The JS heap grows too, so objects are kept alive. Compare two heap snapshots.';
  }
  return counters.some((counter) => counter.name === 'js_heap_bytes')
    ? 'The JS heap does not grow. Check native memory, GPU resources and buffers.'
    : 'Compare two heap profiles of the process, and check caches, pools and lists that only grow.';
}
