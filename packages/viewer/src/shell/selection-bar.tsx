// Shows the selected time range, and clears it.
import { noteTitle } from '@svc/trace';
import { formatClock, formatMs } from '../format/numbers.ts';
import { addNoteTo, editNote } from '../notes/edit-note.ts';
import { noteOf } from '../notes/note-range.ts';
import { selection } from '../state/address.ts';
import { notes } from '../traces/trace-notes.ts';
import { showMoment } from '../views/moment/moment-dialog.tsx';

export function SelectionBar() {
  const range = selection.value;
  if (range === null) return null;
  const named = noteOf(notes.value, range);
  return (
    <div class="selection" role="status">
      <span>
        Selected {named !== null && <b class="wrap-anywhere">{noteTitle(named)}</b>}
        {named !== null && ', '}
        <b>{formatClock(range.from)}</b> to <b>{formatClock(range.to)}</b> (
        {formatMs(range.to - range.from)}). Timeline, Frames, Stacks, Assets and Compare show this
        time range.
      </span>
      <button
        type="button"
        class="button small"
        title="What happened in this time range (M)"
        onClick={() => showMoment(range)}
      >
        What happened here
      </button>
      <button
        type="button"
        class="button small"
        title="A note is stored in the trace (A)"
        onClick={() => (named === null ? addNoteTo(range) : editNote(named))}
      >
        {named === null ? 'Name this range' : 'Edit the note'}
      </button>
      <button
        type="button"
        class="button small"
        title="Escape"
        onClick={() => {
          selection.value = null;
        }}
      >
        Show all
      </button>
    </div>
  );
}
