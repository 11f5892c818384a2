import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareFormats, type Format } from './compare-formats.ts';

const FORMAT: Format = {
  version: 1,
  limits: { LINE_BYTES: 100 },
  records: { mark: { name: 'name', 'note?': 'name' }, frame: { ms: 'amount' } },
};

function changesTo(more: Partial<Format>): string[] {
  return compareFormats(FORMAT, { ...FORMAT, ...more }).map(
    ({ where, what }) => `${where} ${what}`,
  );
}

test('compareFormats: nothing, or something new', () => {
  assert.deepEqual(changesTo({}), []);
  assert.deepEqual(changesTo({ limits: { LINE_BYTES: 100, OTHER: 1 } }), []);
  assert.deepEqual(changesTo({ records: { ...FORMAT.records, new: { a: 'name' } } }), []);
  const mark = { name: 'name', 'note?': 'name', 'more?': 'count' };
  assert.deepEqual(changesTo({ records: { ...FORMAT.records, mark } }), []);
});

test('compareFormats: another limit, and records and fields that are gone', () => {
  assert.deepEqual(changesTo({ limits: { LINE_BYTES: 50 } }), ['LINE_BYTES is 50, not 100']);
  assert.deepEqual(changesTo({ limits: { LINE_BYTES: 200 } }), ['LINE_BYTES is 200, not 100']);
  assert.deepEqual(changesTo({ limits: {} }), ['LINE_BYTES is unlimited, not 100']);
  assert.deepEqual(changesTo({ records: { frame: { ms: 'amount' } } }), ['record mark is gone']);
  const records = { ...FORMAT.records, mark: { name: 'name' } };
  assert.deepEqual(changesTo({ records }), ['record mark: note is gone']);
});

test('compareFormats: another kind, and what is required', () => {
  const changesOf = (mark: Format['records'][string]): string[] =>
    changesTo({ records: { ...FORMAT.records, mark } });
  assert.deepEqual(changesOf({ name: 'word', 'note?': 'name' }), [
    'record mark: name is of the kind word, not name',
  ]);
  assert.deepEqual(changesOf({ name: 'name', note: 'name' }), [
    'record mark: note is required now',
  ]);
  assert.deepEqual(changesOf({ 'name?': 'name', 'note?': 'name' }), [
    'record mark: name can be absent',
  ]);
  assert.deepEqual(changesOf({ name: 'name', 'note?': 'name', more: 'count' }), [
    'record mark: more is required now',
  ]);
});
