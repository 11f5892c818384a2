// The process keeps one core full and no more: its main thread is the limit, other cores wait.
import { percent, type Rule, rounded } from '../findings/finding.ts';
import { median } from '../findings/trend.ts';

const FEWEST_SAMPLES = 10;
/** One core, give or take what other threads and the sampler's rounding add. */
const LOWEST_PERCENT = 90;
const HIGHEST_PERCENT = 118;
/** So much of the time it must stay there. */
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
      title: `One core is full for ${percent(full.length / known.length)} of the time`,
      detail:
        'The process uses as much as one core gives and hardly more, so a single thread sets the pace while the others idle. Find the hottest function of that thread, and move work that can run beside it to others.',
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
