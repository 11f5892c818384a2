// Gaps in the recording, and their reasons.
import { type Intervals, lossIntervals } from '../../derive/frames/loss-intervals.ts';
import type { LossRecord } from '../../format/records.ts';
import {
  type Finding,
  MOST_EVIDENCE,
  milliseconds,
  percent,
  type Rule,
  rounded,
} from '../findings/finding.ts';

/** From this fraction of missing time on, numbers about the whole recording are misleading. */
const LOST_SHARE = 0.05;
const CUT_SHORT = new Set(['storage_cap', 'disk_full']);

export const losses: Rule = ({ model, duration_ms }) => {
  const lost = totalOf(lossIntervals(model.losses, null));
  const cut = model.losses.find((loss) => CUT_SHORT.has(loss.reason));
  const share = duration_ms > 0 ? lost / duration_ms : 0;
  if (share < LOST_SHARE && cut === undefined) return lostFunctions(model.losses, duration_ms);
  return {
    id: 'losses',
    severity: cut !== undefined || share > 0.5 ? 'warning' : 'info',
    title:
      cut === undefined
        ? `${percent(share)} of the time is not in the recording`
        : 'The recording was cut short because storage ran out',
    detail: `${milliseconds(lost)} are missing (${reasonsOf(model.losses)}). No number here includes frames, memory and hitches of that time. ${cut === undefined ? adviceFor(model.losses) : 'Record again with more storage, or for a shorter time.'}`,
    evidence: evidenceOf(model.losses),
    impact: lost / 1000,
  };
};

/** The finding for times without functions, in which frames and memory were recorded. */
function lostFunctions(all: readonly LossRecord[], duration_ms: number): ReturnType<Rule> {
  const lost = totalOf(lossIntervals(all, null, 'stacks'));
  if (duration_ms <= 0 || lost / duration_ms < LOST_SHARE) return null;
  const own = all.filter(({ probe }) => probe === 'stacks');
  return {
    id: 'losses',
    severity: 'info',
    title: `${percent(lost / duration_ms)} of the time was recorded without functions`,
    detail: `${milliseconds(lost)} have no functions (${reasonsOf(own)}). A hitch of that time shows none. ${adviceFor(own)}`,
    evidence: evidenceOf(own),
    impact: lost / 1000,
  };
}

function totalOf({ from, to }: Intervals): number {
  return from.reduce((sum, start, i) => sum + (to[i] ?? start) - start, 0);
}

function reasonsOf(all: readonly LossRecord[]): string {
  return [...new Set(all.map((loss) => loss.reason))].sort().join(', ');
}

function evidenceOf(all: readonly LossRecord[]): Finding['evidence'] {
  return all.slice(0, MOST_EVIDENCE).map((loss) => ({
    label: loss.reason,
    t: loss.t,
    ...(loss.duration_ms !== undefined && { duration_ms: rounded(loss.duration_ms) }),
  }));
}

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
