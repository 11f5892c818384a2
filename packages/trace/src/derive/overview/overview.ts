// The answer at first sight: a verdict on the trace, its worst moments, and the evidence in short. Pure.
import type { ProcessColumns, TraceModel } from '../../model/trace-model.ts';
import type { AssetReport, AssetReportEntry } from '../assets/asset-report.ts';
import { assetReportOfModel } from '../assets/report-model.ts';
import { type TraceBounds, traceBounds } from '../bounds/frame-bounds.ts';
import { cpuSamples, type SeriesStats, seriesStats } from '../facts/series-stats.ts';
import { DEFAULT_BUDGET_MS } from '../frames/frame-stats.ts';
import { leakAnswer } from '../leaks/leak-text.ts';
import { leaksOf, recordsReleases } from '../leaks/leaks.ts';
import {
  type ExplainedHitch,
  explainHitches,
  groupHitches,
  type HitchGroup,
  MOST_EXPLAINED,
} from './explain-hitches.ts';
import { type HotFunctions, hotFunctions } from './hot-functions.ts';
import { type MemoryTrend, memoryTrends } from './memory-trends.ts';
import { type MissingData, missingData } from './missing-data.ts';
import { type Pacing, pacingOf } from './pacing.ts';
import { type SeriesPoint, thinSeries } from './thin-series.ts';

/** The number of moments, assets, and functions of each call tree. */
export const OVERVIEW_ROWS = 5;

/** The errors whose texts are in the verdict. */
const ERRORS_SHOWN = 2;

export type Overview = {
  readonly budget_ms: number;
  /** The latest end of a record; null if that is 0. */
  readonly duration_ms: number | null;
  readonly pacing: readonly Pacing[];
  /** The number of all hitches. */
  readonly hitches: number;
  /** The number of hitches in `groups`: all, or the {@link MOST_EXPLAINED} longest ones. */
  readonly explained: number;
  readonly groups: readonly HitchGroup[];
  /** The longest hitches with what caused each. */
  readonly moments: readonly ExplainedHitch[];
  readonly bounds: TraceBounds;
  /** CPU use of the process in percent of one core. Null without samples. */
  readonly cpu: { readonly stats: SeriesStats; readonly points: readonly SeriesPoint[] } | null;
  readonly memory: readonly MemoryTrend[];
  /** What each load leaves on the GPU, as sentences. Null if no load leaks, or if the trace does not record releases. */
  readonly leak: string | null;
  /** The costliest assets. */
  readonly assets: readonly AssetReportEntry[];
  readonly asset_totals: AssetReport['totals'];
  readonly functions: readonly HotFunctions[];
  /** The errors that the trace reports, with the texts of the first {@link ERRORS_SHOWN}. */
  readonly errors: { readonly count: number; readonly texts: readonly string[] };
  readonly missing: readonly MissingData[];
};

/** `bounds` are those of the model and the budget, if they are known already. The budget is 1000/60 ms by default. */
export function overviewOf(
  model: TraceModel,
  options: { readonly budget_ms?: number; readonly bounds?: TraceBounds } = {},
): Overview {
  const budget_ms = options.bounds?.budget_ms ?? options.budget_ms ?? DEFAULT_BUDGET_MS;
  const bounds = options.bounds ?? traceBounds(model, budget_ms);
  const explained = explainHitches(model, bounds.hitches, MOST_EXPLAINED);
  const report = assetReportOfModel(model, budget_ms, OVERVIEW_ROWS);
  const errors = model.logs.filter(({ level }) => level === 'error');
  const process = cpuSamples(model);
  return {
    budget_ms,
    duration_ms: model.duration_ms,
    pacing: pacingOf(model, budget_ms),
    hitches: bounds.hitches.length,
    explained: explained.length,
    groups: groupHitches(model, explained),
    moments: explained.slice(0, OVERVIEW_ROWS),
    bounds,
    cpu: process === undefined ? null : cpuOf(process),
    memory: memoryTrends(model),
    leak: leakOf(model),
    assets: report.assets,
    asset_totals: report.totals,
    functions: hotFunctions(model, OVERVIEW_ROWS),
    errors: { count: errors.length, texts: errors.slice(0, ERRORS_SHOWN).map(({ text }) => text) },
    missing: missingData(model),
  };
}

function leakOf(model: TraceModel): string | null {
  if (!recordsReleases(model)) return null;
  const leaks = leaksOf(model);
  return leaks.repeats[0]?.leaks === true ? leakAnswer(leaks) : null;
}

function cpuOf({ t, cpu_percent }: ProcessColumns): Overview['cpu'] {
  const stats = seriesStats(t, cpu_percent);
  return stats && { stats, points: thinSeries(t, cpu_percent) };
}
