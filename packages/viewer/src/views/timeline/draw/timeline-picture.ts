// What the functions that draw the timeline receive.
import type { TimeRange } from '../../../draw/time-axis.ts';
import type { Colours } from '../../../draw/tokens.ts';
import type { TrackRow } from '../layout/track-rows.ts';
import type { Gap } from '../timeline-data.ts';

/** The inputs of a picture of the timeline. Sizes are in CSS pixels. */
export type TimelinePicture = {
  readonly rows: readonly TrackRow[];
  readonly gaps: readonly Gap[];
  readonly view: TimeRange;
  readonly width: number;
  readonly height: number;
  readonly budgetMs: number;
  readonly colours: Colours;
};
