// Hitches at regular intervals, caused for example by a timer, a garbage collector or an autosave.

import { median } from '../../times/trend.ts';
import { MOST_EVIDENCE, milliseconds, type Rule, rounded } from '../findings/finding.ts';

/** Fewer hitches may be chance. */
const FEWEST_HITCHES = 6;
/** Largest deviation of an interval from the median, as a fraction of it. */
const STRAY = 0.15;
/** The fraction of intervals that must be within that deviation. */
const ON_BEAT_SHARE = 0.8;
/** Hitches that are closer together count as one event. */
const SAME_EVENT_MS = 200;

export const periodicHitches: Rule = ({ slow, budget_ms }) => {
  const events = slow.filter(
    (frame, i) => i === 0 || frame.start_ms - (slow[i - 1]?.start_ms ?? 0) > SAME_EVENT_MS,
  );
  if (events.length < FEWEST_HITCHES) return null;
  const intervals = events.slice(1).map((frame, i) => frame.start_ms - (events[i]?.start_ms ?? 0));
  const beat = median(intervals.toSorted((a, b) => a - b));
  const onBeat = intervals.filter((interval) => Math.abs(interval - beat) <= beat * STRAY).length;
  if (onBeat < intervals.length * ON_BEAT_SHARE) return null;
  const lost = events.reduce((sum, frame) => sum + frame.duration_ms - budget_ms, 0);
  return {
    id: 'periodic_hitches',
    severity: 'warning',
    title: `A hitch every ${milliseconds(beat)}`,
    detail: `${events.length} hitches follow each other every ${milliseconds(beat)}. Something runs on a timer or fills up at an even rate, such as garbage collection, an autosave or a poll. Look for work that starts at that interval.`,
    evidence: [
      { label: 'interval', value: rounded(beat), unit: 'ms' },
      ...events.slice(0, MOST_EVIDENCE - 1).map((frame) => ({
        label: 'hitch',
        t: rounded(frame.start_ms),
        duration_ms: rounded(frame.duration_ms),
      })),
    ],
    impact: lost / budget_ms,
  };
};
