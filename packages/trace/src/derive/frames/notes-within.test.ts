import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NoteRecord } from '../../format/records.ts';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { findHitches, momentOf } from './moment.ts';
import { notesWithin } from './notes-within.ts';

const note = (t: number, duration_ms?: number): NoteRecord => ({
  ...{ type: 'note', t, id: 1, text: 'x' },
  ...(duration_ms !== undefined && { duration_ms }),
});

test('a note about one of several hitches in a row, as a range or a point, belongs to this hitch only', () => {
  const lengths = [60.1, 90.3, 70.7];
  const frames = modelOf(traceFromText(`browser\n0 frames 16.7*3 ${lengths.join(' ')} 10`));
  const hitches = findHitches(frames, 16.67).filter(({ index }) => index >= 3);
  assert.equal(hitches.length, lengths.length);
  for (const { start_ms, duration_ms } of hitches) {
    const t = Math.round(start_ms * 1000) / 1000;
    for (const notes of [[note(t, duration_ms)], [note(t)]]) {
      const found = hitches.filter((hitch) => {
        const window = { from_ms: hitch.start_ms, to_ms: hitch.start_ms + hitch.duration_ms };
        return momentOf({ ...frames, notes }, window).notes.length > 0;
      });
      assert.deepEqual(
        found.map((hitch) => hitch.start_ms),
        [start_ms],
      );
    }
  }
});

test('a note overlaps a window by more than a microsecond, and a point belongs to the window that begins at it', () => {
  const isIn = (one: NoteRecord, from_ms: number, to_ms: number): boolean =>
    notesWithin([one], { from_ms, to_ms }).length > 0;
  for (const [one, from, to, expected] of [
    [note(10), 10, 20, true],
    [note(10), 10.0004, 20, true],
    [note(10), 10.001, 20, false],
    [note(20), 10, 20, false],
    [note(20), 10, 20.0004, false],
    [note(20, 0), 10, 20.001, true],
    [note(0, 10), 10, 20, false],
    [note(0, 10.001), 10, 20, false],
    [note(0, 10.002), 10, 20, true],
    [note(19.999, 5), 10, 20, false],
    [note(19.998, 5), 10, 20, true],
    [note(0, 100), 10, 20, true],
    [note(15, 0.001), 10, 20, true],
    [note(10, 5), 12, 12.001, true],
    [note(10, 2), 12, 12.001, false],
  ] as const) {
    assert.equal(isIn(one, from, to), expected, JSON.stringify([one, from, to]));
  }
});
