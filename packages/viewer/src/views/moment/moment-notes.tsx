// The notes of a time range.
import { noteBody, noteTitle } from '@svc/trace';
import type { TimeRange } from '../../draw/time-axis.ts';
import { addNoteTo, editNote } from '../../notes/edit-note.ts';
import { notesWithin, noteTimeText } from '../../notes/note-range.ts';
import { canTakeNotes, notes } from '../../traces/trace-notes.ts';

type Props = { readonly range: TimeRange };

export function MomentNotes({ range }: Props) {
  const own = notesWithin(notes.value, range);
  if (own.length === 0) return null;
  return (
    <section aria-label="Notes" class="moment-notes">
      <h3>Notes</h3>
      <ul class="plain">
        {own.map((note) => (
          <li key={`${typeof note.id} ${note.id}`}>
            <b class="wrap-anywhere">{noteTitle(note)}</b>{' '}
            <span class="muted">{noteTimeText(note)}</span>{' '}
            <button type="button" class="button quiet small" onClick={() => editNote(note)}>
              Edit<span class="visually-hidden"> {noteTitle(note)}</span>
            </button>
            {noteBody(note) !== '' && <p class="wrap-anywhere">{noteBody(note)}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A note about the whole range of the dialog. */
export function AddNote({ range }: Props) {
  return (
    <button
      type="button"
      class="button"
      disabled={!canTakeNotes.value}
      title="A note is stored in the trace"
      onClick={() => addNoteTo(range)}
    >
      Add a note
    </button>
  );
}
