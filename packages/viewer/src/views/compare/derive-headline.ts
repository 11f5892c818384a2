// Derives the answer of a comparison: what changed most, and the asset and the function whose cost rose most. Pure.
import {
  assetRiseText,
  type DiffSide,
  diffTraces,
  diffVerdict,
  functionRiseText,
  largestRises,
  METRIC_WORDS,
  METRICS,
  type MetricName,
  modelWithin,
  nameText,
  type TraceModel,
} from '@svc/trace';
import type { Call } from '../../client/worker-messages.ts';
import type { TimeRange } from '../../draw/time-axis.ts';
import { reportAssets } from '../assets/report-assets.ts';
import type { ComparePart } from './compare-parts.ts';
import type { ComparedRanges } from './compared-ranges.ts';

/** An asset or a function, and a clause about its cost that follows the name. */
export type CostRise = { readonly name: string; readonly text: string };

export type CompareHeadline = {
  readonly headline: string;
  /** The counts of values; empty if no value is in both traces. */
  readonly detail: string;
  /** The part that shows the change; null if nothing changed. */
  readonly part: ComparePart | null;
  /** A sentence if the graphics adapters differ; else null. */
  readonly warning: string | null;
  /** Null if the cost of no asset, or of no function, rose by a notable amount. */
  readonly asset: CostRise | null;
  readonly function: CostRise | null;
};

export type CompareCalls = {
  /** Compares the ranges of the traces `other` (before) and `main` (after). Null is the whole trace. */
  readonly compare: Call<ComparedRanges & { readonly budgetMs: number }, CompareHeadline>;
};

/** A trace and its compared range. Null is the whole trace. */
export type ComparedSide = { readonly model: TraceModel; readonly range: TimeRange | null };

export function deriveHeadline(
  before: ComparedSide,
  after: ComparedSide,
  budgetMs: number,
): CompareHeadline {
  const diff = diffTraces(sideOf(before, budgetMs), sideOf(after, budgetMs), budgetMs);
  const { metrics, functions, graphics_warning: warning } = diff;
  const { headline, detail, change } = diffVerdict(
    metrics,
    functions,
    (metric) => METRIC_WORDS[metric],
  );
  const rises = largestRises(diff);
  return {
    ...{ headline, detail, warning },
    part: change === null ? null : partOf(change.metric),
    asset: rises.asset && { name: nameText(rises.asset.name), text: assetRiseText(rises.asset) },
    function: rises.function && {
      name: nameText(rises.function.name),
      text: functionRiseText(rises.function),
    },
  };
}

function sideOf({ model, range }: ComparedSide, budgetMs: number): DiffSide {
  const report = reportAssets(model, budgetMs, range);
  if (range === null) return { model, report };
  return { model: modelWithin(model, { from_ms: range.from, to_ms: range.to }), report };
}

function partOf(metric: MetricName): ComparePart {
  const { group, unit } = METRICS[metric];
  if (unit === 'bytes_per_minute') return 'memory';
  return group === 'assets' ? 'assets' : 'numbers';
}
