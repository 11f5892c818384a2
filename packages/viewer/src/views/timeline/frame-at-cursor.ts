// Opens what happened in the frame at a time.
import { momentRange, selection } from '../../state/address.ts';
import { longestFrame } from './layout/longest-frame.ts';
import { cursor, timeline } from './timeline-state.ts';

/** Opens the moment of the longest frame within `near` ms of a time. Returns false if there is no frame. */
export function showFrameAt(t: number, near: number): boolean {
  const range = { from: t - near, to: t + near };
  const frame = timeline.value === null ? null : longestFrame(timeline.value, range);
  if (frame !== null) momentRange.value = frame;
  return frame !== null;
}

/** Opens the moment of the selection, or else of the frame at the crosshair. */
export function showMomentHere(): void {
  if (selection.value !== null) momentRange.value = selection.value;
  else if (cursor.value !== null) showFrameAt(cursor.value, 0);
}
