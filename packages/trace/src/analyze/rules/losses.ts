// Gaps in the recording, and their reasons.
import { lossIntervals } from '../../derive/frames/loss-intervals.ts';
import type { LossRecord } from '../../format/records.ts';
import { MOST_EVIDENCE, milliseconds, percent, type Rule, rounded } from '../findings/finding.ts';

/** From this fraction of missing time on, numbers about the whole recording are misleading. */
const LOST_SHARE = 0.05;
const CUT_SHORT = new Set(['storage_cap', 'disk_full']);

export const losses: Rule = ({ model, duration_ms }) => {
  const { from, to } = lossIntervals(model.losses, null);
  const lost = from.reduce((sum, start, i) => sum + (to[i] ?? start) - start, 0);
  const cut = model.losses.find((loss) => CUT_SHORT.has(loss.reason));
  const share = duration_ms > 0 ? lost / duration_ms : 0;
  if (share < LOST_SHARE && cut === undefined) return null;
  const reasons = [...new Set(model.losses.map((loss) => loss.reason))].sort();
  return {
    id: 'losses',
    severity: cut !== undefined || share > 0.5 ? 'warning' : 'info',
    title:
      cut === undefined
        ? `${percent(share)} of the time is not in the recording`
        : 'The recording was cut short because storage ran out',
    detail: `${milliseconds(lost)} are missing (${reasons.join(', ')}). No number here includes frames, memory and hitches of that time. ${cut === undefined ? adviceFor(model.losses) : 'Record again with more storage, or for a shorter time.'}`,
    evidence: model.losses.slice(0, MOST_EVIDENCE).map((loss) => ({
      label: loss.reason,
      t: loss.t,
      ...(loss.duration_ms !== undefined && { duration_ms: rounded(loss.duration_ms) }),
    })),
    impact: lost / 1000,
  };
};

/** Advice by the reason of a loss with a duration. */
const ADVICE: Readonly<Record<string, string>> = {
  hidden_tab: 'Record again with the game in the foreground.',
  late_sampler:
    'The machine was too busy or asleep to take the samples in time. Record again with fewer other programs running.',
  buffer_full: 'Record again with fewer events at once, or for a shorter time.',
  probe_lost: 'A collector ended early. See its reason in the dashboard, then record again.',
};

function adviceFor(lost: readonly LossRecord[]): string {
  const timed = lost.filter(({ duration_ms = 0 }) => duration_ms > 0);
  const reasons = [...new Set(timed.map(({ reason }) => reason))].sort();
  const advice = reasons.flatMap((reason) => ADVICE[reason] ?? []);
  return advice.length === 0 ? 'Record again to measure that time.' : advice.join(' ');
}
