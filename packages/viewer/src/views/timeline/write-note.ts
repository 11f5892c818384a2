// Opens the dialog for a note about what the page shows.
import { addNoteAt, addNoteTo, editNote } from '../../notes/edit-note.ts';
import { noteOf } from '../../notes/note-range.ts';
import { selection } from '../../state/address.ts';
import { notes } from '../../traces/trace-notes.ts';
import { cursor, visibleRange } from './timeline-state.ts';

/** Writes a note about the selection, else about the crosshair, else about the start of the view. Edits the note that names the selection. */
export function writeNote(): void {
  const range = selection.value;
  if (range === null) {
    addNoteAt(cursor.value ?? visibleRange.value.from);
    return;
  }
  const named = noteOf(notes.value, range);
  if (named === null) addNoteTo(range);
  else editNote(named);
}
