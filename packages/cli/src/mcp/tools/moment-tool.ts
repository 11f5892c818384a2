// `trace_moment`: everything in one moment of a trace.
import {
  bytesText,
  clockText,
  DEFAULT_BUDGET_MS,
  type FoundMoment,
  type FrameFacts,
  frameBoundText,
  framePartsText,
  framesAround,
  functionsOf,
  hitchesWithin,
  MOMENT_LISTS,
  type Moment,
  memoryWithin,
  momentOf,
  msText,
  nameText,
  processMoments,
  type TraceModel,
  traceBounds,
} from '@svc/trace';
import { type Static, Type } from 'typebox';
import { signed } from '../../output/signed.ts';
import { causeClauses, describeCauses } from '../../trace/describe-causes.ts';
import type { AnswerList } from '../fit-answer.ts';
import type { ReadTrace } from '../traces/trace-store.ts';
import { defineTool } from './define-tool.ts';
import { FRAME_MS, STRICT, TIME_MS, TRACE } from './inputs.ts';
import { Causes, Measured, Notes, Nullable, notesOf, noteText, Text, TraceId } from './outputs.ts';
import { findPlace } from './place-of.ts';
import { processText } from './process-text.ts';

const FUNCTIONS = 15;
const ROWS = 20;
const HITCHES = 5;

const Frame = Type.Object({
  start_ms: Type.Number(),
  duration_ms: Type.Number(),
  main_ms: Measured,
  gpu_ms: Measured,
  draws: Measured,
  triangles: Measured,
  over_budget: Type.Boolean(),
  bound: Text,
});

const Work = Type.Array(
  Type.Object({ name: Text, what: Text, at_ms: Type.Number(), within_ms: Type.Number() }),
);

const Detail = Type.Object({
  trace: TraceId,
  kind: Type.String({ description: 'hitch, frame, second, cpu, memory or range.' }),
  number: Measured,
  from_ms: Type.Number(),
  to_ms: Type.Number(),
  explanation: Text,
  frame: Nullable(Frame),
  frame_before: Nullable(Frame),
  frame_after: Nullable(Frame),
  causes: Causes,
  hitches: Type.Array(
    Type.Object({
      number: Type.Integer({ minimum: 1, description: 'In the list hitch.' }),
      from_ms: Type.Number(),
      duration_ms: Type.Number(),
      bound: Text,
      causes: Causes,
    }),
    { description: 'Of a range: those that overlap it, the longest first.' },
  ),
  memory: Type.Array(
    Type.Object({
      label: Text,
      source: Text,
      bytes: Type.Number({ description: 'At the end of the range.' }),
      change: Type.Union([Type.Number(), Type.Null()], { description: 'Since its start.' }),
    }),
    { description: 'Of a range.' },
  ),
  functions: Type.Array(
    Type.Object({
      name: Text,
      source: Text,
      unit: Text,
      self: Type.Number(),
      total: Type.Number(),
      exact: Type.Boolean(),
    }),
  ),
  assets: Work,
  long_tasks: Work,
  spans: Work,
  marks: Work,
  logs: Work,
  losses: Work,
  notes: Notes,
});

type Details = Static<typeof Detail>;

export const momentTool = defineTool({
  name: 'trace_moment',
  title: 'Show one moment',
  description:
    'Shows everything in one moment: the frame with its neighbours, what bounds it, its causes, the functions that ran, the work on assets, long tasks, spans, marks, log lines, gaps and notes that a person wrote. Name the moment by its number in trace_moments, by an exact time (at_ms: the frame that ran then), or by a range (from_ms and to_ms), which also shows its hitches and its memory: use it for a second such as 0:31. Without any, it is the worst moment.',
  input: Type.Object(
    {
      trace: TRACE,
      number: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'From trace_moments.' }),
      ),
      list: Type.Optional(Type.Enum([...MOMENT_LISTS], { description: 'The list of the number.' })),
      at_ms: Type.Optional(TIME_MS),
      from_ms: Type.Optional(TIME_MS),
      to_ms: Type.Optional(TIME_MS),
      frame_ms: FRAME_MS,
    },
    STRICT,
  ),
  output: Detail,
  async run({ trace, frame_ms, ...input }, { read }) {
    const opened = await read(trace);
    const budget_ms = frame_ms ?? DEFAULT_BUDGET_MS;
    const found = findPlace(opened.model, input, budget_ms);
    const moment = momentOf(opened.model, found);
    const functions = functionsIn(moment);
    const hitches = hitchesIn(opened.model, found, budget_ms);
    return {
      answer: {
        ...detailsOf(opened, found, moment, budget_ms),
        hitches: hitches.slice(0, HITCHES).map(({ hitch, number }) => {
          const { start_ms: from_ms, duration_ms, bound } = hitch;
          const own = momentOf(opened.model, { from_ms, to_ms: from_ms + duration_ms });
          return { number, from_ms, duration_ms, bound, causes: [...describeCauses(hitch, own)] };
        }),
        functions: functions.flatMap((rows) => rows.slice(0, FUNCTIONS)),
      },
      lists: (answer) => listsOf(answer, moment, functions.flat().length, hitches.length),
      text: describe,
    };
  },
});

