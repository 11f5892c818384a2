// The process uses one core fully and no more: a single thread is the limit.

import { median } from '../../times/trend.ts';
import { percent, type Rule, rounded } from '../findings/finding.ts';

const FEWEST_SAMPLES = 10;
/** One core, with a tolerance for other threads and for the rounding of the sampler. */
const LOWEST_PERCENT = 90;
export const HIGHEST_PERCENT = 118;
/** The fraction of samples that must be in that range. */
const TIME_SHARE = 0.6;

export const singleThreadLimit: Rule = ({ model }) => {
  for (const { t, cpu_percent } of model.process) {
    const known = Array.from(cpu_percent).filter((value) => !Number.isNaN(value));
    const full = known.filter((value) => value >= LOWEST_PERCENT && value <= HIGHEST_PERCENT);
    const above = known.filter((value) => value > HIGHEST_PERCENT);
    if (known.length < FEWEST_SAMPLES || full.length < known.length * TIME_SHARE) continue;
    if (above.length > known.length * (1 - TIME_SHARE) * 0.25) continue;
    return {
      id: 'single_thread_limit',
      severity: 'warning',
      title: `One core is fully used for ${percent(full.length / known.length)} of the time`,
      detail:
        'The process uses all of one core and hardly more, so a single thread limits the speed while other cores are idle. Find the hottest function of that thread, and move work that can run in parallel to other threads.',
      evidence: [
        {
          label: 'middle CPU use',
          value: rounded(median(full.toSorted((a, b) => a - b))),
          unit: '% of one core',
        },
        {
          label: 'first sample',
          t: t[0] ?? 0,
          duration_ms: rounded((t.at(-1) ?? 0) - (t[0] ?? 0)),
        },
      ],
      impact: full.length,
    };
  }
  return null;
};
