import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readNote } from './read-note.ts';

const FIELDS = { title: ' Boss ', details: '', from: '0:10', to: '0:12.5' };
const NEW = { from: 0, to: null };

test('a title with details is one text, and times are a start and a length', () => {
  assert.deepEqual(readNote(FIELDS, NEW, 20_000).note, {
    t: 10_000,
    duration_ms: 2500,
    text: 'Boss',
  });
  const details = { ...FIELDS, details: ' slow\nhere ', to: ' ' };
  assert.deepEqual(readNote(details, NEW, 20_000).note, { t: 10_000, text: 'Boss\nslow\nhere' });
});

test('a time that was not changed stays exact, although the field shows it rounded', () => {
  const was = { from: 10_000.1234, to: 12_500.4321 };
  assert.deepEqual(readNote({ ...FIELDS, from: '0:10.000', to: '0:12.500' }, was, 20_000).note, {
    t: 10_000.123,
    duration_ms: 2500.309,
    text: 'Boss',
  });
});

test('a note that cannot be stored is refused with what to change', () => {
  for (const [change, fault] of [
    [{ title: ' ' }, /Write a title/],
    [{ details: 'x'.repeat(16_384) }, /too long/],
    [{ from: 'soon' }, /Write a time/],
    [{ from: '' }, /Write a time/],
    [{ to: 'later' }, /Write a time/],
    [{ to: '0:10' }, /The end must be after the start/],
    [{ to: '0:09' }, /The end must be after the start/],
    [{ to: '0:21' }, /The trace ends at 0:20\.000/],
    [{ from: '0:21', to: '' }, /The trace ends at 0:20\.000/],
  ] as const) {
    const read = readNote({ ...FIELDS, ...change }, NEW, 20_000);
    assert.equal(read.note, null);
    assert.match(read.fault ?? '', fault);
  }
});

test('half of a surrogate pair is replaced, because a trace cannot have it', () => {
  assert.equal(readNote({ ...FIELDS, title: 'a\ud800' }, NEW, 20_000).note?.text, 'a\ufffd');
});
