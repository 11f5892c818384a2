// Where the recording has holes, and what they hide.
import { lossIntervals } from '../../derive/loss-intervals.ts';
import { MOST_EVIDENCE, milliseconds, percent, type Rule, rounded } from '../finding.ts';

/** From here on numbers about the whole recording speak of less than it seems. */
const LOST_SHARE = 0.05;
const CUT_SHORT = new Set(['storage_cap', 'disk_full']);

export const losses: Rule = ({ model, duration_ms }) => {
  const { from, to } = lossIntervals(model.losses, null);
  const lost = from.reduce((sum, start, i) => sum + (to[i] ?? start) - start, 0);
  const cut = model.losses.find((loss) => CUT_SHORT.has(loss.reason));
  const share = duration_ms > 0 ? lost / duration_ms : 0;
  if (share < LOST_SHARE && cut === undefined) return null;
  const reasons = [...new Set(model.losses.map((loss) => loss.reason))].sort().join(', ');
  return {
    id: 'losses',
    severity: cut !== undefined || share > 0.5 ? 'warning' : 'info',
    title:
      cut === undefined
        ? `${percent(share)} of the time is not in the recording`
        : 'The recording was cut short for lack of room',
    detail: `${milliseconds(lost)} are missing (${reasons}). Frames, memory and hitches in that time are not seen, and no number here speaks of them. ${cut === undefined ? 'Record again with the game in the foreground.' : 'Record again with more room, or for a shorter time.'}`,
    evidence: model.losses.slice(0, MOST_EVIDENCE).map((loss) => ({
      label: loss.reason,
      t: loss.t,
      ...(loss.duration_ms !== undefined && { duration_ms: rounded(loss.duration_ms) }),
    })),
    impact: lost / 1000,
  };
};
