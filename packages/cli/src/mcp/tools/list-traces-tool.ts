// `list_traces`: the traces that the other tools can read.
import { bytesText } from '@svc/trace';
import { Type } from 'typebox';
import { TRACES_LISTED } from '../limits.ts';
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
        format: Type.String({ description: 'vpt, chrome, cpuprofile, folded or gzip.' }),
        finished: Type.Boolean({
          description: 'False while it is still recorded, or if the recorder was killed.',
        }),
      }),
    ),
    note: Text,
  }),
  async run({ limit = USUAL }, { list }) {
    const { traces, left_out, searched_all } = await list(limit);
    const note =
      traces.length === 0
        ? 'There are no traces. The user can record one with svc record or svc dashboard, or name files or folders: svc mcp FILE or DIR.'
        : searched_all
          ? ''
          : 'A folder has too many files, so some traces may be missing. The user can name a smaller folder.';
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
          ...{ part: 'older traces', rows, total: traces.length + left_out },
          how: () =>
            `Call list_traces with a larger limit (at most ${TRACES_LISTED}), or name the trace.`,
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
