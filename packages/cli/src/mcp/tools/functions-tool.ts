// `trace_functions`: the functions of a trace by their weight.
import {
  FUNCTION_ORDERS,
  functionTables,
  nameText,
  percentText,
  pluralText,
  type Window,
} from '@svc/trace';
import { Type } from 'typebox';
import { defineTool } from './define-tool.ts';
import { limitOf, matcherOf, OFFSET, SEARCH, STRICT, TIME_MS, TRACE } from './inputs.ts';
import { Count, Measured, Text, TraceId } from './outputs.ts';
import { rangeOf } from './place-of.ts';

const USUAL = 20;
const MOST = 200;

const Table = Type.Object({
  source: Text,
  unit: Type.String({ description: 'Of the weights: ms, samples, bytes or count.' }),
  samples: Count,
  weight_total: Text,
  exact: Type.Boolean({
    description: 'False if samples have no times of their own, so that some are from just outside.',
  }),
  matched_share: Measured,
  functions: Type.Array(
    Type.Object({
      name: Text,
      category: Text,
      self: Type.String({ description: 'Weight of the function itself, an exact decimal.' }),
      self_share: Measured,
      total: Type.String({ description: 'With all that it called.' }),
      total_share: Measured,
    }),
  ),
});

export const functionsTool = defineTool({
  name: 'trace_functions',
  title: 'List hot functions',
  description:
    'Lists the functions with the most weight (time or samples), by self (the function itself) or total (with what it called), for the whole trace or between two times, also only those whose name contains a text. Names have file and line if the trace has them. Call it to find the code to change. For the functions in one hitch, call trace_moment.',
  input: Type.Object(
    {
      trace: TRACE,
      by: Type.Optional(
        Type.Enum([...FUNCTION_ORDERS], { description: 'The order. Default: self.' }),
      ),
      search: SEARCH,
      from_ms: Type.Optional(TIME_MS),
      to_ms: Type.Optional(TIME_MS),
      limit: limitOf(MOST, USUAL),
      offset: OFFSET,
    },
    STRICT,
  ),
  output: Type.Object({ trace: TraceId, tables: Type.Array(Table) }),
  async run(input, { read }) {
    const { by = 'self', limit = USUAL, offset = 0 } = input;
    const window: Window | null = rangeOf(input);
    const matches = matcherOf(input.search);
    const { id, model } = await read(input.trace);
    const options = { by, limit: offset + limit, ...(matches && { matches }) };
    const tables = functionTables(model.stacks, window, options).map((table) => ({
      ...table,
      functions: table.functions.slice(offset),
    }));
    const totals = tables.map(({ functions, left_out }) => functions.length + left_out);
    return {
      answer: { trace: id, tables: tables.map(({ left_out: _, ...table }) => table) },
      lists: (answer) =>
        answer.tables.map(({ source, unit, functions: rows }, index) => ({
          ...{ part: `functions (${source}, ${unit})`, rows, total: totals[index] ?? 0 },
          how: (kept) =>
            `Call trace_functions with "offset": ${offset + kept}, or search for a name.`,
        })),
      text: (answer) => [
        ...(answer.tables.length === 0
          ? ['The trace has no functions here. Record with svc record, or with --probes stacks.']
          : []),
        ...answer.tables.flatMap(({ unit, samples, functions }) => [
          `${pluralText(samples, 'sample')} (weights in ${unit}), by ${by}:`,
          ...functions.map(
            ({ name, self_share, total_share }) =>
              `- ${nameText(name)}: ${percentText(self_share ?? 0)} itself, ${percentText(total_share ?? 0)} with what it called`,
          ),
        ]),
      ],
    };
  },
});
