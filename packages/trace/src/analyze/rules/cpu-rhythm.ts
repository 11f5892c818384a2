// CPU use that rises and falls at regular intervals: a timer, or a cycle of the game.
import type { ProcessColumns } from '../../model/trace-model.ts';
import { type Rhythm, rhythmOf } from '../../times/rhythm.ts';
import { milliseconds, percent, type Rule, rounded } from '../findings/finding.ts';
import { START_UP_MS } from '../findings/start-up.ts';

/**
 * Random series of eight kinds, among them steady, drifting and with rare spikes: none of 12,000 of each kind had this agreement at
 * 90 and at 120 points, and none of 4,000 at 400 points.
 */
const LOWEST_AGREEMENT = 0.65;
/** A smaller difference between the busiest and the quietest part of a period, in percent of one core, costs little. */
const SMALLEST_SWING = 10;
/** The number of parts of a period that are compared. More are too short for a sample a second. */
const MOST_PARTS = 20;
/** The number of peaks in the evidence. A rhythm has at least five. */
const PEAKS = 4;

/** The averages of the quietest and the busiest part of a period, and the middle of the first busiest one. */
type Swing = { readonly low: number; readonly high: number; readonly peak: number };

export const cpuRhythm: Rule = ({ model }) => {
  for (const columns of model.process) {
    const { t, cpu_percent } = afterStartUp(columns);
    const rhythm = rhythmOf(t, cpu_percent);
    if (rhythm === null || rhythm.agreement < LOWEST_AGREEMENT) continue;
    const { low, high, peak } = swingOf(t, cpu_percent, rhythm);
    if (high - low < SMALLEST_SWING) continue;
    const peaks = Array.from({ length: PEAKS }, (_, i) => peak + i * rhythm.period);
    return {
      id: 'cpu_rhythm',
      severity: 'info',
      title: `CPU use rises and falls every ${milliseconds(rhythm.period)}`,
      detail: `It swings between about ${Math.round(low)} and ${Math.round(high)} % of one core, and one period agrees with the next by ${percent(rhythm.agreement)}. Something runs on a timer or in a cycle, such as an autosave, a garbage collection, a poll of the network or waves of enemies. Look for work with this interval at the peaks, and spread it over time if it delays frames.`,
      evidence: [
        { label: 'period', value: rounded(rhythm.period), unit: 'ms' },
        { label: 'agreement', value: rounded(rhythm.agreement * 100), unit: '%' },
        { label: 'busiest part', value: rounded(high), unit: '% of one core' },
        { label: 'quietest part', value: rounded(low), unit: '% of one core' },
        ...peaks.map((at) => ({ label: 'peak', t: rounded(at) })),
      ],
      impact: high - low,
    };
  }
  return null;
};

/** The known samples after start-up. */
function afterStartUp({ t, cpu_percent }: ProcessColumns) {
  const kept = Array.from(t.keys()).filter(
    (i) => (t[i] ?? 0) >= START_UP_MS && !Number.isNaN(cpu_percent[i] ?? Number.NaN),
  );
  return {
    t: kept.map((i) => t[i] ?? 0),
    cpu_percent: kept.map((i) => cpu_percent[i] ?? 0),
  };
}

/** Lays all periods on each other, and averages each part. */
function swingOf(t: readonly number[], value: readonly number[], { period }: Rhythm): Swing {
  const from = t[0] ?? 0;
  const step = ((t.at(-1) ?? 0) - from) / (t.length - 1);
  const parts = Math.max(2, Math.min(MOST_PARTS, Math.floor(period / step)));
  const groups = Map.groupBy(t.keys(), (i) =>
    Math.floor(((((t[i] ?? 0) - from) % period) / period) * parts),
  );
  const means = [...groups].map(([part, samples]) => ({
    part,
    mean: samples.reduce((sum, i) => sum + (value[i] ?? 0), 0) / samples.length,
  }));
  const ascending = means.sort((a, b) => a.mean - b.mean || b.part - a.part);
  const busiest = ascending.at(-1);
  return {
    low: ascending[0]?.mean ?? 0,
    high: busiest?.mean ?? 0,
    peak: from + (((busiest?.part ?? 0) + 0.5) / parts) * period,
  };
}
