// The time of a note. Pure.
import type { NoteRecord } from '@svc/trace';
import type { TimeRange } from '../draw/time-axis.ts';
import { formatClock, formatMs } from '../format/numbers.ts';

/** The range of a note. Null if it is about a point in time. */
export function noteRange({ t, duration_ms }: NoteRecord): TimeRange | null {
  return duration_ms === undefined || duration_ms === 0 ? null : { from: t, to: t + duration_ms };
}

/** The note that names a range: its times are the same, to a thousandth of a millisecond. Null if there is none. */
export function noteOf(notes: readonly NoteRecord[], range: TimeRange): NoteRecord | null {
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) < 0.0015;
  return (
    notes.find((note) => {
      const own = noteRange(note);
      return own !== null && isNear(own.from, range.from) && isNear(own.to, range.to);
    }) ?? null
  );
}

/** The time of a note as text: `0:31.000`, or `0:31.000, 2.5 s` for a range. */
export function noteTimeText(note: NoteRecord): string {
  const range = noteRange(note);
  return range === null
    ? formatClock(note.t)
    : `${formatClock(range.from)}, ${formatMs(range.to - range.from)}`;
}

/** The most characters of a note that a list shows. */
const SHOWN_CHARACTERS = 400;

/** A text for a list or a tooltip, which is cut if it is long. The dialog of the note has all of it. */
export function shownText(text: string): string {
  if (text.length <= SHOWN_CHARACTERS) return text;
  return `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`;
}
