// The tracks of notes: the ranges that they name, and the points that they are about. Pure.
import { type NoteRecord, noteTitle } from '@svc/trace';
import type { Track } from '../timeline-data.ts';
import { assignLanes } from './columns.ts';

/** Returns a track for each kind of note that occurs. `notes` are sorted by time. */
export function noteTracks(notes: readonly NoteRecord[]): Track[] {
  const ranges = notes.filter(({ duration_ms = 0 }) => duration_ms > 0);
  const points = notes.filter(({ duration_ms = 0 }) => duration_ms === 0);
  return [
    ...(ranges.length > 0 ? [rangeTrack(ranges)] : []),
    ...(points.length > 0 ? [pointTrack(points)] : []),
  ];
}

const HEAD = { record: 'note', source: '' } as const;

function rangeTrack(notes: readonly NoteRecord[]): Track {
  const t = Float64Array.from(notes, (note) => note.t);
  const duration = Float64Array.from(notes, (note) => note.duration_ms ?? 0);
  const names = notes.map(noteTitle);
  const head = { ...HEAD, kind: 'intervals', id: 'note-ranges', label: 'Named ranges' } as const;
  return { ...head, t, duration, names, ...assignLanes(t, duration) };
}

function pointTrack(notes: readonly NoteRecord[]): Track {
  const t = Float64Array.from(notes, (note) => note.t);
  return { ...HEAD, kind: 'points', id: 'notes', label: 'Notes', t, names: notes.map(noteTitle) };
}
