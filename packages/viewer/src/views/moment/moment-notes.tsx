// The notes of a time range.
import { noteBody, notesWithin, noteTitle } from '@svc/trace';
import type { TimeRange } from '../../draw/time-axis.ts';
import { formatCount } from '../../format/numbers.ts';
import { addNoteTo, editNote } from '../../notes/edit-note.ts';
import { noteTimeText, shownText } from '../../notes/note-range.ts';
import { canTakeNotes, notes } from '../../traces/trace-notes.ts';

/** The most notes that are listed. */
const MOST_NOTES = 20;

type Props = { readonly range: TimeRange };

export function MomentNotes({ range }: Props) {
  const own = notesWithin(notes.value, { from_ms: range.from, to_ms: range.to });
  if (own.length === 0) return null;
  const more = own.length - MOST_NOTES;
  return (
    <section aria-label="Notes" class="moment-notes">
      <h3>Notes</h3>
      <ul class="plain">
        {own.slice(0, MOST_NOTES).map((note) => (
          <li key={`${typeof note.id} ${note.id}`}>
            <b class="wrap-anywhere">{shownText(noteTitle(note))}</b>{' '}
            <span class="muted">{noteTimeText(note)}</span>{' '}
            <button type="button" class="button quiet small" onClick={() => editNote(note)}>
              Edit<span class="visually-hidden"> {shownText(noteTitle(note))}</span>
            </button>
            {noteBody(note) !== '' && <p class="wrap-anywhere">{shownText(noteBody(note))}</p>}
          </li>
        ))}
      </ul>
      {more > 0 && <p class="hint">and {formatCount(more)} more on the timeline</p>}
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
