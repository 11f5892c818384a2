// Formats lists of notes as tables.
import { type NoteInfo, noteBody, noteTitle } from '@svc/trace';
import type { Block } from '../../output/blocks.ts';
import type { Column } from '../../output/table.ts';
import { formatCount, safeLine } from '../../output/text.ts';
import { lengthText, titleText } from '../../trace/describe-notes.ts';
import { secondsText } from '../../trace/moment-place.ts';

/** The widest title and the widest id. */
const TITLE_COLUMNS = 100;
const ID_COLUMNS = 40;

const COLUMNS: readonly Column[] = [
  { title: 'TIME', align: 'right' },
  { title: 'LENGTH', align: 'right' },
  { title: 'NOTE', max: TITLE_COLUMNS },
];

/** The time, the length and the title of a note. A title with more text below it ends in ` …`. */
export function noteCells(note: NoteInfo): string[] {
  const title = `${noteTitle(note)}${noteBody(note) === '' ? '' : ' …'}`;
  return [secondsText(note.t), lengthText(note), titleText(title, TITLE_COLUMNS)];
}

/** The list of `svc trace note`, with the ids that its options take. `canAdd` is false if svc writes no note into the trace. */
export function formatNoteList(notes: readonly NoteInfo[], canAdd: boolean): Block[] {
  if (notes.length === 0) {
    const how = canAdd ? ' Add one: svc trace note FILE TEXT --at SECONDS.' : '';
    return [{ kind: 'text', lines: [`The trace has no notes.${how}`] }];
  }
  const ids = notes.map(({ id }) => idText(id));
  const isClipped = ids.some((id) => titleText(id, ID_COLUMNS) !== id);
  return [
    {
      kind: 'table',
      columns: [{ title: 'ID', max: ID_COLUMNS }, ...COLUMNS],
      rows: notes.map((note, at) => ({ cells: [ids[at] ?? '', ...noteCells(note)] })),
    },
    {
      kind: 'note',
      lines: isClipped ? ['An id is too long to be shown. Use --json to get it.'] : [],
    },
  ];
}

/** An id as `--id` takes it. A text that looks like a number, or like such a text, is in quotation marks. */
function idText(id: NoteInfo['id']): string {
  return safeLine(typeof id === 'string' && !/^(?:\d+|".*")$/s.test(id) ? id : JSON.stringify(id));
}

/** The notes of a report. No blocks without notes. */
export function notesBlocks(notes: readonly NoteInfo[], left_out: number): Block[] {
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
