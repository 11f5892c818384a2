// A note as a part of a document.
import type { NoteRecord } from '../format/records.ts';

/** `duration_ms` is null for a note about a point in time. */
export type NoteInfo = Pick<NoteRecord, 'id' | 't' | 'text'> & {
  readonly duration_ms: number | null;
};

/** The length of a range has three decimals. A range without length is a point in time. */
export function noteInfo({ id, t, duration_ms = 0, text }: Omit<NoteRecord, 'type'>): NoteInfo {
  const length = Math.round(duration_ms * 1000) / 1000;
  return { id, t, duration_ms: length > 0 ? length : null, text };
}
