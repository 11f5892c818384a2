// The compared range of each trace: the selection of the main trace, and the user's choice for the other.
import { computed } from '@preact/signals';
import type { TimeRange } from '../../draw/time-axis.ts';
import { formatClock, formatMs } from '../../format/numbers.ts';
import { otherRange, selection } from '../../state/address.ts';
import { otherTrace } from '../../traces/open-traces.ts';

/** Null is the whole trace. */
export type ComparedRanges = {
  readonly before: TimeRange | null;
  readonly after: TimeRange | null;
};

export const comparedRanges = computed<ComparedRanges>(() => ({
  before: otherRange.value === 'same' ? selection.value : otherRange.value,
  after: selection.value,
}));

/** Describes a range: `all 50.0 s of it`, or its ends and its length. */
export function rangeText(range: TimeRange | null, durationMs: number): string {
  if (range === null) return durationMs > 0 ? `all ${formatMs(durationMs)} of it` : 'all of it';
  const { from, to } = range;
  return `${formatClock(from)} to ${formatClock(to)} (${formatMs(to - from)})`;
}

/**
 * Returns the first range of the other trace when the user chooses its own range: the selection, limited to that
 * trace.
 */
export function initialOtherRange(): TimeRange {
  const end = Math.max(1, otherTrace.value?.durationMs ?? 1);
  const { from, to } = selection.value ?? { from: 0, to: end };
  return from < end ? { from, to: Math.min(to, end) } : { from: 0, to: end };
}
