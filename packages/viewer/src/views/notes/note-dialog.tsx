// The dialog that writes a note: its title, its details, and its time.
import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { Dialog } from '../../controls/dialog.tsx';
import { type Draft, draft } from '../../notes/edit-note.ts';
import { mainTrace, traceId } from '../../traces/open-traces.ts';
import { changeNote, newNoteId, removeNote } from '../../traces/trace-notes.ts';
import { keepText, keptText } from './kept-text.ts';
import { fieldsOf, LONGEST_TITLE, type NoteFields, readNote } from './read-note.ts';
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
      <NoteForm key={`${now.trace} ${now.note?.id} ${now.from}`} now={now} />
    </Dialog>
  );
}

function close(): void {
  draft.value = null;
}

const OTHER_TRACE = 'Another trace was opened meanwhile. Copy your text, then cancel.';

function NoteForm({ now }: { readonly now: Draft }) {
  const fields = useSignal<NoteFields>({ ...fieldsOf(now), ...keptText(now) });
  const fault = useSignal<{ readonly field: keyof NoteFields; readonly text: string } | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const faultId = useId();
  const save = (): void => {
    if (traceId.value !== now.trace) {
      fault.value = { field: 'title', text: OTHER_TRACE };
      return;
    }
    const read = readNote(fields.value, now, mainTrace.value?.durationMs ?? 0);
    fault.value = read.fault;
    if (read.note === null) {
      focusField(form.current, read.fault.field);
      return;
    }
    changeNote({ id: now.note?.id ?? newNoteId(), ...read.note });
    keepText(now, null);
    close();
  };
  /** The attributes of a field. */
  const field = (name: keyof NoteFields) => ({
    name,
    value: fields.value[name],
    'aria-invalid': fault.value?.field === name,
    'aria-describedby': fault.value?.field === name ? faultId : undefined,
    onInput: (event: { readonly currentTarget: { readonly value: string } }): void => {
      fields.value = { ...fields.value, [name]: event.currentTarget.value };
      keepText(now, fields.value);
    },
  });
  return (
    <form
      ref={form}
      class="note-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <label>
        Title
        <input
          // biome-ignore lint/a11y/noAutofocus: the dialog opens to write the title
          autoFocus
          type="text"
          maxLength={LONGEST_TITLE}
          {...field('title')}
        />
      </label>
      <label>
        Details
        <textarea
          rows={4}
          {...field('details')}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            save();
          }}
        />
      </label>
      <div class="note-times">
        <label>
          From
          <input type="text" {...field('from')} />
        </label>
        <label>
          To, empty for a point in time
          <input type="text" {...field('to')} />
        </label>
      </div>
      {fault.value !== null && (
        <p id={faultId} class="fault" role="alert">
          {fault.value.text}
        </p>
      )}
      <footer class="dialog-foot">
        {now.note !== null && <RemoveButton now={now} note={now.note} />}
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

function RemoveButton({
  now,
  note,
}: {
  readonly now: Draft;
  readonly note: NonNullable<Draft['note']>;
}) {
  return (
    <button
      type="button"
      class="button danger"
      disabled={traceId.value !== now.trace}
      onClick={() => {
        removeNote(note);
        keepText(now, null);
        close();
      }}
    >
      Remove
    </button>
  );
}

function focusField(form: HTMLFormElement | null, name: keyof NoteFields): void {
  const found = form?.elements.namedItem(name);
  if (found instanceof HTMLElement) found.focus();
}
