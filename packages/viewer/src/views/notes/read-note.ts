// Reads the fields of the dialog. Pure.
import { NOTE_LENGTH, type NoteRecord, noteBody, noteTitle } from '@svc/trace';
import { formatClock } from '../../format/numbers.ts';
import { parseClock } from '../../format/parse-clock.ts';
import type { Draft } from '../../notes/edit-note.ts';

/** The texts of the dialog. The times are on a clock, `to` is empty for a point in time. */
export type NoteFields = {
  readonly title: string;
  readonly details: string;
  readonly from: string;
  readonly to: string;
};

/** A note, or the field to change and a sentence that says what to change. */
type Read =
  | { readonly note: Pick<NoteRecord, 't' | 'duration_ms' | 'text'>; readonly fault: null }
  | {
      readonly note: null;
      readonly fault: { readonly field: keyof NoteFields; readonly text: string };
    };

/** The most characters of a title. */
export const LONGEST_TITLE = 200;

/** What the dialog shows first. */
export function fieldsOf({ note, from, to }: Draft): NoteFields {
  return {
    title: note === null ? '' : noteTitle(note),
    details: note === null ? '' : noteBody(note),
    from: formatClock(from),
    to: to === null ? '' : formatClock(to),
  };
}

/** Reads a note. What was not changed stays exactly as it is in the draft. `endMs` is the end of the trace. */
export function readNote(fields: NoteFields, draft: Draft, endMs: number): Read {
  const was = fieldsOf(draft);
  const text = textOf(fields, was, draft.note);
  if (text === '') return refuse('title', 'Write a title.');
  if (text.length > NOTE_LENGTH && text !== draft.note?.text) {
    const most = NOTE_LENGTH.toLocaleString('en');
    return refuse('details', `The note is too long. Shorten it to ${most} characters.`);
  }
  const from = fields.from === was.from ? draft.from : parseClock(fields.from);
  if (from === null) return refuse('from', WRITE_A_TIME);
  if (from !== draft.from && from > endMs) return refuse('from', beforeTheEnd(endMs));
  if (fields.to.trim() === '') return { note: { t: round(from), text }, fault: null };
  const to = fields.to === was.to ? draft.to : parseClock(fields.to);
  if (to === null) return refuse('to', WRITE_A_TIME);
  // The clock rounds the end of the trace.
  if (to !== draft.to && to > endMs + 0.5) return refuse('to', beforeTheEnd(endMs));
  if (to <= from) return refuse('to', 'The end must be after the start.');
  const t = round(from);
  return { note: { t, duration_ms: round(to - t), text }, fault: null };
}

const WRITE_A_TIME = 'Write a time as on a clock or in seconds, for example 0:31.2 or 31.2.';

function beforeTheEnd(endMs: number): string {
  return `The trace ends at ${formatClock(endMs)}. Write an earlier time.`;
}

/** Empty without a title. The indentation of the details stays. */
function textOf(fields: NoteFields, was: NoteFields, note: NoteRecord | null): string {
  const isSame = fields.title === was.title && fields.details === was.details;
  if (isSame && note !== null) return note.text;
  const title = fields.title.trim();
  const details = fields.details.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
  return (title === '' || details === '' ? title : `${title}\n${details}`).toWellFormed();
}

function refuse(field: keyof NoteFields, text: string): Read {
  return { note: null, fault: { field, text } };
}

/** Three decimals, as the format has. */
function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
