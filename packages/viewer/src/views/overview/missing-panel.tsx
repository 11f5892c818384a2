// What the trace does not contain, and how to record it.
import type { OverviewView } from './derive-overview.ts';
import { Panel } from './panel.tsx';

export function Missing({ overview: { missing } }: { readonly overview: OverviewView }) {
  if (missing.length === 0) return null;
  return (
    <Panel title="Not in this trace">
      <dl class="glance-missing">
        {missing.map(({ id, what, how }) => (
          <div key={id}>
            <dt class="wrap-anywhere">{what}</dt>
            <dd>{how}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
