// Slow frames in a few short bursts while the rest runs well, for example at a scene change.
import { milliseconds, percent, type Rule, rounded } from '../findings/finding.ts';

/** Slow frames that are further apart belong to different bursts. */
const GAP_MS = 500;
/** Fewest slow frames in a burst. */
const BURST_FRAMES = 6;
/** The bursts must contain this fraction of all slow frames … */
const BURST_SHARE = 0.6;
/** … in at most this fraction of the time. */
const TIME_SHARE = 0.2;

export const hitchBursts: Rule = ({ slow, duration_ms, budget_ms }) => {
  const bursts = groupsOf(slow).filter((burst) => burst.frames >= BURST_FRAMES);
  const inBursts = bursts.reduce((sum, burst) => sum + burst.frames, 0);
  const time = bursts.reduce((sum, burst) => sum + burst.end - burst.start, 0);
  if (bursts.length === 0 || inBursts < slow.length * BURST_SHARE) return null;
  if (duration_ms === 0 || time > duration_ms * TIME_SHARE) return null;
  const worst = bursts.toSorted((a, b) => b.lost - a.lost).slice(0, 5);
  return {
    id: 'hitch_bursts',
    severity: 'warning',
    title: `${inBursts} of ${slow.length} slow frames are in ${bursts.length === 1 ? 'one burst' : `${bursts.length} bursts`}`,
    detail: `They take only ${percent(time / duration_ms)} of the recording, and the game reaches its frame rate in the rest. Select the worst burst and compare its stacks and assets with a smooth part.`,
    evidence: worst.map((burst) => ({
      label: `burst of ${burst.frames} slow frames`,
      value: milliseconds(burst.lost),
      t: rounded(burst.start),
      duration_ms: rounded(burst.end - burst.start),
    })),
    impact: bursts.reduce((sum, burst) => sum + burst.lost, 0) / budget_ms,
  };

  function groupsOf(frames: typeof slow): Burst[] {
    const groups: Burst[] = [];
    for (const { start_ms, duration_ms: length } of frames) {
      const last = groups.at(-1);
      const lost = length - budget_ms;
      if (last !== undefined && start_ms - last.end <= GAP_MS) {
        last.end = start_ms + length;
        last.frames++;
        last.lost += lost;
      } else groups.push({ start: start_ms, end: start_ms + length, frames: 1, lost });
    }
    return groups;
  }
};

type Burst = { start: number; end: number; frames: number; lost: number };
