// The timeline as it is on the screen now, ready to be drawn at any width.
import { budgetMs } from '../../state/address.ts';
import { colours } from '../../state/theme.ts';
import type { TimelinePicture } from './draw/draw-timeline.ts';
import { rows, timeline, viewed } from './timeline-state.ts';

/** What the timeline looks like at a width, in the theme that is on. */
export function picture(width: number): TimelinePicture {
  return {
    rows: rows.value.rows,
    gaps: timeline.value?.gaps ?? [],
    view: viewed.value,
    width,
    height: rows.value.height,
    budgetMs: budgetMs.value,
    colours: colours.value,
  };
}
