// Compares two traces: frames, CPU, memory, assets and functions. The command line and reports show the same.
import type { TraceModel } from '../../model/trace-model.ts';
import type { AssetReport } from '../assets/asset-report.ts';
import { type AssetChange, compareAssets } from '../assets/compare-assets.ts';
import { type BuildMatch, compareBuilds } from '../facts/compare-builds.ts';
import { DEFAULT_BUDGET_MS } from '../frames/frame-stats.ts';
import { compareFunctions, type FunctionsDiff } from './compare-functions.ts';
import { graphicsWarning } from './compare-graphics.ts';
import { type ChangeVerdict, compareMetrics, type MetricChange } from './compare-metrics.ts';
import { METRICS, type TraceMetrics, traceMetrics } from './trace-metrics.ts';

/** The part of a model that is compared. Assets are compared by their report. */
export type ComparedModel = Pick<
  TraceModel,
  'header' | 'frames' | 'process' | 'counters' | 'stacks' | 'losses' | 'duration_ms'
>;

/** `report` is the asset report of the model, with all assets. */
export type DiffSide = { readonly model: ComparedModel; readonly report: AssetReport };

export type TraceDiff = {
  readonly budget_ms: number;
  readonly builds: BuildMatch;
  /** A sentence, if the graphics adapters differ: see {@link graphicsWarning}. */
  readonly graphics_warning: string | null;
  readonly metrics_before: TraceMetrics;
  readonly metrics_after: TraceMetrics;
  /** The metrics that at least one trace has. */
  readonly metrics: readonly MetricChange[];
  readonly functions: readonly FunctionsDiff[];
  /** The largest rise of cost first. */
  readonly assets: readonly AssetChange[];
};

/** Compares an older and a newer trace. `budget_ms` is the time budget of a frame. */
export function diffTraces(
  before: DiffSide,
  after: DiffSide,
  budget_ms: number = DEFAULT_BUDGET_MS,
): TraceDiff {
  const [was, is] = [before, after].map(({ model, report }) =>
    traceMetrics(model, report, budget_ms),
  ) as [TraceMetrics, TraceMetrics];
  const digestOf = ({ model }: DiffSide): string | null => model.header.build?.digest ?? null;
  return {
    budget_ms,
    builds: compareBuilds(digestOf(before), digestOf(after)),
    graphics_warning: graphicsWarning(before.model.header.gpu, after.model.header.gpu),
    metrics_before: was,
    metrics_after: is,
    metrics: compareMetrics(was, is),
    functions: compareFunctions(before.model.stacks, after.model.stacks),
    assets: compareAssets(before.report.assets, after.report.assets),
  };
}

/** The change for the worse to look at first, as {@link largestChange} finds it. Null: nothing is worse. */
export function worstChange(metrics: readonly MetricChange[]): MetricChange | null {
  return largestChange(metrics, 'worse');
}

/**
 * The change with a verdict to look at first. Frame times and hitches come first, because players see them. Then come CPU, amounts
 * of memory and assets, and slopes of memory last, because only a long session shows their effect. Of several, it is the largest
 * relative to the value before, and of slopes the largest difference. A rise from 0 has no ratio and counts as larger. Null: no
 * metric has the verdict.
 */
export function largestChange(
  metrics: readonly MetricChange[],
  verdict: ChangeVerdict,
): MetricChange | null {
  const [first] = metrics
    .filter((metric) => metric.verdict === verdict)
    .sort((a, b) => rankOf(a) - rankOf(b) || sizeOf(b) - sizeOf(a));
  return first ?? null;
}

function rankOf({ metric }: MetricChange): number {
  const { group, unit } = METRICS[metric];
  if (unit === 'bytes_per_minute') return 2;
  return group === 'frames' ? 0 : 1;
}

function sizeOf({ metric, change, ratio }: MetricChange): number {
  if (METRICS[metric].unit === 'bytes_per_minute') return Math.abs(change ?? 0);
  return ratio === null ? Number.MAX_VALUE : Math.abs(ratio);
}
