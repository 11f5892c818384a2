import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NoteRecord } from '@svc/trace';
import { noteTracks } from './note-tracks.ts';

const note = (t: number, text: string, duration_ms?: number): NoteRecord => ({
  type: 'note',
  id: text,
  t,
  text,
  ...(duration_ms !== undefined && { duration_ms }),
});

test('ranges and points have a track each, with the titles of their notes', () => {
  assert.deepEqual(noteTracks([]), []);
  const [ranges, points] = noteTracks([
    note(1, 'start\nmore'),
    note(2, 'boss', 10),
    note(5, 'phase 2', 3),
    note(9, 'end', 0),
  ]);
  assert.ok(ranges?.kind === 'intervals' && points?.kind === 'points');
  assert.deepEqual([...ranges.names, [...ranges.lane]], ['boss', 'phase 2', [0, 1]]);
  assert.deepEqual([...points.names, [...points.t]], ['start', 'end', [1, 9]]);
});

test('a kind without notes has no track', () => {
  assert.deepEqual(
    noteTracks([note(1, 'a')]).map(({ id }) => id),
    ['notes'],
  );
  assert.deepEqual(
    noteTracks([note(1, 'a', 4)]).map(({ id }) => id),
    ['note-ranges'],
  );
});
