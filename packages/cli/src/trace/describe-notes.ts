// The notes of a trace as parts of documents, and as text of one line.
import {
  type Moment,
  type NoteInfo,
  type NoteRecord,
  notesWithin,
  noteTitle,
  type TraceModel,
  type Window,
} from '@svc/trace';
import { clipText } from '../output/table.ts';
import { formatDuration } from '../output/text.ts';
import { secondsText } from './moment-place.ts';

/** Most characters of a text before it is clipped by its width, because the width of a long text takes long to find. */
const MEASURED = 4000;

/** The title of the note about this time. Of several, that of the shortest range. Null without one. */
export function noteAbout({ notes }: Pick<Moment, 'notes'>): string | null {
  const [first, ...others] = notes;
  if (first === undefined) return null;
  const isShorter = (one: NoteRecord, other: NoteRecord): boolean =>
    (one.duration_ms ?? 0) < (other.duration_ms ?? 0);
  return noteTitle(others.reduce((best, one) => (isShorter(one, best) ? one : best), first));
}

/** As {@link noteAbout}, for a part of a trace. */
export function noteWithin({ notes }: Pick<TraceModel, 'notes'>, window: Window): string | null {
  return noteAbout({ notes: notesWithin(notes, window) });
}

/** The title of a note in at most `columns` of a terminal. */
export function titleText(title: string, columns: number): string {
  return clipText(title.slice(0, MEASURED).toWellFormed(), columns);
}

/** The length of the range. Empty for a point in time. */
export function lengthText({ duration_ms }: Pick<NoteInfo, 'duration_ms'>): string {
  return duration_ms === null ? '' : formatDuration(duration_ms);
}

/** The whole note as one line: its time, its length and its text. */
export function noteLine(note: NoteInfo): string {
  const { t, duration_ms, text } = note;
  const length = duration_ms === null ? '' : ` for ${lengthText(note)}`;
  return `${secondsText(t)}${length}: ${titleText(text.trim().replaceAll(/\s+/g, ' '), 1000)}`;
}
