// The recording is too short for conclusions.
import { treeTotal } from '../../stacks/frame-sums.ts';
import { milliseconds, type Rule, rounded } from '../findings/finding.ts';

const SHORTEST_MS = 10_000;
const FEWEST_SAMPLES = 100;

export const shortTrace: Rule = ({ model, duration_ms, stats }) => {
  const weights = model.stacks.map(({ tree }) => Number(treeTotal(tree)) / 10 ** tree.decimals);
  const samples = weights.reduce((most, weight) => Math.max(most, weight), 0);
  const timed = stats !== null || model.process.length > 0;
  if (timed ? duration_ms >= SHORTEST_MS : samples >= FEWEST_SAMPLES) return null;
  return {
    id: 'short_trace',
    severity: 'info',
    title: timed
      ? `The recording lasts only ${milliseconds(duration_ms)}`
      : 'There are too few samples',
    detail: timed
      ? 'Rare hitches, memory growth and periodic hitches cannot be detected in a short recording. Record at least ten seconds of normal play, or a minute to measure memory.'
      : 'Percentages of few samples are mostly chance. Sample longer or more often.',
    evidence: timed
      ? [{ label: 'duration', value: rounded(duration_ms), unit: 'ms' }]
      : [{ label: 'samples', value: rounded(samples) }],
    impact: 0,
  };
};
