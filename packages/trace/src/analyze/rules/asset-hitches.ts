// Main-thread work of assets in frames over budget. An asset counts with no more than its own time.
import { nameText } from '../../derive/facts/number-text.ts';
import { milliseconds, type Rule, rounded } from '../findings/finding.ts';

/** Below this total there is no finding. */
const FEWEST_BUDGETS = 2;
/** Six budgets at 60 Hz are a tenth of a second. */
const CRITICAL_BUDGETS = 6;
const MOST_NAMED = 5;

export const assetHitches: Rule = ({ report, model, budget_ms }) => {
  const hit = report.assets
    .filter((asset) => asset.hitch_ms > 0)
    .map((asset) => ({ ...asset, ms: Math.min(asset.hitch_ms, asset.main_thread_ms ?? 0) }))
    .sort((a, b) => b.ms - a.ms || (a.name < b.name ? -1 : 1));
  const total = hit.reduce((sum, asset) => sum + asset.ms, 0);
  const [worst] = hit;
  if (worst === undefined || total < budget_ms * FEWEST_BUDGETS) return null;
  const others = hit.length === 1 ? '' : ` and ${hit.length - 1} more`;
  return {
    id: 'asset_hitches',
    severity: worst.ms >= budget_ms * CRITICAL_BUDGETS ? 'critical' : 'warning',
    title: `${nameText(worst.name)}${others} delayed frames by ${milliseconds(total)}`,
    detail: `Frames over budget contain main-thread work on assets. ${nameText(worst.name)} alone cost ${milliseconds(worst.ms)} in ${worst.hitches} ${worst.hitches === 1 ? 'frame' : 'frames'}. ${worst.advice[0]?.text ?? 'Move that work off the main thread, or before the scene starts.'}`,
    evidence: hit.slice(0, MOST_NAMED).map((asset) => {
      const longest = model.assets
        .filter((record) => record.id === asset.id && record.source === asset.source)
        .toSorted((a, b) => (b.main_thread_ms ?? 0) - (a.main_thread_ms ?? 0))[0];
      return {
        label: nameText(asset.name),
        value: rounded(asset.ms),
        unit: 'ms over budget',
        ...(longest !== undefined && {
          t: longest.t,
          duration_ms: rounded(longest.main_thread_ms ?? 0),
        }),
      };
    }),
    impact: total / budget_ms,
  };
};