function detailsOf(
  { id, model }: ReadTrace,
  found: FoundMoment,
  moment: Moment,
  budget_ms: number,
): Omit<Details, 'functions' | 'hitches'> {
  const around = found.frame && framesAround(model, found.frame, budget_ms);
  const { frame = null, before = null, after = null } = around ?? {};
  const gpu = model.header.gpu ?? null;
  return {
    ...{ trace: id, kind: found.kind, number: found.number },
    ...{ from_ms: found.from_ms, to_ms: found.to_ms },
    explanation: frame === null ? processOf(model, found) : explain(frame, gpu),
    frame: frame && frameOf(frame),
    frame_before: before && frameOf(before),
    frame_after: after && frameOf(after),
    causes: frame === null ? [] : [...describeCauses(frame.bound, moment)],
    memory: found.kind === 'range' ? memoryWithin(model, found) : [],
    assets: moment.assets.slice(0, ROWS).map(({ item, within_ms }) => ({
      ...{ name: item.name, what: `${item.phase} of a ${item.kind}`, at_ms: item.t, within_ms },
    })),
    long_tasks: moment.longtasks.slice(0, ROWS).map(({ item, within_ms }) => {
      const names = (item.scripts ?? []).slice(0, 3).map(({ name }) => name);
      return { name: names.join(', '), what: 'long task', at_ms: item.t, within_ms };
    }),
    spans: moment.spans.slice(0, ROWS).map(({ item, within_ms }) => ({
      ...{ name: item.name, what: item.track ?? 'span', at_ms: item.t, within_ms },
    })),
    marks: moment.marks.slice(0, ROWS).map(({ name, t }) => point(name, 'mark', t)),
    logs: moment.logs.slice(0, ROWS).map(({ text, level, t }) => point(text, level, t)),
    losses: moment.losses.slice(0, ROWS).map(({ reason, t, duration_ms = 0 }) => ({
      ...{ name: reason, what: 'missing data', at_ms: t, within_ms: duration_ms },
    })),
    notes: notesOf(moment.notes, ROWS),
  };
}

/** The hitches of a range, the longest first. Empty for other moments. */
function hitchesIn(model: TraceModel, found: FoundMoment, budget_ms: number) {
  return found.kind === 'range' ? hitchesWithin(traceBounds(model, budget_ms).hitches, found) : [];
}

/** The functions of each call tree, the largest self weight first. */
function functionsIn({ stacks }: Moment): Details['functions'][] {
  return stacks.map((one) => {
    const { source, tree, times } = one;
    return functionsOf(one, Number.POSITIVE_INFINITY).map(({ name, self, total }) => ({
      ...{ name, source, unit: tree.unit, self, total, exact: times?.at_ms != null },
    }));
  });
}

function explain({ bound }: FrameFacts, gpu: TraceModel['header']['gpu'] | null): string {
  const parts = framePartsText(bound);
  return `${frameBoundText(bound, gpu ?? null)}${parts === '' ? '' : ` Also: ${parts}.`}`;
}

/** The measurements of the time between two samples of the process. Empty for other times. */
function processOf(model: TraceModel, { from_ms, to_ms }: FoundMoment): string {
  const moment = processMoments(model.process).find(
    (one) => one.from_ms === from_ms && one.to_ms === to_ms,
  );
  return moment === undefined ? '' : processText(moment);
}

function frameOf({
  bound,
  causes: _causes,
  lost: _lost,
  ...facts
}: FrameFacts): Static<typeof Frame> {
  return { ...facts, bound: bound.bound };
}

function point(name: string, what: string, at_ms: number): Static<typeof Work>[number] {
  return { name, what, at_ms, within_ms: 0 };
}

function listsOf(
  answer: Details,
  moment: Moment,
  functions: number,
  hitches: number,
): AnswerList[] {
  const { from_ms, to_ms } = answer;
  const list = (part: string, rows: unknown[], total: number): AnswerList => ({
    ...{ part, rows, total },
    how: () => 'Call trace_moment with a shorter range (from_ms and to_ms).',
  });
  return [
    {
      ...{ part: 'functions', rows: answer.functions, total: functions },
      how: () => `Call trace_functions with "from_ms": ${from_ms}, "to_ms": ${to_ms}.`,
    },
    list('hitches', answer.hitches, hitches),
    list('memory', answer.memory, answer.memory.length),
    list('assets', answer.assets, moment.assets.length),
    list('long tasks', answer.long_tasks, moment.longtasks.length),
    list('spans', answer.spans, moment.spans.length),
    list('marks', answer.marks, moment.marks.length),
    list('logs', answer.logs, moment.logs.length),
    list('losses', answer.losses, moment.losses.length),
    list('notes', answer.notes, moment.notes.length),
  ];
}

function describe(details: Details): string[] {
  const { kind, from_ms, to_ms, explanation, causes, notes } = details;
  const { hitches, memory, functions, assets } = details;
  return [
    `${kind}: ${msText(to_ms - from_ms)} at ${clockText(from_ms)}`,
    ...(explanation === '' ? [] : [explanation]),
    ...notes.map(noteText),
    ...causeClauses(causes, to_ms - from_ms).map((text) => `- cause: ${text}`),
    ...hitches.map((hitch) => {
      const clauses = causeClauses(hitch.causes, hitch.duration_ms);
      const ending = clauses.length === 0 ? '' : `: ${clauses.join(', ')}`;
      return `- hitch ${hitch.number}: ${msText(hitch.duration_ms)} at ${clockText(hitch.from_ms)}${ending}`;
    }),
    ...memory.map(
      ({ label, bytes, change }) =>
        `- ${label}: ${bytesText(bytes)}${change === null ? '' : ` (${signed(change, bytesText)})`}`,
    ),
    ...functions.map(
      ({ name, unit, self, total }) =>
        `- function ${nameText(name)}: ${self} ${unit} itself, ${total} ${unit} with what it called`,
    ),
    ...assets.map(
      ({ name, what, within_ms }) => `- ${what}: ${nameText(name)}, ${msText(within_ms)}`,
    ),
  ];
}
