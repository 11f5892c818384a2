// A memory series as a small line with its trend in words. The overview and the memory view show the same.
import { type MemoryTrend, memoryTrendText } from '@svc/trace';
import { formatBytes } from '../format/numbers.ts';
import { Sparkline } from './sparkline.tsx';

type Props = {
  readonly trend: MemoryTrend;
  /** Classes of the text. */
  readonly textClass?: string;
};

export function MemoryLine({ trend, textClass = '' }: Props) {
  const { label, stats, points, direction } = trend;
  return (
    <>
      <Sparkline
        label={`${label}, ${formatBytes(stats.min)} to ${formatBytes(stats.max)}`}
        points={points}
        grows={direction === 'rising'}
      />
      <span class={`wrap-anywhere ${textClass}`}>{memoryTrendText(trend)}</span>
    </>
  );
}
