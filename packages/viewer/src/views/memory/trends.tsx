// The memory series, each with a small line and its trend in words.
import { type MemoryTrend, memoryTrendText } from '@svc/trace';
import { Sparkline } from '../../controls/sparkline.tsx';
import { formatBytes } from '../../format/numbers.ts';

export function Trends({ trends }: { readonly trends: readonly MemoryTrend[] }) {
  if (trends.length === 0) return null;
  return (
    <section class="memory-section" aria-label="By time">
      <h3>By time</h3>
      <ul class="plain memory-trends">
        {trends.map((trend) => (
          <li key={`${trend.source} ${trend.label}`}>
            <Sparkline
              label={`${trend.label}, ${formatBytes(trend.stats.min)} to ${formatBytes(trend.stats.max)}`}
              points={trend.points}
              grows={trend.direction === 'rising'}
            />
            <span class="wrap-anywhere">{memoryTrendText(trend)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
