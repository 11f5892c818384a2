// The note that the dialog edits.
import { signal } from '@preact/signals';
import type { NoteRecord } from '@svc/trace';
import type { TimeRange } from '../draw/time-axis.ts';
import { traceId } from '../traces/open-traces.ts';
import { noteRange } from './note-range.ts';

/** A note that is written: a new one about a time or a range, or one of the trace. */
export type Draft = {
  /** The id of the trace that the note is about. */
  readonly trace: string;
  /** Null for a new note. */
  readonly note: NoteRecord | null;
  readonly from: number;
  /** The end of the range. Null for a note about a point in time. */
  readonly to: number | null;
};

/** The note in the dialog. Null if the dialog is closed. */
export const draft = signal<Draft | null>(null);

/** Opens the dialog for a new note about a range. */
export function addNoteTo({ from, to }: TimeRange): void {
  draft.value = { trace: traceId.value, note: null, from, to };
}

/** Opens the dialog for a new note about a time in ms. */
export function addNoteAt(t: number): void {
  draft.value = { trace: traceId.value, note: null, from: t, to: null };
}

/** Opens the dialog for a note of the trace. */
export function editNote(note: NoteRecord): void {
  const to = noteRange(note)?.to ?? null;
  draft.value = { trace: traceId.value, note, from: note.t, to };
}
