// Formats lists of notes as tables.
import { noteTitle } from '@svc/trace';
import type { Block } from '../../output/blocks.ts';
import type { Column } from '../../output/table.ts';
import { formatCount, safeLine } from '../../output/text.ts';
import { type DescribedNote, lengthText, titleText } from '../../trace/describe-notes.ts';
import { secondsText } from '../../trace/moment-place.ts';

/** The widest title and the widest id. */
const TITLE_COLUMNS = 100;
const ID_COLUMNS = 40;

const COLUMNS: readonly Column[] = [
  { title: 'TIME', align: 'right' },
  { title: 'LENGTH', align: 'right' },
  { title: 'NOTE', max: TITLE_COLUMNS },
];

/** The time, the length and the title of a note. */
export function noteCells(note: DescribedNote): string[] {
  return [secondsText(note.t), lengthText(note), titleText(noteTitle(note), TITLE_COLUMNS)];
}

/** The list of `svc trace note`, with the ids that its options take. */
export function formatNoteList(notes: readonly DescribedNote[], left_out: number): Block[] {
  if (notes.length === 0) {
    const how = 'Add one: svc trace note FILE TEXT --at SECONDS.';
    return [{ kind: 'text', lines: [`The trace has no notes. ${how}`] }];
  }
  return [
    {
      kind: 'table',
      columns: [{ title: 'ID', max: ID_COLUMNS }, ...COLUMNS],
      rows: notes.map((note) => ({ cells: [safeLine(String(note.id)), ...noteCells(note)] })),
    },
    { kind: 'note', lines: moreNotes(left_out) },
  ];
}

/** The notes of a report. No blocks without notes. */
export function notesBlocks(notes: readonly DescribedNote[], left_out: number): Block[] {
  return [
    {
      kind: 'table',
      title: 'Notes',
      columns: COLUMNS,
      rows: notes.map((note) => ({ cells: noteCells(note) })),
    },
    {
      kind: 'text',
      lines: left_out === 0 ? [] : [`And ${formatCount(left_out)} more: svc trace note FILE`],
    },
  ];
}

function moreNotes(left_out: number): string[] {
  if (left_out === 0) return [];
  return [`${formatCount(left_out)} more ${left_out === 1 ? 'note is' : 'notes are'} not listed.`];
}
