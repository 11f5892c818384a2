// Spells in which one core is fully used, in a recording that is otherwise less busy.
import type { ProcessColumns } from '../../model/trace-model.ts';
import { median } from '../../times/trend.ts';
import { MOST_EVIDENCE, type Rule, rounded, wholeSeconds } from '../findings/finding.ts';
import { START_UP_MS } from '../findings/start-up.ts';
import { HIGHEST_PERCENT, singleThreadLimit } from './single-thread-limit.ts';

/** A thread that waits for the display sleeps for a part of each frame, so a full core is measured as less than 100 %. */
const LOWEST_PERCENT = 85;
/** Five samples of the agent, whose times jitter. A shorter spell may be one load or a collection of garbage. */
const SHORTEST_MS = 4500;
/** The total of all spells: ten samples. One short spell may be a level that loads. */
const TOTAL_MS = 9500;
/** Samples further apart than this are not one spell. The agent takes one each second. */
const LONGEST_STEP_MS = 2500;

type Spell = { readonly t: number; readonly duration_ms: number; readonly percent: number };

export const coreSpells: Rule = (context) => {
  if (singleThreadLimit(context) !== null) return null;
  for (const columns of context.model.process) {
    const spells = spellsOf(columns);
    const total = spells.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
    const [longest] = spells.toSorted((a, b) => b.duration_ms - a.duration_ms);
    if (longest === undefined || total < TOTAL_MS) continue;
    const known = columns.cpu_percent.filter((value) => !Number.isNaN(value)).sort();
    return {
      id: 'core_spells',
      severity: 'warning',
      title: `One core is fully used for ${wholeSeconds(Math.round(total / 1000))}, in ${spells.length === 1 ? 'one spell' : `${spells.length} spells`}`,
      detail: `The longest spell lasts ${wholeSeconds(Math.round(longest.duration_ms / 1000))}. Half of the recording uses at most ${Math.round(median(known))} % of one core, but in these spells a single thread probably limits the speed. Find out what the game does then: record its functions (--probes stacks), select a spell in the timeline, and move work that can run in parallel to other threads.`,
      evidence: spells
        .toSorted((a, b) => b.duration_ms - a.duration_ms || a.t - b.t)
        .slice(0, MOST_EVIDENCE)
        .map(({ t, duration_ms, percent }) => ({
          label: 'spell',
          value: rounded(percent),
          unit: '% of one core',
          t: rounded(t),
          duration_ms: rounded(duration_ms),
        })),
      impact: total / 1000,
    };
  }
  return null;
};

/** A sample is the CPU use since the sample before it, so a spell begins with that. */
function spellsOf({ t, cpu_percent }: ProcessColumns): Spell[] {
  const spells: Spell[] = [];
  let from = 0;
  let sum = 0;
  let count = 0;
  const close = (to: number): void => {
    if (count > 0 && to - from >= SHORTEST_MS) {
      spells.push({ t: from, duration_ms: to - from, percent: sum / count });
    }
    count = 0;
    sum = 0;
  };
  for (let i = 1; i < t.length; i++) {
    const [before, now, percent] = [t[i - 1] ?? 0, t[i] ?? 0, cpu_percent[i] ?? 0];
    const full = percent >= LOWEST_PERCENT && percent <= HIGHEST_PERCENT;
    if (!full || before < START_UP_MS || now - before > LONGEST_STEP_MS) {
      close(before);
      continue;
    }
    if (count === 0) from = before;
    sum += percent;
    count++;
  }
  close(t.at(-1) ?? 0);
  return spells;
}
