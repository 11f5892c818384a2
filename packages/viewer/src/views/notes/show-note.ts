// Goes to the time of a note.
import type { NoteRecord } from '@svc/trace';
import { goTo } from '../../controls/go-to.ts';
import { noteOf, noteRange } from '../../notes/note-range.ts';
import { selection, type View, view } from '../../state/address.ts';
import { lookAt, lookAtTime } from '../timeline/timeline-state.ts';

/** The views that show the selected time range. */
const OF_SELECTION: ReadonlySet<View> = new Set([
  'timeline',
  'frames',
  'stacks',
  'assets',
  'compare',
]);

/** Whether the range of a note is the selection. */
export function isSelected(note: NoteRecord): boolean {
  return selection.value !== null && noteOf([note], selection.value) !== null;
}

/** Selects the range of a note in the current view; other views go to the timeline. A point is shown on the timeline. */
export function showNote(note: NoteRecord): void {
  const range = noteRange(note);
  if (range === null) {
    lookAtTime(note.t);
    goTo('timeline');
    return;
  }
  lookAt(range);
  if (!OF_SELECTION.has(view.value)) goTo('timeline');
}
