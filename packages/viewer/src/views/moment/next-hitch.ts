// Finds the hitch after or before a time. Pure.
import { isOverBudget } from '@svc/trace';
import type { TimeRange } from '../../draw/time-axis.ts';
import { firstAt } from '../timeline/layout/columns.ts';
import type { Gap, Timeline } from '../timeline/timeline-data.ts';

/** A time of the address is rounded, so a frame within this time of it is the frame that it names. */
const ROUNDED_MS = 0.001;

/**
 * Returns the nearest frame of any source that is over budget and starts after `t`, or before it. Frames in gaps are
 * ignored.
 */
export function nextHitch(
  { tracks, gaps }: Timeline,
  budgetMs: number,
  t: number,
  direction: 'later' | 'earlier',
): TimeRange | null {
  const found = tracks.flatMap((track) => {
    if (track.kind !== 'frames') return [];
    const own = gaps.filter((gap) => gap.source === null || gap.source === track.source);
    const step = direction === 'later' ? 1 : -1;
    let at =
      direction === 'later'
        ? firstAt(track.t, t + ROUNDED_MS)
        : firstAt(track.t, t - ROUNDED_MS) - 1;
    for (; at >= 0 && at < track.t.length; at += step) {
      const start = track.t[at] ?? 0;
      const range = { from: start, to: start + (track.duration[at] ?? 0) };
      if (isOverBudget(range.to - range.from, budgetMs) && !isLost(range, own)) return [range];
    }
    return [];
  });
  const away = ({ from }: TimeRange): number => Math.abs(from - t);
  return found.sort((a, b) => away(a) - away(b))[0] ?? null;
}

function isLost({ from, to }: TimeRange, gaps: readonly Gap[]): boolean {
  return gaps.some((gap) => gap.duration > 0 && gap.t < to && gap.t + gap.duration > from);
}
