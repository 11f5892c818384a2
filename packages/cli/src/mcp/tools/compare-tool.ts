// `compare_traces`: what became better or worse from one trace to another.
import {
  type AssetChange,
  assetReportOfModel,
  DEFAULT_BUDGET_MS,
  diffTraces,
  type FunctionsDiff,
  METRICS,
  type MetricChange,
  nameText,
  type TraceDiff,
  type TraceModel,
  worstChange,
} from '@svc/trace';
import { type Static, Type } from 'typebox';
import type { AnswerList } from '../fit-answer.ts';
import { defineTool } from './define-tool.ts';
import { FRAME_MS, limitOf, STRICT, TRACE } from './inputs.ts';
import { Count, Measured, Nullable, Text, TraceId } from './outputs.ts';

const USUAL = 10;
const MOST = 50;
/** Smaller changes of an asset that is in both traces, in frame budgets, are not listed. */
const NOTABLE_COST = 0.01;
/** Smaller changes of a function's share are not listed. */
const NOTABLE_SHARE = 0.001;

const AssetSide = Nullable(
  Type.Object({
    cost: Type.Number(),
    hitch_ms: Type.Number(),
    main_thread_ms: Measured,
    bytes: Measured,
    gpu_bytes: Measured,
  }),
);

const Comparison = Type.Object({
  before: TraceId,
  after: TraceId,
  answer: Type.String({ description: 'The worst change in one sentence.' }),
  builds: Type.String({ description: 'same, different, or unknown if a trace names no build.' }),
  graphics_warning: Nullable(Text),
  metrics: Type.Array(
    Type.Object({
      metric: Text,
      unit: Text,
      before: Measured,
      after: Measured,
      ratio: Type.Union([Type.Number(), Type.Null()], {
        description: 'The change divided by the value before.',
      }),
      verdict: Type.String({ description: 'better, worse, same (within 1 %) or unknown.' }),
    }),
  ),
  functions: Type.Array(
    Type.Object({
      name: Text,
      source: Text,
      state: Text,
      self_share_before: Type.Number(),
      self_share_after: Type.Number(),
      change: Type.Number(),
    }),
    { description: 'Functions whose share of all samples changed, the largest change first.' },
  ),
  assets: Type.Array(
    Type.Object({
      name: Text,
      old_name: Nullable(Text),
      kind: Text,
      state: Text,
      before: AssetSide,
      after: AssetSide,
      cost_change: Type.Number({ description: 'In frame budgets.' }),
    }),
    { description: 'Assets whose cost changed, the largest change first.' },
  ),
  assets_unchanged: Count,
});

type Compared = Static<typeof Comparison>;

export const compareTool = defineTool({
  name: 'compare_traces',
  title: 'Compare two traces',
  description:
    'Compares an older trace with a newer one: frame times, hitches, CPU, memory, the functions whose share of the time changed, and the assets whose cost rose or fell. Call it after a change of the game to see whether it helped, or to find what made a version slower. Record the same scene for the same time with both: small differences can be chance.',
  input: Type.Object(
    {
      before: Type.String({ ...TRACE, description: 'The older trace: an id or a path.' }),
      after: Type.String({ ...TRACE, description: 'The newer trace: an id or a path.' }),
      limit: limitOf(MOST, USUAL),
      frame_ms: FRAME_MS,
    },
    STRICT,
  ),
  output: Comparison,
  async run({ before, after, limit = USUAL, frame_ms }, { read }) {
    const budget_ms = frame_ms ?? DEFAULT_BUDGET_MS;
    const sideOf = (model: TraceModel) => ({ model, report: assetReportOfModel(model, budget_ms) });
    const old = await read(before);
    const now = await read(after);
    const diff = diffTraces(sideOf(old.model), sideOf(now.model), budget_ms);
    const assets = diff.assets
      .filter(isNotable)
      .sort((a, b) => Math.abs(b.cost_change) - Math.abs(a.cost_change));
    const functions = diff.functions
      .flatMap(functionRows)
      .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
    return {
      answer: {
        ...{ before: old.id, after: now.id, answer: answerOf(diff), builds: diff.builds },
        graphics_warning: diff.graphics_warning,
        metrics: diff.metrics.map(metricRow),
        functions: functions.slice(0, limit),
        assets: assets.slice(0, limit).map(assetRow),
        assets_unchanged: diff.assets.length - assets.length,
      },
      lists: (answer) => listsOf(answer, functions.length, assets.length),
      text: describe,
    };
  },
});

function isNotable({ state, cost_change }: AssetChange): boolean {
  return Math.abs(cost_change) >= NOTABLE_COST || (state !== 'kept' && state !== 'same');
}

function answerOf({ metrics }: TraceDiff): string {
  const worst = worstChange(metrics);
  if (worst !== null) return `Worse: ${metricText(worst)}.`;
  return metrics.some(({ verdict }) => verdict !== 'unknown')
    ? 'No metric became worse.'
    : 'The traces have no metric in common. Compare recordings of the same kind.';
}

function metricRow({ metric, before, after, ratio, verdict }: MetricChange) {
  return { metric, unit: METRICS[metric].unit, before, after, ratio, verdict };
}

function metricText({ metric, before, after, ratio }: MetricChange): string {
  const sign = (ratio ?? 0) > 0 ? '+' : '';
  const change = ratio === null ? '' : ` (${sign}${(ratio * 100).toFixed(1)} %)`;
  return `${metric} ${number(before)} → ${number(after)}${change}`;
}

function number(value: number | null): string {
  return value === null ? 'unknown' : String(Math.round(value * 100) / 100);
}

function functionRows({ source, changes }: FunctionsDiff): Compared['functions'] {
  return changes
    .filter(({ change }) => Math.abs(change) >= NOTABLE_SHARE)
    .map(({ name, state, self_before, self_after, change }) => ({
      ...{ name, source, state, change },
      ...{ self_share_before: self_before, self_share_after: self_after },
    }));
}

function assetRow({ name, old_name, kind, state, before, after, cost_change }: AssetChange) {
  const side = (one: AssetChange['before']) =>
    one && {
      ...{ cost: one.cost, hitch_ms: one.hitch_ms, main_thread_ms: one.main_thread_ms },
      ...{ bytes: one.bytes, gpu_bytes: one.gpu_bytes },
    };
  return { name, old_name, kind, state, before: side(before), after: side(after), cost_change };
}

function listsOf(answer: Compared, functions: number, assets: number): AnswerList[] {
  const how = () => `Call compare_traces with a larger limit (at most ${MOST}).`;
  return [
    { part: 'functions', rows: answer.functions, total: functions, how },
    { part: 'assets', rows: answer.assets, total: assets, how },
  ];
}

function describe({
  answer,
  builds,
  graphics_warning,
  metrics,
  functions,
  assets,
}: Compared): string[] {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  return [
    answer,
    `Builds: ${builds}.`,
    ...(graphics_warning === null ? [] : [graphics_warning]),
    ...metrics
      .filter(({ verdict }) => verdict === 'better' || verdict === 'worse')
      .map(
        ({ metric, unit, before, after, verdict }) =>
          `- ${verdict}: ${metric} ${number(before)} → ${number(after)} (${unit})`,
      ),
    ...functions.map(
      ({ name, self_share_before: was, self_share_after: is }) =>
        `- function ${nameText(name)}: ${percent(was)} → ${percent(is)} of all samples`,
    ),
    ...assets.map(
      ({ name, state, cost_change }) =>
        `- asset ${nameText(name)} (${state}): cost ${cost_change > 0 ? '+' : ''}${cost_change}`,
    ),
  ];
}
