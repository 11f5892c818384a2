// Merges the losses of a source into disjoint intervals, so that views can exclude them.
import type { LossRecord, Source } from '../../format/records.ts';
import { firstAbove } from '../../times/search-sorted.ts';

/** Disjoint intervals in ascending order: `from[i] ≤ t < to[i]`. */
export type Intervals = { readonly from: readonly number[]; readonly to: readonly number[] };

/**
 * The intervals of the losses of `source` and of all sources; null: of every source. A loss without a duration is ignored.
 * `probe` selects the losses of one collector. Without it, these are the losses that concern frames: a loss that names a
 * collector lost only what that collector records.
 */
export function lossIntervals(
  losses: readonly LossRecord[],
  source: Source | null,
  probe?: string,
): Intervals {
  const spans = losses
    .filter((loss) => (loss.duration_ms ?? 0) > 0 && loss.probe === probe)
    .filter((loss) => source === null || loss.source === undefined || loss.source === source)
    .map((loss) => [loss.t, loss.t + (loss.duration_ms ?? 0)] as const)
    .sort((a, b) => a[0] - b[0]);
  const from: number[] = [];
  const to: number[] = [];
  for (const [start, end] of spans) {
    const last = to.length - 1;
    if (last >= 0 && start <= (to[last] ?? 0)) to[last] = Math.max(to[last] ?? 0, end);
    else {
      from.push(start);
      to.push(end);
    }
  }
  return { from, to };
}

/** Whether [start, end) overlaps an interval. */
export function overlaps(intervals: Intervals, start: number, end: number): boolean {
  const after = firstAbove(intervals.to, start);
  return after < intervals.from.length && (intervals.from[after] ?? 0) < end;
}
