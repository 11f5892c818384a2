// The memory series, each with a small line and its trend in words.
import type { MemoryTrend } from '@svc/trace';
import { MemoryLine } from '../../controls/memory-line.tsx';

export function Trends({ trends }: { readonly trends: readonly MemoryTrend[] }) {
  if (trends.length === 0) return null;
  return (
    <section class="memory-section" aria-label="By time">
      <h3>By time</h3>
      <ul class="plain memory-trends">
        {trends.map((trend) => (
          <li key={`${trend.source} ${trend.label}`}>
            <MemoryLine trend={trend} />
          </li>
        ))}
      </ul>
    </section>
  );
}
