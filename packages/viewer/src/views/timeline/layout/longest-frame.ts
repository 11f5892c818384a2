// Finds the frame that a click means. Pure.
import type { TimeRange } from '../../../draw/time-axis.ts';
import type { Timeline } from '../timeline-data.ts';
import { lastAt } from './hit.ts';

/**
 * Returns the longest frame that overlaps a range, of one source or of any. The range may be a point. Returns null if there is
 * no frame.
 */
export function longestFrame(
  { tracks }: Pick<Timeline, 'tracks'>,
  { from, to }: TimeRange,
  source?: string,
): TimeRange | null {
  let found: TimeRange | null = null;
  for (const track of tracks) {
    if (track.kind !== 'frames' || (source !== undefined && track.source !== source)) continue;
    for (let index = Math.max(0, lastAt(track.t, from)); index < track.t.length; index++) {
      const start = track.t[index] ?? 0;
      const end = start + (track.duration[index] ?? 0);
      if (start > to) break;
      if (end < from) continue;
      if (found === null || end - start > found.to - found.from) found = { from: start, to: end };
    }
  }
  return found;
}
