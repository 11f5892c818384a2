import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { NoteRecord } from '@svc/trace';
import { infoWith } from '../../test/make-info.ts';
import { page, settle } from '../../test/stand-in-page.ts';
import { openFile, openWaitingFile, waitingFile } from './open-file.ts';
import { mainTrace, traceId } from './open-traces.ts';
import {
  canTakeNotes,
  changeNote,
  newNoteId,
  noteExported,
  noteSent,
  notes,
  removeNote,
  unexportedNotes,
  unsentNotes,
  wouldLoseNotes,
} from './trace-notes.ts';

const own: NoteRecord = { type: 'note', id: 'own', t: 5, text: 'of the file' };
let traces = 0;

beforeEach(() => {
  mainTrace.value = infoWith({ id: `trace-${++traces}`, origin: 'file', notes: [own] });
});

const texts = (list: readonly NoteRecord[]) => list.map(({ text }) => text);

test('notes of the trace can be added to, changed and removed, and only changes count as unexported', () => {
  assert.deepEqual([texts(notes.value), unexportedNotes.value], [['of the file'], []]);
  changeNote({ id: 'new', t: 9, text: 'mine' });
  changeNote({ id: 'own', t: 5, text: 'changed' });
  assert.deepEqual(texts(notes.value), ['changed', 'mine']);
  assert.equal(unexportedNotes.value.length, 2);
  removeNote({ type: 'note', id: 'new', t: 9, text: 'mine' });
  assert.deepEqual(texts(notes.value), ['changed']);
  assert.deepEqual(texts(unexportedNotes.value), ['changed'], 'a removed new note leaves nothing');
});

test('exported changes are not counted again, but later ones are', () => {
  changeNote({ id: 'a', t: 1, text: 'one' });
  noteExported(traceId.value, 1);
  assert.deepEqual([unexportedNotes.value, wouldLoseNotes.value], [[], false]);
  changeNote({ id: 'b', t: 2, text: 'two' });
  assert.deepEqual(texts(unexportedNotes.value), ['two']);
  noteExported('another', 2);
  assert.equal(unexportedNotes.value.length, 1);
});

test('a change that the bytes of a growing trace have is not unexported', () => {
  changeNote({ id: 'a', t: 1, text: 'one' });
  const [change] = unexportedNotes.value;
  assert.ok(change !== undefined);
  mainTrace.value = infoWith({ id: traceId.value, notes: [own, change] });
  assert.deepEqual([unexportedNotes.value, notes.value.length], [[], 2]);
});

test('a note of a trace with several sources has the first, as the format demands', () => {
  changeNote({ id: 'a', t: 1, text: 'one' });
  assert.ok(!('source' in (unsentNotes.value[0] ?? {})));
  mainTrace.value = infoWith({ id: 'two', sources: ['native', 'browser'] });
  changeNote({ id: 'a', t: 1, text: 'one' });
  assert.equal(unsentNotes.value[0]?.source, 'native');
});

test('the notes of one trace are not those of the next', () => {
  changeNote({ id: 'a', t: 1, text: 'one' });
  mainTrace.value = infoWith({ id: 'next', durationMs: 0 });
  assert.deepEqual([notes.value, unsentNotes.value, canTakeNotes.value], [[], [], false]);
});

test('closing loses notes only if neither a file nor the agent has them', () => {
  changeNote({ id: 'a', t: 1, text: 'one' });
  assert.equal(wouldLoseNotes.value, true);
  noteSent(traceId.value, 1, false);
  assert.deepEqual([unsentNotes.value, wouldLoseNotes.value], [[], false]);
  changeNote({ id: 'b', t: 1, text: 'two' });
  noteSent(traceId.value, 1, true);
  assert.deepEqual([unsentNotes.value, wouldLoseNotes.value], [[], true]);
  noteExported(traceId.value, 2);
  assert.equal(wouldLoseNotes.value, false);
});

test('a new id is one that no note has, also if its note was removed', (t) => {
  const numbers = [1, 1, 2, 3];
  t.mock.method(crypto, 'getRandomValues', (array: Uint32Array) => {
    array[0] = numbers.shift() ?? 9;
    return array;
  });
  const first = newNoteId();
  assert.equal(first, '00000001');
  changeNote({ id: first, t: 1, text: 'one' });
  removeNote({ type: 'note', id: first, t: 1, text: 'one' });
  assert.equal(newNoteId(), '00000002');
  changeNote({ id: 3, t: 1, text: 'a number' });
  assert.equal(newNoteId(), '00000003');
});

test('a file waits for an answer while notes would be lost, and then replaces the trace', async () => {
  page.answers.open = ({ origin }) => infoWith({ id: origin.id, name: origin.name });
  changeNote({ id: 'a', t: 1, text: 'one' });
  const before = traceId.value;
  const file = new File(['x'], 'next.vpt');
  assert.equal(await openFile(file), false);
  assert.deepEqual([waitingFile.value, traceId.value], [file, before]);
  await openWaitingFile();
  await settle();
  assert.deepEqual([waitingFile.value, mainTrace.value?.name], [null, 'next.vpt']);
  assert.deepEqual(unexportedNotes.value, []);
});
