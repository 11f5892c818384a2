// Many frames that miss their budget.
import { milliseconds, percent, type Rule, rounded } from '../findings/finding.ts';

/** Two seconds at 60 Hz. Fewer frames say little about a game. */
const FEWEST_FRAMES = 120;
/** One missed frame in twenty is visible as uneven motion. */
const WARNING_SHARE = 0.05;
/** With one missed frame in four, the game does not reach its frame rate. */
const CRITICAL_SHARE = 0.25;

export const framesOverBudget: Rule = ({ stats, slow, budget_ms }) => {
  if (stats === null || stats.count < FEWEST_FRAMES) return null;
  const share = slow.length / stats.count;
  if (share <= WARNING_SHARE) return null;
  const worst = slow.toSorted((a, b) => b.duration_ms - a.duration_ms)[0];
  const over = slow.reduce((sum, frame) => sum + frame.duration_ms - budget_ms, 0);
  return {
    id: 'frames_over_budget',
    severity: share > CRITICAL_SHARE ? 'critical' : 'warning',
    title: `${percent(share)} of frames miss the budget of ${milliseconds(budget_ms)}`,
    detail: `${slow.length} of ${stats.count} frames took much longer than ${milliseconds(budget_ms)}; p99 is ${milliseconds(stats.p99_ms ?? 0)}. Open the slowest moments and see which work they share.`,
    evidence: [
      { label: 'frames over budget', value: slow.length, unit: 'frames' },
      { label: 'p99 frame time', value: rounded(stats.p99_ms ?? 0), unit: 'ms' },
      {
        label: '1% low (slowest-1% mean)',
        value: rounded(stats.low_1_percent_fps ?? 0),
        unit: 'fps',
      },
      ...(worst === undefined
        ? []
        : [
            {
              label: 'slowest frame',
              t: rounded(worst.start_ms),
              duration_ms: rounded(worst.duration_ms),
            },
          ]),
    ],
    impact: over / budget_ms,
  };
};
