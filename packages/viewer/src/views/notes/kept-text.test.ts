import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Draft } from '../../notes/edit-note.ts';
import { keepText, keptText } from './kept-text.ts';

const draft = (more: Partial<Draft>): Draft => ({
  trace: 'a',
  note: null,
  from: 1,
  to: null,
  ...more,
});
const note = (id: number | string): Draft =>
  draft({ note: { type: 'note', id, t: 1, text: 'old' } });
const TEXT = { title: 'typed', details: 'more' };

test('a text is kept for the same note, or for any new note of the trace, until it is forgotten', () => {
  keepText(draft({}), { ...TEXT });
  assert.deepEqual(keptText(draft({ from: 9 })), TEXT);
  assert.deepEqual([keptText(draft({ trace: 'b' })), keptText(note(1))], [null, null]);
  keepText(note(1), TEXT);
  assert.deepEqual([keptText(note('1')), keptText(draft({}))], [null, null]);
  assert.deepEqual(keptText(note(1)), TEXT);
  keepText(note(1), null);
  assert.equal(keptText(note(1)), null);
});
