// The notes of the trace.
import { noteBody, noteTitle } from '@svc/trace';
import { formatCount } from '../../format/numbers.ts';
import { noteTimeText, shownText } from '../../notes/note-range.ts';
import { notes } from '../../traces/trace-notes.ts';
import { showNote } from '../notes/show-note.ts';
import { Panel, Row } from './panel.tsx';

/** The most notes that are listed. */
const MOST_NOTES = 8;

export function Notes() {
  const all = notes.value;
  if (all.length === 0) return null;
  const more = all.length - MOST_NOTES;
  return (
    <Panel title="Notes" leadsTo="timeline">
      <ol class="plain">
        {all.slice(0, MOST_NOTES).map((note) => (
          <Row
            key={`${typeof note.id} ${note.id}`}
            title="Show the time of this note"
            choose={() => showNote(note)}
          >
            <span class="glance-when range">{noteTimeText(note)}</span>
            <span class="glance-main wrap-anywhere">
              <b>{shownText(noteTitle(note))}</b>{' '}
              <span class="muted">{shownText(noteBody(note))}</span>
            </span>
          </Row>
        ))}
      </ol>
      {more > 0 && <p class="hint glance-rest">{formatCount(more)} more on the timeline.</p>}
    </Panel>
  );
}
