// The dialog that writes a note: its title, its details, and its time.
import { useSignal } from '@preact/signals';
import { noteBody, noteTitle } from '@svc/trace';
import { Dialog } from '../../controls/dialog.tsx';
import { formatClock } from '../../format/numbers.ts';
import { type Draft, draft } from '../../notes/edit-note.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import { changeNote, newNoteId, removeNote } from '../../traces/trace-notes.ts';
import { LONGEST_TITLE, type NoteFields, readNote } from './read-note.ts';
import './notes.css';

export function NoteDialog() {
  const now = draft.value;
  if (now === null) return null;
  return (
    <Dialog
      open
      title={now.note === null ? 'Add a note to the trace' : 'Edit the note'}
      close={close}
    >
      <NoteForm key={`${now.note?.id} ${now.from}`} now={now} />
    </Dialog>
  );
}

function close(): void {
  draft.value = null;
}

function NoteForm({ now: { note, from, to } }: { readonly now: Draft }) {
  const fields = useSignal<NoteFields>({
    title: note === null ? '' : noteTitle(note),
    details: note === null ? '' : noteBody(note),
    from: formatClock(from),
    to: to === null ? '' : formatClock(to),
  });
  const fault = useSignal<string | null>(null);
  const set = (name: keyof NoteFields) => (event: { currentTarget: { value: string } }) => {
    fields.value = { ...fields.value, [name]: event.currentTarget.value };
  };
  const save = (): void => {
    const read = readNote(fields.value, { from, to }, mainTrace.value?.durationMs ?? 0);
    fault.value = read.fault;
    if (read.note === null) return;
    changeNote({ id: note?.id ?? newNoteId(), ...read.note });
    close();
  };
  const { title, details } = fields.value;
  return (
    <form
      class="note-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save();
      }}
    >
      <label>
        Title
        <input
          // biome-ignore lint/a11y/noAutofocus: the dialog opens to write the title
          autoFocus
          type="text"
          maxLength={LONGEST_TITLE}
          value={title}
          onInput={set('title')}
        />
      </label>
      <label>
        Details
        <textarea rows={4} value={details} onInput={set('details')} />
      </label>
      <div class="note-times">
        <label>
          From
          <input type="text" value={fields.value.from} onInput={set('from')} />
        </label>
        <label>
          To, empty for a point in time
          <input type="text" value={fields.value.to} onInput={set('to')} />
        </label>
      </div>
      {fault.value !== null && (
        <p class="fault" role="alert">
          {fault.value}
        </p>
      )}
      <footer class="dialog-foot">
        {note !== null && (
          <button
            type="button"
            class="button danger"
            onClick={() => {
              removeNote(note);
              close();
            }}
          >
            Remove
          </button>
        )}
        <span class="spring" />
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="button primary">
          Save
        </button>
      </footer>
    </form>
  );
}
