// Reading PSS takes so long that it disturbs the recorded process.
import type { ProcessColumns } from '../../model/trace-model.ts';
import { median } from '../../times/trend.ts';
import { milliseconds, percent, type Rule, rounded } from '../findings/finding.ts';

/** A single reading may have been interrupted. */
const FEWEST_READINGS = 5;
/** The share of the time above which the agent warns, too. */
const TIME_SHARE = 0.01;

type Reading = { readonly t: number; readonly ms: number };

export const pssCost: Rule = ({ model, budget_ms }) => {
  for (const columns of model.process) {
    const readings = readingsOf(columns);
    const span = (columns.t.at(-1) ?? 0) - (columns.t[0] ?? 0);
    const total = readings.reduce((sum, { ms }) => sum + ms, 0);
    const share = span > 0 ? total / span : 0;
    const usual = median(readings.map(({ ms }) => ms).sort((a, b) => a - b));
    if (readings.length < FEWEST_READINGS) continue;
    if (share < TIME_SHARE && usual < budget_ms) continue;
    const longest = readings.reduce((most, one) => (one.ms > most.ms ? one : most));
    const cheap = Math.max(
      Math.ceil(total / readings.length / TIME_SHARE / 1000),
      Math.ceil((2 * span) / readings.length / 1000),
    );
    return {
      id: 'pss_cost',
      severity: usual >= budget_ms ? 'warning' : 'info',
      title: `Reading PSS takes ${milliseconds(usual)} and disturbs the game`,
      detail: `A reading holds the memory lock of the process, so threads that allocate or map memory wait for it: ${percent(share)} of the time in all. Hitches and CPU use near a reading may be those of the measurement. Record again with --pss-interval ${cheap}s; RSS is still measured each second.`,
      evidence: [
        { label: 'usual reading', value: rounded(usual), unit: 'ms' },
        { label: 'readings', value: readings.length },
        { label: 'longest reading', t: longest.t, duration_ms: rounded(longest.ms) },
      ],
      impact: total / budget_ms,
    };
  }
  return null;
};

/** Between readings, samples repeat the last one with its cost. Two readings rarely have the same bytes and the same cost. */
function readingsOf({ t, pss_bytes, pss_cost_ms }: ProcessColumns): Reading[] {
  const isNew = (i: number): boolean =>
    pss_cost_ms[i] !== pss_cost_ms[i - 1] || pss_bytes[i] !== pss_bytes[i - 1];
  return Array.from(t.keys())
    .filter((i) => !Number.isNaN(pss_cost_ms[i] ?? Number.NaN) && isNew(i))
    .map((i) => ({ t: t[i] ?? 0, ms: pss_cost_ms[i] ?? 0 }));
}
