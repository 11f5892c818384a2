import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NoteRecord } from '@svc/trace';
import { noteOf, noteRange, noteTimeText, shownText } from './note-range.ts';

const note = (t: number, duration_ms?: number): NoteRecord => ({
  type: 'note',
  id: `${t}+${duration_ms}`,
  t,
  text: 'a',
  ...(duration_ms !== undefined && { duration_ms }),
});

test('a note without a length, or with the length 0, is about a point', () => {
  assert.deepEqual([note(5), note(5, 0), note(5, 2)].map(noteRange), [
    null,
    null,
    { from: 5, to: 7 },
  ]);
  assert.deepEqual([note(31_000), note(31_000, 2500)].map(noteTimeText), [
    '0:31.000',
    '0:31.000, 2.50 s',
  ]);
});

test('a range has the note with its times, rounded to thousandths', () => {
  const notes = [note(10), note(10, 20), note(10.0004, 30)];
  assert.equal(noteOf(notes, { from: 10, to: 40 }), notes[2]);
  assert.equal(noteOf(notes, { from: 10, to: 30 }), notes[1]);
  assert.equal(noteOf(notes, { from: 10, to: 31 }), null);
});

test('a long text is cut for a list, between whole characters', () => {
  assert.equal(shownText('x'.repeat(400)), 'x'.repeat(400));
  assert.equal(shownText('x'.repeat(401)), `${'x'.repeat(400)}…`);
  assert.ok(shownText(`${'x'.repeat(399)}🚀🚀`).isWellFormed());
});
