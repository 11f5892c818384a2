// Reads the fields of the dialog. Pure.
import type { NoteRecord } from '@svc/trace';
import { formatClock } from '../../format/numbers.ts';
import { parseClock } from '../../format/parse-clock.ts';

/** The texts of the dialog. The times are on a clock, `to` is empty for a point in time. */
export type NoteFields = {
  readonly title: string;
  readonly details: string;
  readonly from: string;
  readonly to: string;
};

type Read =
  | { readonly note: Pick<NoteRecord, 't' | 'duration_ms' | 'text'>; readonly fault: null }
  | { readonly note: null; readonly fault: string };

/** The most characters of a title, and of a whole note. The agent accepts as many. */
export const LONGEST_TITLE = 200;
const LONGEST_TEXT = 16_384;

/**
 * Reads a note. `was` has the exact times that the fields show rounded: a time that was not changed stays exact. `endMs` is the
 * end of the trace. `fault` is a sentence that says what to change.
 */
export function readNote(
  fields: NoteFields,
  was: { readonly from: number; readonly to: number | null },
  endMs: number,
): Read {
  const title = fields.title.trim();
  const text = fields.details.trim() === '' ? title : `${title}\n${fields.details.trim()}`;
  if (title === '') return refuse('Write a title.');
  if (text.length > LONGEST_TEXT) {
    return refuse(`The note is too long. Shorten it to ${LONGEST_TEXT} characters.`);
  }
  const from = timeOf(fields.from, was.from);
  const to = fields.to.trim() === '' ? null : timeOf(fields.to, was.to);
  if (from === null || (to === null && fields.to.trim() !== '')) {
    return refuse('Write a time as on a clock or in seconds, for example 0:31.2 or 31.2.');
  }
  if (Math.max(from, to ?? 0) > endMs + 0.5) {
    return refuse(`The trace ends at ${formatClock(endMs)}. Write an earlier time.`);
  }
  if (to === null) return { note: { t: round(from), text: text.toWellFormed() }, fault: null };
  if (to <= from) return refuse('The end must be after the start.');
  const t = round(from);
  return { note: { t, duration_ms: round(to - t), text: text.toWellFormed() }, fault: null };
}

function refuse(fault: string): Read {
  return { note: null, fault };
}

function timeOf(text: string, was: number | null): number | null {
  return was !== null && text.trim() === formatClock(was) ? was : parseClock(text);
}

/** Three decimals, as the format has. */
function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
