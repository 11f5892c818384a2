// Which notes are about a time window.
import type { NoteRecord } from '../../format/records.ts';
import type { Window } from './frame-stats.ts';

/**
 * The notes that overlap the window, in their order. Times are compared in whole microseconds, the precision of the format, because the
 * ends of frames are sums of rounded numbers. An overlap of 1 µs does not count, unless the note or the window is that short. A note
 * about a point in time belongs to the window that begins at it.
 */
export function notesWithin(notes: readonly NoteRecord[], window: Window): NoteRecord[] {
  const [from, to] = [micros(window.from_ms), micros(window.to_ms)];
  return notes.filter(({ t, duration_ms = 0 }) => {
    const begin = micros(t);
    const end = micros(t + duration_ms);
    if (begin === end) return begin >= from && begin < to;
    const overlap = Math.min(end, to) - Math.max(begin, from);
    return overlap > 1 || (overlap === 1 && Math.min(end - begin, to - from) === 1);
  });
}

function micros(ms: number): number {
  return Math.round(ms * 1000);
}
