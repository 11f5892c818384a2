import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NoteRecord } from '../format/records.ts';
import { modelOf } from '../model/build-model.ts';
import { traceFromText } from '../testing/trace-from-text.ts';
import { readVpt } from '../vpt/read-vpt.ts';
import { findNotePlace } from './insert-notes.ts';
import { noteInfo } from './note-info.ts';
import { formatNotes, NoteList, openChanges, withChanges } from './note-list.ts';
import { noteBody, noteTitle } from './note-text.ts';

const note = (id: number | string, text: string, t = 1): NoteRecord => ({
  type: 'note',
  t,
  id,
  text,
});

test('a later note replaces the one with its id, an empty text removes it, and notes are sorted by time', () => {
  const { notes, duration_ms } = modelOf(
    traceFromText(`browser
      100 mark last
      500 note 1 first
      90 note a duration_ms=30 boss fight
      10 note 1 again
      20 note gone a word
      20 note gone -
      20 note 2 number`),
  );
  assert.deepEqual(
    notes.map(({ id, t, text }) => [id, t, text]),
    [
      [1, 10, 'again'],
      [2, 20, 'number'],
      ['a', 90, 'boss fight'],
    ],
  );
  assert.equal(duration_ms, 100, 'notes do not lengthen the trace');
});

test('an id that is a number differs from one that is its text', () => {
  const list = new NoteList();
  list.take(note(1, 'number'));
  list.take(note('1', 'text'));
  list.take(note('1', ''));
  assert.deepEqual(list.notes(), [note(1, 'number')]);
});

test('a list with a limit takes changes of the notes that it has, and counts the other notes in force', () => {
  const list = new NoteList(230);
  for (const text of ['one', 'two', 'three', 'three again', 'four'])
    list.take(note(text.split(' ')[0] ?? '', text));
  list.take(note('one', 'changed'));
  assert.deepEqual(list.notes(), [note('one', 'changed'), note('two', 'two')]);
  assert.equal(list.leftOut, 2);
  list.take(note('four', ''));
  assert.equal(list.leftOut, 1);
  list.take(note('one', ''));
  list.take(note('new', 'new'));
  assert.deepEqual(list.notes(), [note('two', 'two'), note('new', 'new')]);
  list.take(note('two', ''));
  list.take(note('three', 'kept'));
  assert.deepEqual([list.notes().length, list.leftOut], [2, 0]);
  list.take(note('three', 'x'.repeat(500)));
  assert.deepEqual([list.notes().length, list.leftOut], [1, 1]);
  list.take(note('three', 'shorter'));
  assert.deepEqual([list.notes().length, list.leftOut], [2, 0]);
});

test('a document has null for the length of a note about a point in time', () => {
  const lengths = [undefined, 0, 0.0004, 0.0006, 5].map((duration_ms) =>
    noteInfo({ ...note(1, 'x'), ...(duration_ms !== undefined && { duration_ms }) }),
  );
  assert.deepEqual(
    lengths.map(({ duration_ms }) => duration_ms),
    [null, null, null, 0.001, 5],
  );
  assert.deepEqual(lengths[0], { id: 1, t: 1, duration_ms: null, text: 'x' });
});

test('changes are applied in order, and only those that the trace lacks are open', () => {
  const known = [note('a', 'one'), note('b', 'two')];
  const changes = [
    note('a', 'one'),
    note('b', ''),
    note('c', 'x'),
    note('c', 'y', 9),
    note('d', ''),
  ];
  assert.deepEqual(withChanges(known, changes), [note('a', 'one'), note('c', 'y', 9)]);
  assert.deepEqual(openChanges(known, changes), [note('b', ''), note('c', 'y', 9)]);
  assert.deepEqual(openChanges(withChanges(known, changes), changes), []);
  const longer = { ...note('a', 'one'), duration_ms: 5 };
  assert.deepEqual(openChanges(known, [longer]), [longer]);
});

test('the title of a note is its first line with text, and the body the rest', () => {
  for (const [text, title, body] of [
    ['boss fight', 'boss fight', ''],
    ['\n  boss \r\n\r\n slow here\nand here \n', 'boss', 'slow here\nand here'],
    ['boss\rslow', 'boss', 'slow'],
    ['boss\nslow', 'boss', 'slow'],
    ['  \nboss', 'boss', ''],
    ['boss\nboss\nslow', 'boss', 'boss\nslow'],
    [' ', '', ''],
    ['', '', ''],
  ] as const) {
    assert.deepEqual([noteTitle({ text }), noteBody({ text })], [title, body]);
  }
});

