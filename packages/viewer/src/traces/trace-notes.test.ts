import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { NoteRecord } from '@svc/trace';
import { infoWith } from '../../test/make-info.ts';
import { page, settle } from '../../test/stand-in-page.ts';
import { openFile } from './open-file.ts';
import { mainTrace, traceId } from './open-traces.ts';
import { answerReplacement, replacement } from './replacement.ts';
import {
  canTakeNotes,
  changeNote,
  hasUnexportedNotes,
  newNoteId,
  nextUnsent,
  noteChanges,
  noteExported,
  noteReadAgain,
  noteSent,
  notes,
  removeNote,
  traceAtAgent,
  wouldLoseNotes,
} from './trace-notes.ts';

const own: NoteRecord = { type: 'note', id: 'own', t: 5, text: 'of the file' };
let traces = 0;

beforeEach(() => {
  mainTrace.value = infoWith({ id: `trace-${++traces}`, origin: 'file', notes: [own] });
  traceAtAgent.value = null;
});

const texts = (list: readonly NoteRecord[]) => list.map(({ text }) => text);

/** Records the answer of the agent to the next change. */
function answer(at: 'agent' | 'refused'): void {
  const note = nextUnsent.value;
  assert.ok(note !== null);
  noteSent(traceId.value, note, at);
}

test('notes of the trace can be added to, changed and removed', () => {
  assert.deepEqual([texts(notes.value), hasUnexportedNotes.value], [['of the file'], false]);
  changeNote({ id: 'new', t: 9, text: 'mine' });
  changeNote({ id: 'own', t: 5, text: 'changed' });
  assert.deepEqual([texts(notes.value), hasUnexportedNotes.value], [['changed', 'mine'], true]);
  removeNote({ type: 'note', id: 'new', t: 9, text: 'mine' });
  changeNote({ id: 'own', t: 5, text: 'of the file' });
  assert.deepEqual(texts(notes.value), ['of the file']);
  assert.equal(hasUnexportedNotes.value, false, 'nothing has changed in the end');
});

test('exported changes are not unexported, but later ones are', () => {
  changeNote({ id: 'a', t: 1, text: 'one' });
  noteExported(traceId.value, 1);
  assert.deepEqual([hasUnexportedNotes.value, wouldLoseNotes.value], [false, false]);
  changeNote({ id: 'b', t: 2, text: 'two' });
  noteExported('another', 2);
  assert.equal(hasUnexportedNotes.value, true);
});

test('a change that the bytes of a growing trace have is not unexported', () => {
  changeNote({ id: 'a', t: 1, text: 'one' });
  mainTrace.value = infoWith({ id: traceId.value, notes: [own, ...noteChanges.value] });
  assert.deepEqual([hasUnexportedNotes.value, notes.value.length], [false, 2]);
});

test('a note of a trace with several sources has the first, as the format demands', () => {
  changeNote({ id: 'a', t: 1, text: 'one' });
  assert.ok(!('source' in (noteChanges.value[0] ?? {})));
  mainTrace.value = infoWith({ id: 'two', sources: ['native', 'browser'] });
  changeNote({ id: 'a', t: 1, text: 'one' });
  assert.equal(noteChanges.value[0]?.source, 'native');
});

test('the notes of one trace are not those of the next', () => {
  changeNote({ id: 'a', t: 1, text: 'one' });
  mainTrace.value = infoWith({ id: 'next', durationMs: 0 });
  assert.deepEqual([notes.value, nextUnsent.value, canTakeNotes.value], [[], null, false]);
});

test('closing loses notes only if neither a file nor the agent has them', () => {
  traceAtAgent.value = traceId.value;
  changeNote({ id: 'a', t: 1, text: 'one' });
  assert.equal(wouldLoseNotes.value, true);
  answer('agent');
  assert.deepEqual([nextUnsent.value, wouldLoseNotes.value], [null, false]);
  assert.equal(hasUnexportedNotes.value, true);
  traceAtAgent.value = null;
  assert.equal(wouldLoseNotes.value, true, 'the agent has ended');
  traceAtAgent.value = traceId.value;
  changeNote({ id: 'b', t: 1, text: 'two' });
  answer('refused');
  assert.deepEqual([nextUnsent.value, wouldLoseNotes.value], [null, true]);
  noteExported(traceId.value, 2);
  assert.equal(wouldLoseNotes.value, false);
});

test('when the agent’s trace is read again, its notes are newer than what this page has sent', () => {
  traceAtAgent.value = traceId.value;
  changeNote({ id: 'own', t: 5, text: 'sent' });
  answer('agent');
  changeNote({ id: 'b', t: 6, text: 'refused' });
  answer('refused');
  changeNote({ id: 'c', t: 7, text: 'not sent' });
  const newest = { ...own, text: 'by another page' };
  mainTrace.value = infoWith({ id: traceId.value, notes: [newest] });
  noteReadAgain(traceId.value);
  assert.deepEqual(texts(notes.value), ['by another page', 'refused', 'not sent']);
  noteExported(traceId.value, 2);
  assert.equal(hasUnexportedNotes.value, false);
});

test('notes that the agent has in memory are unexported in a page that reads them', () => {
  noteReadAgain(traceId.value);
  traceAtAgent.value = traceId.value;
  assert.deepEqual([hasUnexportedNotes.value, wouldLoseNotes.value], [true, false]);
  traceAtAgent.value = null;
  assert.equal(wouldLoseNotes.value, true);
  noteExported(traceId.value, 0);
  assert.equal(hasUnexportedNotes.value, false);
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
  assert.deepEqual([replacement.value?.name, traceId.value], ['next.vpt', before]);
  answerReplacement('cancel');
  assert.deepEqual([replacement.value, traceId.value, notes.value.length], [null, before, 2]);
  await openFile(file);
  answerReplacement('open');
  await settle();
  assert.deepEqual([replacement.value, mainTrace.value?.name], [null, 'next.vpt']);
  assert.equal(hasUnexportedNotes.value, false);
});
