// CPU use of several cores that stays at its ceiling: the machine is the limit.
import { percent, type Rule, rounded } from '../findings/finding.ts';

const FEWEST_SAMPLES = 10;
/** Below this, a single thread is the limit, which is another finding. */
const LOWEST_PERCENT = 180;
/** Samples above this fraction of the highest value are at the ceiling … */
const CEILING_SHARE = 0.95;
/** … if they are at least this fraction of all samples. */
const TIME_SHARE = 0.6;

export const cpuSaturation: Rule = ({ model }) => {
  for (const { t, cpu_percent } of model.process) {
    const known = Array.from(t.keys()).filter((i) => !Number.isNaN(cpu_percent[i] ?? Number.NaN));
    const top = known.reduce((most, i) => Math.max(most, cpu_percent[i] ?? 0), 0);
    const ceiling = known.filter((i) => (cpu_percent[i] ?? 0) >= top * CEILING_SHARE);
    if (known.length < FEWEST_SAMPLES || top < LOWEST_PERCENT) continue;
    if (ceiling.length < known.length * TIME_SHARE) continue;
    return {
      id: 'cpu_saturation',
      severity: 'warning',
      title: `CPU use stays at its ceiling of ${Math.round(top)} % for ${percent(ceiling.length / known.length)} of the time`,
      detail: `About ${Math.round(top / 100)} cores are fully used and CPU use does not rise further, so threads wait for the CPU. Reduce the work that scales with cores (physics, culling, decoding), or give the process more cores.`,
      evidence: [
        { label: 'highest CPU use', value: rounded(top), unit: '% of one core' },
        { label: 'at the ceiling from', t: t[ceiling[0] ?? 0] ?? 0 },
      ],
      impact: ceiling.length,
    };
  }
  return null;
};
