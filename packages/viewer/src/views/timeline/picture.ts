// The current picture of the timeline, for any width.
import { budgetMs } from '../../state/address.ts';
import { colours } from '../../state/theme.ts';
import type { TimelinePicture } from './draw/timeline-picture.ts';
import { rows, timeline, visibleRange } from './timeline-state.ts';

/** Returns the timeline at a width, in the current theme. */
export function picture(width: number): TimelinePicture {
  return {
    rows: rows.value.rows,
    gaps: timeline.value?.gaps ?? [],
    view: visibleRange.value,
    width,
    height: rows.value.height,
    budgetMs: budgetMs.value,
    colours: colours.value,
  };
}
