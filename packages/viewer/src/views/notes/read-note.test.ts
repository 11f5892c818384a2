import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NoteRecord } from '@svc/trace';
import type { Draft } from '../../notes/edit-note.ts';
import { fieldsOf, readNote } from './read-note.ts';

const FIELDS = { title: ' Boss ', details: '', from: '0:10', to: '0:12.5' };
const NEW: Draft = { trace: 'a', note: null, from: 0, to: null };

function draftOf(text: string, more: Partial<NoteRecord> & Partial<Draft> = {}): Draft {
  const { from = 10_000, to = null, duration_ms } = more;
  const length = duration_ms === undefined ? {} : { duration_ms };
  const note: NoteRecord = { type: 'note', id: 1, t: from, text, ...length };
  return { trace: 'a', note, from, to };
}

test('a title with details is one text, and times are a start and a length', () => {
  assert.deepEqual(readNote(FIELDS, NEW, 20_000).note, {
    t: 10_000,
    duration_ms: 2500,
    text: 'Boss',
  });
  const details = { ...FIELDS, details: '\n  slow\n    here \n', to: ' ' };
  assert.deepEqual(readNote(details, NEW, 20_000).note, {
    t: 10_000,
    text: 'Boss\n  slow\n    here',
  });
});

test('what was not changed stays exact: times that the fields show rounded, and the text', () => {
  const draft = { ...NEW, from: 10_000.1234, to: 12_500.4321 };
  assert.deepEqual(readNote({ ...fieldsOf(draft), title: 'Boss' }, draft, 20_000).note, {
    t: 10_000.123,
    duration_ms: 2500.309,
    text: 'Boss',
  });
  for (const text of [
    'Code\n\n    indented\n      more\n',
    '\n first',
    'x'.repeat(40_000),
    `title\n${'y'.repeat(40_000)}`,
  ]) {
    const old = draftOf(text);
    assert.equal(readNote({ ...fieldsOf(old), from: '0:11' }, old, 20_000).note?.text, text);
  }
});

test('a note after the end of the trace can be changed without its time', () => {
  const late = draftOf('late', { from: 90_000 });
  assert.equal(readNote({ ...fieldsOf(late), title: 'later' }, late, 20_000).note?.t, 90_000);
});

test('a note that cannot be stored is refused with its field and what to change', () => {
  for (const [change, field, fault] of [
    [{ title: ' ' }, 'title', /Write a title/],
    [{ details: 'x'.repeat(16_384) }, 'details', /too long. Shorten it to 16,384 characters/],
    [{ from: 'soon' }, 'from', /Write a time/],
    [{ from: '' }, 'from', /Write a time/],
    [{ to: 'later' }, 'to', /Write a time/],
    [{ to: '0:10' }, 'to', /The end must be after the start/],
    [{ to: '0:09' }, 'to', /The end must be after the start/],
    [{ to: '0:21' }, 'to', /The trace ends at 0:20\.000/],
    [{ from: '0:21', to: '' }, 'from', /The trace ends at 0:20\.000/],
  ] as const) {
    const read = readNote({ ...FIELDS, ...change }, NEW, 20_000);
    assert.deepEqual([read.note, read.fault?.field], [null, field]);
    assert.match(read.fault?.text ?? '', fault);
  }
});

test('half of a surrogate pair is replaced, because a trace cannot have it', () => {
  assert.equal(readNote({ ...FIELDS, title: 'a\ud800' }, NEW, 20_000).note?.text, 'a\ufffd');
});
