// `trace_summary`: the verdict on a trace, and the evidence in short.
import {
  clockText,
  groupText,
  memoryTrendText,
  msText,
  nameText,
  type Overview,
  overviewOf,
  percentText,
  pluralText,
  situationText,
  traceBoundText,
  verdictOf,
} from '@svc/trace';
import { type Static, Type } from 'typebox';
import type { ReadTrace } from '../traces/trace-store.ts';
import { defineTool } from './define-tool.ts';
import { FRAME_MS, STRICT, TRACE } from './inputs.ts';
import { Count, Measured, Notes, Nullable, notesOf, noteText, Text, TraceId } from './outputs.ts';

const GROUPS = 8;
const NOTES = 20;

const Summary = Type.Object({
  trace: TraceId,
  headline: Type.String({ description: 'The answer: what bounds the game.' }),
  detail: Text,
  bound: Type.String({ description: 'What bounds the frames over budget.' }),
  duration_ms: Measured,
  sources: Type.Array(Text),
  complete: Type.Boolean({ description: 'False if the recording has no end.' }),
  gpu: Nullable(Type.Object({ name: Text, software: Type.Boolean() })),
  budget_ms: Type.Number(),
  frames: Type.Array(
    Type.Object({
      source: Text,
      count: Count,
      average_fps: Measured,
      low_1_percent_fps: Measured,
      p50_ms: Measured,
      p95_ms: Measured,
      p99_ms: Measured,
      max_ms: Measured,
      over_budget: Count,
      over_budget_ms: Type.Number(),
    }),
  ),
  hitches: Type.Integer({ minimum: 0, description: 'Frames more than 5 % over budget.' }),
  hitch_groups: Type.Array(
    Type.Object({
      cause: Text,
      situation: Text,
      hitches: Count,
      over_ms: Type.Number(),
      share: Type.Number({ description: 'Of the time over budget, 0 to 1.' }),
      longest_at_ms: Type.Number(),
      longest_ms: Type.Number(),
    }),
    { description: 'Hitches by what caused them, the group with the most time first.' },
  ),
  cpu_percent: Nullable(Type.Object({ mean: Type.Number(), max: Type.Number() })),
  memory: Type.Array(Text),
  assets: Type.Object({
    count: Count,
    cost: Type.Number({ description: 'In frame budgets.' }),
    bytes: Measured,
    gpu_bytes: Measured,
    costliest: Type.Array(
      Type.Object({ name: Text, kind: Text, cost: Type.Number(), share: Type.Number() }),
    ),
  }),
  functions: Type.Array(
    Type.Object({
      source: Text,
      unit: Text,
      samples: Count,
      hottest: Type.Array(
        Type.Object({ name: Text, self: Type.Number(), self_share: Type.Number() }),
      ),
    }),
  ),
  errors: Type.Object({ count: Count, texts: Type.Array(Text) }),
  notes: Notes,
  missing: Type.Array(Type.Object({ what: Text, how: Text }), {
    description: 'What the trace does not have, and how to record it.',
  }),
});

export const summaryTool = defineTool({
  name: 'trace_summary',
  title: 'Summarize a trace',
  description:
    'Answers why a game hitches or a process is slow: one sentence with the verdict, then the frame times, the hitches grouped by cause, CPU, memory, the costliest assets, the hottest functions, notes that a person wrote, and what the trace does not have. Start with it. Then call trace_moments for single hitches, trace_functions for code, trace_assets for assets.',
  input: Type.Object({ trace: TRACE, frame_ms: FRAME_MS }, STRICT),
  output: Summary,
  async run({ trace, frame_ms }, { read }) {
    const opened = await read(trace);
    const overview = overviewOf(
      opened.model,
      frame_ms === undefined ? {} : { budget_ms: frame_ms },
    );
    return {
      answer: summarize(opened, overview),
      lists: ({ hitch_groups, functions, notes }) => [
        {
          ...{ part: 'causes of hitches', rows: hitch_groups, total: overview.groups.length },
          how: () => 'Call trace_moments.',
        },
        {
          ...{ part: 'call trees', rows: functions, total: overview.functions.length },
          how: () => 'Call trace_functions.',
        },
        {
          ...{ part: 'notes', rows: notes, total: opened.model.notes.length },
          how: () => 'Call trace_moment with a range (from_ms and to_ms).',
        },
      ],
      text: describe,
    };
  },
});

function summarize({ id, model }: ReadTrace, overview: Overview): Static<typeof Summary> {
  const { header, end } = model;
  const { asset_totals: totals } = overview;
  return {
    trace: id,
    ...verdictOf(overview),
    bound: traceBoundText(overview.bounds),
    duration_ms: overview.duration_ms,
    sources: [...header.sources],
    complete: end !== null,
    gpu: header.gpu ?? null,
    budget_ms: overview.budget_ms,
    frames: overview.pacing.map(({ source, stats }) => ({
      ...{ source, count: stats.count },
      ...{ average_fps: stats.average_fps, low_1_percent_fps: stats.low_1_percent_fps },
      ...{ p50_ms: stats.p50_ms, p95_ms: stats.p95_ms, p99_ms: stats.p99_ms, max_ms: stats.max_ms },
      ...{ over_budget: stats.over_budget, over_budget_ms: stats.over_budget_ms },
    })),
    hitches: overview.hitches,
    hitch_groups: overview.groups.slice(0, GROUPS).map((group) => ({
      ...{ cause: groupText(group), situation: situationText(group.situation).trim() },
      ...{ hitches: group.hitches, over_ms: group.over_ms, share: group.share },
      ...{ longest_at_ms: group.worst.start_ms, longest_ms: group.worst.duration_ms },
    })),
    cpu_percent: overview.cpu && { mean: overview.cpu.stats.mean, max: overview.cpu.stats.max },
    memory: overview.memory.map(memoryTrendText),
    assets: {
      ...{ count: totals.assets, cost: totals.cost },
      ...{ bytes: totals.bytes, gpu_bytes: totals.gpu_bytes },
      costliest: overview.assets.map(({ name, kind, cost, share }) => ({
        name,
        kind,
        cost,
        share,
      })),
    },
    functions: overview.functions.map(({ source, unit, samples, functions }) => ({
      ...{ source, unit, samples },
      hottest: functions.map(({ name, self, share }) => ({ name, self, self_share: share })),
    })),
    errors: { count: overview.errors.count, texts: [...overview.errors.texts] },
    notes: notesOf(model.notes, NOTES),
    missing: overview.missing.map(({ what, how }) => ({ what, how })),
  };
}

function describe(summary: Static<typeof Summary>): string[] {
  const { headline, detail, bound, hitch_groups, memory, functions, notes, missing } = summary;
  return [
    headline,
    ...(detail === '' ? [] : [detail]),
    ...(summary.hitches === 0 ? [] : [bound]),
    ...hitch_groups.map(
      ({ cause, situation, hitches, share, longest_at_ms, longest_ms }) =>
        `- ${percentText(share)} of the time over budget (${pluralText(hitches, 'hitch', 'hitches')}): ${cause} ${situation}`.trimEnd() +
        `; the longest ${msText(longest_ms)} at ${clockText(longest_at_ms)}`,
    ),
    ...memory.map((text) => `- ${text}`),
    ...functions.flatMap(({ hottest, unit }) =>
      hottest.map(
        ({ name, self_share }) => `- ${nameText(name)}: ${percentText(self_share)} of ${unit}`,
      ),
    ),
    ...notes.map(noteText),
    ...missing.map(({ what, how }) => `Missing: ${what} ${how}`),
  ];
}
