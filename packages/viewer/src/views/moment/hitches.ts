// Goes from hitch to hitch in the order of time.

import type { TimeRange } from '../../draw/time-axis.ts';
import { budgetMs, selection } from '../../state/address.ts';
import { lookAt, timeline, visibleRange } from '../timeline/timeline-state.ts';
import { nextHitch } from './next-hitch.ts';

/** Returns the hitch before or after a time, or null if there is none. */
export function hitchBeside(t: number, direction: 'earlier' | 'later'): TimeRange | null {
  return timeline.value === null ? null : nextHitch(timeline.value, budgetMs.value, t, direction);
}

/** Selects the next or previous hitch, seen from the selection, or else from the start of the view. */
export function selectHitch(direction: 'earlier' | 'later'): void {
  const from = selection.value?.from ?? visibleRange.value.from;
  const found = hitchBeside(from, direction);
  if (found !== null) lookAt(found);
}
