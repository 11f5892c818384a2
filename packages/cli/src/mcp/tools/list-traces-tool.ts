// `list_traces`: the traces that the other tools can read.
import { bytesText, countText } from '@svc/trace';
import { Type } from 'typebox';
import { TRACE_BYTES, TRACES_LISTED } from '../limits.ts';
import { SMALLER } from '../traces/find-trace.ts';
import type { TraceList } from '../traces/list-traces.ts';
import { defineTool } from './define-tool.ts';
import { limitOf, STRICT } from './inputs.ts';
import { Count, Text } from './outputs.ts';

const USUAL = 20;

export const listTracesTool = defineTool({
  name: 'list_traces',
  title: 'List performance traces',
  description:
    'Lists the recordings (traces) of games and processes that svc may read, newest first, with size, time and format. Call it first: the other tools need the id of a trace. After a change of the game, record again (svc record) and compare the new trace with the old one.',
  input: Type.Object({ limit: limitOf(TRACES_LISTED, USUAL) }, STRICT),
  output: Type.Object({
    traces: Type.Array(
      Type.Object({
        trace: Type.String({ description: 'The id, for the other tools.' }),
        bytes: Count,
        modified: Type.String({ description: 'ISO 8601.' }),
        format: Type.String({
          description:
            'vpt, chrome, cpuprofile, mangohud, presentmon, unreal, godot, folded or gzip.',
        }),
        finished: Type.Boolean({
          description: 'False while it is still recorded, or if the recorder was killed.',
        }),
      }),
    ),
    note: Text,
  }),
  async run({ limit = USUAL }, { list }) {
    const found = await list(limit);
    const { traces, left_out } = found;
    const note = noteOf(found);
    return {
      answer: {
        traces: traces.map(({ id, bytes, modified, format, finished }) => ({
          ...{ trace: id, bytes, format, finished },
          modified: new Date(modified).toISOString(),
        })),
        note,
      },
      lists: ({ traces: rows }) => [
        {
          ...{ part: 'older files', rows, total: traces.length + left_out },
          how: () =>
            `They may be traces. Call list_traces with a larger limit (at most ${TRACES_LISTED}), or name the trace.`,
        },
      ],
      text: (answer) => [
        ...answer.traces.map(
          ({ trace, bytes, modified, format }) =>
            `${trace}  ${format}, ${bytesText(bytes)}, ${modified}`,
        ),
        ...(note === '' ? [] : [note]),
      ],
    };
  },
});

/** What the list lacks. Empty if it lacks nothing. */
function noteOf({ traces, too_large, searched_all }: TraceList): string {
  const notes: string[] = [];
  if (traces.length === 0 && too_large === 0) {
    notes.push(
      'There are no traces. The user can record one with svc record or svc dashboard, or name files or folders: svc mcp FILE or DIR.',
    );
  }
  if (too_large > 0) {
    const most = bytesText(TRACE_BYTES);
    const what =
      too_large === 1
        ? `1 file has more than ${most} and is`
        : `${countText(too_large)} files have more than ${most} and are`;
    notes.push(`${what} not listed. ${SMALLER}`);
  }
  if (!searched_all) {
    notes.push(
      'A folder has too many files, so some traces may be missing. The user can name a smaller folder.',
    );
  }
  return notes.join(' ');
}
