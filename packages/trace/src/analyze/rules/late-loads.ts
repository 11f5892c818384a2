// Assets that load during play and overlap slow frames.
import { nameText } from '../../derive/facts/number-text.ts';
import { firstAbove } from '../../times/search-sorted.ts';
import type { SlowFrame } from '../findings/context.ts';
import { MOST_EVIDENCE, type Rule, rounded } from '../findings/finding.ts';

/** Before this time the game is starting. */
const START_MS = 5000;
/** A shorter load came from a cache. */
const SHORTEST_MS = 30;
/** For this time after its end, a load may still cause work. */
const AFTER_MS = 150;
const FEWEST_LOADS = 3;

export const lateLoads: Rule = ({ model, slow, budget_ms }) => {
  const starts = slow.map((frame) => frame.start_ms);
  const late = model.assets
    .filter((asset) => asset.phase === 'load' && asset.cached !== true)
    .filter((asset) => asset.t >= START_MS && (asset.duration_ms ?? 0) >= SHORTEST_MS)
    .map((asset) => {
      const end = asset.t + (asset.duration_ms ?? 0) + AFTER_MS;
      const before = slow[firstAbove(starts, asset.t) - 1];
      const reachesIn = before !== undefined && before.start_ms + before.duration_ms > asset.t;
      const from = firstAbove(starts, asset.t) - (reachesIn ? 1 : 0);
      return { asset, from, frames: firstAbove(starts, end) - from };
    })
    .filter(({ frames }) => frames > 0);
  if (late.length < FEWEST_LOADS) return null;
  const hit = framesWithin(slow, late);
  const lost = hit.reduce((sum, frame) => sum + frame.duration_ms - budget_ms, 0);
  return {
    id: 'late_loads',
    severity: 'warning',
    title: `${late.length} assets load during play and slow down frames`,
    detail: `${hit.length} slow frames are in or right after these loads. Load the assets before the scene starts, or early in the background, and unpack them in small steps.`,
    evidence: late
      .toSorted((a, b) => b.frames - a.frames || a.asset.t - b.asset.t)
      .slice(0, MOST_EVIDENCE)
      .map(({ asset }) => ({
        label: nameText(asset.name),
        t: asset.t,
        duration_ms: rounded(asset.duration_ms ?? 0),
      })),
    impact: lost / budget_ms,
  };
};

/** The slow frames that overlap any of the loads, without duplicates. The loads are in time order. */
function framesWithin(
  slow: readonly SlowFrame[],
  loads: readonly { readonly from: number; readonly frames: number }[],
): SlowFrame[] {
  const hit: SlowFrame[] = [];
  let done = 0;
  for (const { from, frames } of loads) {
    for (let i = Math.max(from, done); i < from + frames; i++) {
      const frame = slow[i];
      if (frame !== undefined) hit.push(frame);
    }
    done = Math.max(done, from + frames);
  }
  return hit;
}
