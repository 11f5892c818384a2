// Files that the main thread reads while the game runs.
import { nameText } from '../../derive/facts/number-text.ts';
import { MOST_EVIDENCE, milliseconds, type Rule, rounded } from '../findings/finding.ts';

/** Below this total, in frame budgets, there is no finding. */
const FEWEST_BUDGETS = 3;
const CRITICAL_BUDGETS = 30;

export const mainThreadReads: Rule = ({ model, budget_ms }) => {
  const reads = model.assets
    .filter((asset) => asset.phase === 'read')
    .map((asset) => ({ asset, ms: asset.main_thread_ms ?? 0 }))
    .filter(({ ms }) => ms > 0)
    .sort((a, b) => b.ms - a.ms || a.asset.t - b.asset.t);
  const total = reads.reduce((sum, { ms }) => sum + ms, 0);
  const [worst] = reads;
  if (worst === undefined || total < budget_ms * FEWEST_BUDGETS) return null;
  const files = new Set(reads.map(({ asset }) => JSON.stringify([asset.source, asset.id]))).size;
  const waited = reads.some(({ asset }) => asset.cached === false);
  return {
    id: 'main_thread_reads',
    severity: total >= budget_ms * CRITICAL_BUDGETS ? 'critical' : 'warning',
    title: `The main thread spends ${milliseconds(total)} reading files`,
    detail: `It read ${files} files itself, ${nameText(worst.asset.name)} for the longest at once (${milliseconds(worst.ms)})${waited ? ', some of them from storage' : ''}. Read in another thread, or before the scene starts.`,
    evidence: reads.slice(0, MOST_EVIDENCE).map(({ asset, ms }) => ({
      label: nameText(asset.name),
      t: asset.t,
      duration_ms: rounded(ms),
    })),
    impact: total / budget_ms,
  };
};
