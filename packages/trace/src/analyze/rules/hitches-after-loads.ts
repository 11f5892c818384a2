// Slow frames right after a load: the loaded data is unpacked, parsed or set up in one frame.
import { nameText } from '../../derive/facts/number-text.ts';
import { firstAbove } from '../../times/search-sorted.ts';
import { MOST_EVIDENCE, percent, type Rule, rounded } from '../findings/finding.ts';

/** A frame that starts within this time after a load is attributed to the load. */
const AFTER_MS = 150;
const FEWEST_HITCHES = 4;
/** This fraction of the slow frames must follow a load … */
const AFTER_SHARE = 0.6;
/** … while the time after loads is at most this fraction of the recording. Otherwise it may be chance. */
const TIME_SHARE = 0.3;

export const hitchesAfterLoads: Rule = ({ model, slow, duration_ms, budget_ms }) => {
  const loads = model.assets
    .filter((asset) => asset.phase === 'load' || asset.phase === 'read')
    .map((asset) => ({ name: asset.name, end: asset.t + (asset.duration_ms ?? 0) }))
    .sort((a, b) => a.end - b.end);
  if (loads.length === 0 || duration_ms === 0) return null;
  const ends = loads.map((load) => load.end);
  const after = slow.flatMap((frame) => {
    const load = loads[firstAbove(ends, frame.start_ms + frame.duration_ms) - 1];
    return load === undefined || frame.start_ms - load.end > AFTER_MS ? [] : [{ frame, load }];
  });
  const covered = loads.reduce((sum, load, i) => {
    const next = loads[i + 1]?.end ?? duration_ms;
    return sum + Math.min(AFTER_MS, Math.max(0, next - load.end));
  }, 0);
  if (after.length < FEWEST_HITCHES || after.length < slow.length * AFTER_SHARE) return null;
  if (covered > duration_ms * TIME_SHARE) return null;
  return {
    id: 'hitches_after_loads',
    severity: 'warning',
    title: `${after.length} of ${slow.length} slow frames come right after a load`,
    detail: `The time after loads is only ${percent(covered / duration_ms)} of the recording. Spread what follows a load (parsing, decoding, uploading, setting up) over several frames, or do it in a worker.`,
    evidence: after.slice(0, MOST_EVIDENCE).map(({ frame, load }) => ({
      label: `slow frame after ${nameText(load.name)}`,
      t: rounded(frame.start_ms),
      duration_ms: rounded(frame.duration_ms),
    })),
    impact: after.reduce((sum, { frame }) => sum + frame.duration_ms - budget_ms, 0) / budget_ms,
  };
};
