// Notes beside a trace: the latest line of each id, their limits, and what an export inserts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOTE_LIMITS, type TraceSummary } from '@svc/contracts/agent';
import { LATEST_T_MS, NOTE_LENGTH, type NoteRecord } from '@svc/trace';
import { AddedNotes } from './added-notes.ts';

const PLACE = { at: 7, before: '' } as const;
const placed = async () => PLACE;

function note(id: number | string, text = 'x', t = 1): NoteRecord {
  return { type: 'note', t, id, text };
}

/** The lines that an export inserts. */
function linesOf(notes: AddedNotes): string[] {
  return Buffer.from(notes.insertion?.bytes ?? [])
    .toString()
    .split('\n')
    .slice(0, -1);
}

const FILE: TraceSummary = {
  id: '1',
  name: 'a.vpt',
  origin: 'import',
  path: null,
  sources: ['browser'],
  started_at: null,
  records: 3,
  assets: 1,
  bytes: 100,
  duration_ms: null,
  partial: true,
  truncated: false,
  torn_bytes: 4,
  notes_revision: 0,
};

test('the latest note of each id has a line, in the order of the changes', async () => {
  const notes = new AddedNotes(['browser'], placed);
  assert.deepEqual([notes.insertion, notes.summarize(FILE)], [null, FILE]);
  await notes.add([note(1, 'one'), note('1', 'text'), note(2, 'two')]);
  await notes.add([{ ...note(1, 'again\nbelow', 1.5), duration_ms: 2 }, note(2, ''), note(3)]);
  await notes.add([note(3, 'last')]);
  assert.equal(notes.insertion?.at, 7);
  assert.deepEqual(linesOf(notes), [
    '{"type":"note","t":1,"id":"1","text":"text"}',
    '{"type":"note","t":1.5,"id":1,"text":"again\\nbelow","duration_ms":2}',
    '{"type":"note","t":1,"id":2,"text":""}',
    '{"type":"note","t":1,"id":3,"text":"last"}',
  ]);
});

test('a note has the first source of the header if it has several', async () => {
  const notes = new AddedNotes(['native', 'browser'], placed);
  await notes.add([note(1)]);
  assert.deepEqual(linesOf(notes), ['{"type":"note","t":1,"source":"native","id":1,"text":"x"}']);
});

test('the summary includes the lines, but a note does not lengthen the trace', async () => {
  const notes = new AddedNotes(['browser'], async () => ({ at: 7, before: '\n' }));
  await notes.add([note(1), { ...note(2, 'x', 5), duration_ms: 2.5 }]);
  const lines = linesOf(notes).join('\n');
  const noted = { ...FILE, records: 5, bytes: 100 + lines.length + 1, notes_revision: 1 };
  assert.deepEqual(notes.summarize(FILE), noted);
  await notes.add([note(2, '', 0)]);
  const { records, notes_revision } = notes.summarize(FILE);
  assert.deepEqual([records, notes_revision], [5, 2], 'a replaced line is not counted');
});

test('an insertion does not change when notes are added later', async () => {
  const notes = new AddedNotes(['browser'], placed);
  await notes.add([note(1)]);
  const { insertion } = notes;
  const before = Buffer.from(insertion?.bytes ?? []).toString();
  await notes.add([note(1, 'changed'), note(2)]);
  assert.equal(Buffer.from(insertion?.bytes ?? []).toString(), before);
  assert.equal(linesOf(notes).length, 2);
});

test('the place is found once, and searched again after a failure', async () => {
  let searches = 0;
  let fails = true;
  const notes = new AddedNotes(['browser'], async () => {
    searches++;
    if (fails) throw new Error('unreadable');
    return PLACE;
  });
  await assert.rejects(notes.add([note(1)]), { message: 'unreadable' });
  assert.equal(notes.insertion, null);
  fails = false;
  await Promise.all([notes.add([note(1)]), notes.add([note(2)])]);
  await notes.add([note(3)]);
  assert.equal(searches, 2);
  assert.deepEqual(linesOf(notes).length, 3);
});

test('at most 10,000 ids are kept; changes of known ids still fit, and a refused request adds nothing', async () => {
  const notes = new AddedNotes(['browser'], placed);
  const all = Array.from({ length: NOTE_LIMITS.kept_ids }, (_, id) => note(id));
  await notes.add(all);
  const refused = { code: 'too_many_notes' };
  await assert.rejects(notes.add([note(0, 'changed'), note('new')]), refused);
  assert.equal(linesOf(notes)[0], '{"type":"note","t":1,"id":0,"text":"x"}');
  await notes.add([note(0, 'changed')]);
  assert.equal(linesOf(notes).length, NOTE_LIMITS.kept_ids);
  assert.match(linesOf(notes).at(-1) ?? '', /changed/);
});

test('at most 4 MiB of lines are kept, to the byte', async () => {
  const notes = new AddedNotes(['browser'], placed);
  const empty = Buffer.byteLength('{"type":"note","t":1,"id":"a","text":""}\n');
  const room = NOTE_LIMITS.kept_bytes - empty;
  // Each `ü` has two bytes.
  const fits = 'ü'.repeat(Math.floor(room / 2)) + 'x'.repeat(room % 2);
  await notes.add([note('a', fits)]);
  assert.equal(notes.insertion?.bytes.length, NOTE_LIMITS.kept_bytes);
  await assert.rejects(notes.add([note('a', `${fits}x`)]), {
    code: 'too_many_notes',
    message: /at most 10,000 notes, with 4 MiB together/,
  });
  await assert.rejects(notes.add([note('b')]), { code: 'too_many_notes' });
  await notes.add([note('a', '')]);
  await notes.add([note('b')]);
  assert.equal(linesOf(notes).length, 2);
});

test('the latest time of a note is that of the format', () => {
  assert.equal(NOTE_LIMITS.latest_ms, LATEST_T_MS);
  assert.equal(NOTE_LIMITS.text_characters, NOTE_LENGTH);
});
