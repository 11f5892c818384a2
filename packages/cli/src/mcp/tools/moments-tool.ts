// `trace_moments`: the moments of a trace that stand out.
import {
  type BoundHitch,
  busiestMoments,
  clockText,
  DEFAULT_BUDGET_MS,
  frameBoundText,
  MOMENT_LISTS,
  type MomentList,
  momentOf,
  msText,
  type ProcessMoment,
  processMoments,
  risingMoments,
  type TraceBounds,
  type TraceModel,
  traceBounds,
} from '@svc/trace';
import { type Static, Type } from 'typebox';
import { causeClauses, describeCauses } from '../../trace/describe-causes.ts';
import { defineTool } from './define-tool.ts';
import { FRAME_MS, limitOf, OFFSET, STRICT, TRACE } from './inputs.ts';
import { Causes, Measured, Nullable, Text, TraceId } from './outputs.ts';
import { usualList } from './place-of.ts';
import { processText } from './process-text.ts';

const USUAL = 5;
const MOST = 50;

const MomentRow = Type.Object({
  number: Type.Integer({ minimum: 1, description: 'In its list, for trace_moment.' }),
  source: Text,
  from_ms: Type.Number(),
  to_ms: Type.Number(),
  duration_ms: Type.Number(),
  bound: Nullable(Text),
  explanation: Text,
  causes: Causes,
  cpu_percent: Measured,
  rss_bytes: Measured,
  rise_bytes: Measured,
});

type Row = Static<typeof MomentRow>;

export const momentsTool = defineTool({
  name: 'trace_moments',
  title: 'List the worst moments',
  description:
    'Lists the moments of a trace that stand out, worst first: hitch (the longest frames over budget, each with what bounds it and what caused it), cpu (the seconds of a process with the most CPU time) or memory (those in which RSS rose most). Call trace_moment with a number for everything in one of them.',
  input: Type.Object(
    {
      trace: TRACE,
      list: Type.Optional(
        Type.Enum([...MOMENT_LISTS], {
          description: 'Default: hitch, or cpu for a trace without frames.',
        }),
      ),
      limit: limitOf(MOST, USUAL),
      offset: OFFSET,
      frame_ms: FRAME_MS,
    },
    STRICT,
  ),
  output: Type.Object({
    trace: TraceId,
    list: Text,
    count: Type.Integer({ minimum: 0, description: 'Of all moments in the list.' }),
    moments: Type.Array(MomentRow),
  }),
  async run({ trace, list: named, limit = USUAL, offset = 0, frame_ms }, { read }) {
    const { id, model } = await read(trace);
    const list = named ?? usualList(model);
    const all = listOf(model, list, frame_ms ?? DEFAULT_BUDGET_MS);
    const moments = all.rows(offset, limit);
    return {
      answer: { trace: id, list, count: all.count, moments },
      lists: ({ moments: rows }) => [
        {
          ...{ part: `moments in the list ${list}`, rows, total: Math.max(0, all.count - offset) },
          how: (kept) => `Call trace_moments with "offset": ${offset + kept}.`,
        },
      ],
      text: ({ count, moments: rows }) => [
        count === 0 ? emptyText(list) : `${count} in the list ${list}, worst first:`,
        ...rows.map(lineOf),
      ],
    };
  },
});

function lineOf({ number, from_ms, duration_ms, explanation, causes }: Row): string {
  const clauses = causeClauses(causes, duration_ms);
  const ending = clauses.length === 0 ? '' : ` Causes: ${clauses.join(', ')}.`;
  return `${number}. ${msText(duration_ms)} at ${clockText(from_ms)}: ${explanation}${ending}`;
}

function emptyText(list: MomentList): string {
  return list === 'hitch'
    ? 'No frame is over budget, or the trace has no frames.'
    : 'The trace has no such seconds. Only recordings of a process have them.';
}

type Listed = {
  readonly count: number;
  readonly rows: (offset: number, limit: number) => Row[];
};

function listOf(model: TraceModel, list: MomentList, budget_ms: number): Listed {
  if (list === 'hitch') {
    const { hitches, gpu } = traceBounds(model, budget_ms);
    return rowsOf(hitches, (hitch, number) => hitchRow(model, hitch, gpu, number));
  }
  const all = processMoments(model.process);
  return rowsOf(list === 'cpu' ? busiestMoments(all) : risingMoments(all), processRow);
}

function rowsOf<Item>(items: readonly Item[], row: (item: Item, number: number) => Row): Listed {
  return {
    count: items.length,
    rows: (offset, limit) =>
      items.slice(offset, offset + limit).map((item, index) => row(item, offset + index + 1)),
  };
}

function hitchRow(
  model: TraceModel,
  hitch: BoundHitch,
  gpu: TraceBounds['gpu'],
  number: number,
): Row {
  const { source, start_ms, duration_ms, bound } = hitch;
  const window = { from_ms: start_ms, to_ms: start_ms + duration_ms };
  return {
    ...{ number, source, ...window, duration_ms, bound },
    explanation: frameBoundText(hitch, gpu),
    causes: [...describeCauses(hitch, momentOf(model, window))],
    ...{ cpu_percent: null, rss_bytes: null, rise_bytes: null },
  };
}

function processRow(moment: ProcessMoment, number: number): Row {
  const { source, from_ms, to_ms, cpu_percent, rss_bytes, rise_bytes } = moment;
  return {
    ...{ number, source, from_ms, to_ms, duration_ms: to_ms - from_ms, bound: null },
    explanation: processText(moment),
    ...{ causes: [], cpu_percent, rss_bytes, rise_bytes },
  };
}
