// `svc trace note`: lists the notes of a trace, and adds, changes or removes one.
import { NOTE_LENGTH, noteInfo } from '@svc/trace';
import { defineCommand } from '../../command-line/define-command.ts';
import type { Documents } from '../../documents.ts';
import type { Output } from '../../output/output.ts';
import { reportWriter } from '../../output/print-blocks.ts';
import { safeLine } from '../../output/text.ts';
import { usageError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';
import { watchSink } from '../../process/watch-sink.ts';
import { FRAME_MS_OPTION } from '../../trace/frame-budget.ts';
import { parsePlace, parseTime, secondsText } from '../../trace/moment-place.ts';
import { readNotes } from '../../trace/read-notes.ts';
import { FILE_ARGUMENT } from '../../trace/read-trace.ts';
import { isCompressed, writeNote } from '../../trace/write-note.ts';
import { unwritable } from '../../trace/write-target.ts';
import { chooseNote, type NoteRequest, requestOf } from './choose-note.ts';
import { formatNoteList } from './format-notes.ts';

type Change = Extract<Documents['trace-note'], { change: unknown }>;

export const noteCommand = defineCommand({
  name: 'note',
  summary: 'List the notes in a .vpt trace, or write one into it',
  description: `A note is a text about a point in time, or the name of a range. Its first line is its title. The viewer shows notes, and so do svc trace info, moments, hitches and report. Without TEXT, svc lists the notes with their ids.

The note is written into FILE, or with -o into a copy. No other byte of the trace changes. FILE has the note or is unchanged, also after Ctrl-C or if the disk is full, and it is not written if another program changes it at the same time.`,
  arguments: [
    {
      ...FILE_ARGUMENT,
      help: 'a .vpt trace; - lists the notes of standard input',
      value: { kind: 'file', endings: ['vpt'] },
    },
    {
      name: '[TEXT]',
      help: `the text of the note, at most ${NOTE_LENGTH.toLocaleString('en-US')} characters`,
    },
  ],
  options: [
    {
      flags: '--at <TIME>',
      help: 'the time of the note: seconds (31.2, or 0:31.2 as on a clock), a range (31-31.5), or a moment of svc trace moments (hitch:1)',
      parse: parsePlace,
    },
    {
      flags: '--for <SECONDS>',
      help: 'the length of the range that begins at --at',
      parse: parseTime,
    },
    { flags: '--to <TIME>', help: 'the end of the range that begins at --at', parse: parseTime },
    {
      flags: '--id <ID>',
      help: 'change this note. Without --at it keeps its time, and without TEXT its text',
    },
    { flags: '--remove <ID>', help: 'remove this note' },
    {
      flags: '-o, --out <OUT>',
      help: 'write the trace with the note to this file (default: FILE)',
      value: { kind: 'file', endings: ['vpt'] },
    },
    FRAME_MS_OPTION,
  ],
  examples: [
    ['svc trace note game.vpt', 'list the notes'],
    ["svc trace note game.vpt 'The door opens' --at 31.2", 'a note about a point in time'],
    ["svc trace note game.vpt 'Boss fight' --at 60 --to 1:35", 'a name for a range'],
    ["svc trace note game.vpt 'Fixed in 1.2' --at hitch:1", 'a note about the longest hitch'],
    ['svc trace note game.vpt --remove 5f0c3a1b', 'remove one'],
  ],
  document: 'trace-note',
  async run({ args: [file = '', text], options, io, output }) {
    const request = requestOf(text, options);
    const { out } = options;
    if (request === null) {
      if (out !== undefined)
        throw usageError('-o needs a change. Add TEXT and --at, or --remove ID.');
      const notes = (await readNotes(file, io)).notes.map(noteInfo);
      const canAdd = file !== '-' && !(notes.length === 0 && (await isCompressed(file, io)));
      const write = reportWriter(io, output, false);
      output.result({ notes }, (paint) => write(formatNoteList(notes, canAdd), paint));
      return;
    }
    if (file === '-') {
      throw usageError(
        'A note cannot be added to standard input.',
        'Save the trace to a file first.',
      );
    }
    if (out === '-' && output.json) throw usageError('--json needs an output file. Add -o OUT.');
    const written: { note?: Change['note'] } = {};
    const bytes = await writeNote(file, out, io, async (trace) => {
      const record = await chooseNote(request, trace, file, io);
      written.note = noteInfo(record);
      return record;
    });
    const { note } = written;
    if (note === undefined) return;
    const change: Change = { change: CHANGES[request.kind], note, out: out ?? file, bytes };
    if (out === '-') output.note(changeText(change));
    else await reportChange(change, io, output);
  },
});

/** If standard output takes nothing, reports the change on standard error, because the trace has it. Then throws an ExitError (1). */
async function reportChange(change: Change, io: Io, output: Output<Change>): Promise<void> {
  using watch = watchSink(io.stdout);
  output.result(change, () => changeText(change));
  try {
    await watch.flushed();
  } catch (error) {
    output.note(changeText(change));
    throw unwritable('standard output', error);
  }
}

const CHANGES = { add: 'added', change: 'changed', remove: 'removed' } as const satisfies Record<
  NoteRequest['kind'],
  string
>;

function changeText({ change, note }: Change): string {
  const id = safeLine(String(note.id));
  return change === 'removed'
    ? `Removed the note ${id}.`
    : `${change === 'added' ? 'Added' : 'Changed'} the note ${id} at ${secondsText(note.t)}.`;
}