/** The text of a trace with a note inserted. */
async function withNote(text: string): Promise<string> {
  const bytes = Buffer.from(text);
  const { torn_bytes } = readVpt(bytes);
  const read = async (from: number, to: number): Promise<Uint8Array> => bytes.subarray(from, to);
  const { at, before } = await findNotePlace(read, bytes.length, torn_bytes);
  const line = before + formatNotes([note('new', 'a note')]);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(line), bytes.subarray(at)]).toString();
}

const HEADER =
  '{"vpt":1,"producer":{"name":"a","version":"1"},"started_at":null,"sources":["browser"]}';
const MARK = '{"type":"mark","t":1,"name":"end"}';
const END = '{"t":2, "type":"end","reason":"off"}';
const NOTE = '{"type":"note","t":1,"id":"new","text":"a note"}';

test('notes are inserted before the end, after whole lines, and before torn bytes', async () => {
  for (const [text, expected] of [
    [`${HEADER}\n${MARK}\n${END}\n`, `${HEADER}\n${MARK}\n${NOTE}\n${END}\n`],
    [`${HEADER}\n${MARK}\n${END}`, `${HEADER}\n${MARK}\n${NOTE}\n${END}`],
    [`${HEADER}\n${MARK}\n${END}\n\0\0`, `${HEADER}\n${MARK}\n${NOTE}\n${END}\n\0\0`],
    [`${HEADER}\n${MARK}\n`, `${HEADER}\n${MARK}\n${NOTE}\n`],
    [`${HEADER}\n${MARK}`, `${HEADER}\n${MARK}\n${NOTE}\n`],
    [`${HEADER}\n${MARK}\n{"type":"ma`, `${HEADER}\n${MARK}\n${NOTE}\n{"type":"ma`],
    [`${HEADER}\n${MARK}\0\0`, `${HEADER}\n${MARK}\n${NOTE}\n\0\0`],
    [`${HEADER}\n${END}\n`, `${HEADER}\n${NOTE}\n${END}\n`],
    [`${HEADER}\n`, `${HEADER}\n${NOTE}\n`],
    [HEADER, `${HEADER}\n${NOTE}\n`],
    [`${HEADER}\0\0`, `${HEADER}\n${NOTE}\n\0\0`],
  ] as const) {
    const noted = await withNote(text);
    assert.equal(noted, expected, JSON.stringify(text));
    const [before, after] = [readVpt(Buffer.from(text)), readVpt(Buffer.from(noted))];
    assert.deepEqual(after.end, before.end);
    assert.equal(after.records, before.records + 1);
    assert.equal(after.torn_bytes, before.torn_bytes);
  }
});

test('a note is inserted before an end on a line of the longest length', async () => {
  const end = `{"type":"end","t":2,"reason":"off"${' '.repeat(1_048_576 - 35)}}`;
  assert.equal(end.length, 1_048_576);
  assert.equal(await withNote(`${HEADER}\n${end}\n`), `${HEADER}\n${NOTE}\n${end}\n`);
});

test('a change of a note in a last line without LF counts', async () => {
  const old = '{"type":"note","t":1,"id":"new","text":"old"}';
  assert.deepEqual(modelOf(await withNote(`${HEADER}\n${old}`)).notes, [note('new', 'a note')]);
});

test('notes without a change stay, and a change of the time, the length or the text alone is open', () => {
  const known = [note('a', 'one'), note('b', 'two', 4)];
  assert.deepEqual(withChanges(known, [note('c', 'three', 2)]), [
    note('a', 'one'),
    note('c', 'three', 2),
    note('b', 'two', 4),
  ]);
  for (const change of [
    note('a', 'one', 2),
    note('a', 'One'),
    { ...note('a', 'one'), duration_ms: 1 },
  ]) {
    assert.deepEqual(openChanges(known, [change]), [change]);
  }
  assert.equal(
    formatNotes([note(1, 'x'), note('1', 'y', 2.0004)]),
    '{"type":"note","t":1,"id":1,"text":"x"}\n{"type":"note","t":2,"id":"1","text":"y"}\n',
  );
});
