// Assets that are decoded or compiled on the main thread while the game runs.
import { nameText } from '../../derive/facts/number-text.ts';
import { MOST_EVIDENCE, milliseconds, type Rule, rounded } from '../findings/finding.ts';

/** Below this total, in frame budgets, there is no finding. */
const FEWEST_BUDGETS = 3;
const CRITICAL_BUDGETS = 30;

export const mainThreadDecode: Rule = ({ model, budget_ms }) => {
  const decodes = model.assets
    .filter((asset) => asset.phase === 'decode' || asset.phase === 'compile')
    .map((asset) => ({ asset, ms: asset.main_thread_ms ?? 0 }))
    .filter(({ ms }) => ms > 0)
    .sort((a, b) => b.ms - a.ms || a.asset.t - b.asset.t);
  const total = decodes.reduce((sum, { ms }) => sum + ms, 0);
  const [worst] = decodes;
  if (worst === undefined || total < budget_ms * FEWEST_BUDGETS) return null;
  return {
    id: 'main_thread_decode',
    severity: total >= budget_ms * CRITICAL_BUDGETS ? 'critical' : 'warning',
    title: `Decoding on the main thread takes ${milliseconds(total)}`,
    detail: `${decodes.length} assets were decoded or compiled there, ${nameText(worst.asset.name)} the longest (${milliseconds(worst.ms)}). Decode in a worker (createImageBitmap, decodeAudioData ahead of time) and compile shaders before the scene starts.`,
    evidence: decodes.slice(0, MOST_EVIDENCE).map(({ asset, ms }) => ({
      label: `${nameText(asset.name)} (${asset.phase})`,
      t: asset.t,
      duration_ms: rounded(ms),
    })),
    impact: total / budget_ms,
  };
};
