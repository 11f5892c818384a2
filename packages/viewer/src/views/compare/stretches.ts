// Which stretch of each trace is compared: the selection of the open one, and what the person chose of the other.
import { computed } from '@preact/signals';
import type { TimeRange } from '../../draw/time-axis.ts';
import { formatClock, formatMs } from '../../format/numbers.ts';
import { otherStretch, selection } from '../../state/address.ts';
import { otherTrace } from '../../traces/open-traces.ts';

/** Null is all of it. */
export type Stretches = { readonly before: TimeRange | null; readonly after: TimeRange | null };

export const stretches = computed<Stretches>(() => ({
  before: otherStretch.value === 'same' ? selection.value : otherStretch.value,
  after: selection.value,
}));

/** What a stretch is called: `all 50.0 s`, or from when to when and how long. */
export function stretchText(range: TimeRange | null, durationMs: number): string {
  if (range === null) return durationMs > 0 ? `all ${formatMs(durationMs)} of it` : 'all of it';
  const { from, to } = range;
  return `${formatClock(from)} to ${formatClock(to)} (${formatMs(to - from)})`;
}

/** Where the person's own stretch of the other trace begins: as the selection lies, as far as that trace goes. */
export function firstOwnStretch(): TimeRange {
  const end = Math.max(1, otherTrace.value?.durationMs ?? 1);
  const { from, to } = selection.value ?? { from: 0, to: end };
  return from < end ? { from, to: Math.min(to, end) } : { from: 0, to: end };
}
