// The notes of the trace, on every view: a button for each selects its range or goes to its time.
import { type NoteRecord, noteTitle } from '@svc/trace';
import { formatClock, formatCount } from '../../format/numbers.ts';
import { noteRange, shownText } from '../../notes/note-range.ts';
import { selection } from '../../state/address.ts';
import { notes } from '../../traces/trace-notes.ts';
import { isSelected, showNote } from './show-note.ts';
import './notes.css';

/** The maximum number of buttons. The timeline lists all notes. */
const MOST_NOTES = 100;

export function NoteStrip() {
  const all = notes.value;
  if (all.length === 0) return null;
  const more = all.length - MOST_NOTES;
  return (
    <nav class="note-strip" aria-label="Notes">
      {all.slice(0, MOST_NOTES).map((note) => (
        <NoteButton key={`${typeof note.id} ${note.id}`} note={note} />
      ))}
      {more > 0 && <span class="hint">and {formatCount(more)} more on the timeline</span>}
    </nav>
  );
}

function NoteButton({ note }: { readonly note: NoteRecord }) {
  const isRange = noteRange(note) !== null;
  return (
    <button
      type="button"
      class="chip note-chip"
      aria-pressed={isRange ? isSelected(note) : undefined}
      title={shownText(note.text)}
      onClick={() => {
        if (isSelected(note)) selection.value = null;
        else showNote(note);
      }}
    >
      <span class="muted">{formatClock(note.t, 100)}</span>{' '}
      <b class="ellipsis">{shownText(noteTitle(note))}</b>
    </button>
  );
}
