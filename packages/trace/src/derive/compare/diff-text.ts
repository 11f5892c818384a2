// The answer of a comparison in words: what changed most, and the asset and the function whose cost rose most.
import type { AssetChange } from '../assets/compare-assets.ts';
import { weightNoun } from '../facts/number-text.ts';
import type { ChangeVerdict, MetricChange } from './compare-metrics.ts';
import { largestChange, type TraceDiff } from './diff-traces.ts';
import type { FunctionRise } from './largest-rises.ts';
import { metricText, ratioText } from './metric-text.ts';
import type { MetricName } from './trace-metrics.ts';

/** `detail` counts the values; empty if no value is in both traces. */
export type DiffVerdict = {
  readonly headline: string;
  readonly detail: string;
  /** `better` only if nothing is worse. `unknown`: no value is in both traces. */
  readonly verdict: ChangeVerdict;
  /** The change that the headline names. Null if none is better or worse. */
  readonly change: MetricChange | null;
};

/**
 * The largest change for the worse, otherwise the largest for the better, as {@link largestChange} finds them. `nameOf` returns the
 * name of a metric at the start of a sentence.
 */
export function diffVerdict(
  metrics: readonly MetricChange[],
  functions: Pick<TraceDiff['functions'], 'length'>,
  nameOf: (metric: MetricName) => string,
): DiffVerdict {
  const count = (verdict: ChangeVerdict): number =>
    metrics.filter((metric) => metric.verdict === verdict).length;
  const [worse, better, same] = [count('worse'), count('better'), count('same')];
  const worst = largestChange(metrics, 'worse');
  if (worst !== null) {
    const detail = `${valuesAre(worse, 'worse')}, ${better} better, ${same} the same.`;
    return { headline: changeText(worst, nameOf), detail, verdict: 'worse', change: worst };
  }
  const best = largestChange(metrics, 'better');
  if (best !== null) {
    const detail = `Nothing became worse: ${valuesAre(better, 'better')}, ${same} the same.`;
    return { headline: changeText(best, nameOf), detail, verdict: 'better', change: best };
  }
  if (same > 0) {
    const headline = 'Nothing changed beyond noise.';
    const detail = `${valuesAre(same, 'the same')}: a change of up to 1 % may be chance.`;
    return { headline, detail, verdict: 'same', change: null };
  }
  const headline =
    functions.length > 0
      ? 'Only functions can be compared: no other value is in both traces.'
      : 'No value is in both traces.';
  return { headline, detail: '', verdict: 'unknown', change: null };
}

function valuesAre(count: number, verdict: string): string {
  return `${count} ${count === 1 ? 'value is' : 'values are'} ${verdict}`;
}

/** For example `The longest frame rose by 50 % (20 ms before, 30 ms after).` */
function changeText(
  { metric, before, after, change, ratio }: MetricChange,
  nameOf: (metric: MetricName) => string,
): string {
  const by = ratio === null ? '' : ` by ${ratioText(Math.abs(ratio))}`;
  const way = (change ?? 0) > 0 ? 'rose' : 'fell';
  const values = `${metricText(metric, before)} before, ${metricText(metric, after)} after`;
  return `${nameOf(metric)} ${way}${by} (${values}).`;
}

/** To follow the name of an asset whose cost rose: `costs 1.20 frame budgets more (0.80 before, 2.00 after)`. */
export function assetRiseText({ state, cost_change, before, after }: AssetChange): string {
  const budgets = `${cost_change.toFixed(2)} frame budgets`;
  if (state === 'new') return `is new and costs ${budgets}`;
  const [was, is] = [before?.cost ?? 0, after?.cost ?? 0];
  return `costs ${budgets} more (${was.toFixed(2)} before, ${is.toFixed(2)} after)`;
}

/** To follow the name of a function whose share rose: `takes 30.0 % of the time, 12.0 % before`. */
export function functionRiseText({ unit, state, self_before, self_after }: FunctionRise): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const share = `${percent(self_after)} of the ${weightNoun(unit)}`;
  return state === 'new'
    ? `is new and takes ${share}`
    : `takes ${share}, ${percent(self_before)} before`;
}
