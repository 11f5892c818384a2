// The latest sample of the session as figures.

import { connection, status } from '../../client/session.ts';
import { Figure } from '../../controls/figure.tsx';
import { formatBytes, formatMs } from '../../format/numbers.ts';
import { followsAgent } from '../../traces/open-traces.ts';

export function LiveFigures() {
  const session = status.value;
  const metric = session?.metric ?? null;
  if (session === null || metric === null || !followsAgent.value) return null;
  const over = connection.value === 'ended';
  const pss = session.capabilities.pss;
  return (
    <dl class="figures" aria-label={over ? 'Last sample' : 'Latest sample'}>
      <Figure
        name="CPU"
        value={metric.cpu_percent === null ? '–' : `${metric.cpu_percent.toFixed(1)} %`}
      >
        of one core
      </Figure>
      <Figure name="RSS" value={formatBytes(metric.rss_bytes)}>
        resident memory
      </Figure>
      <Figure name="PSS" value={formatBytes(metric.pss_bytes)}>
        {metric.pss_bytes !== null ? 'proportional share' : (pss.reason ?? 'not read yet')}
      </Figure>
      <Figure name={over ? 'Recorded' : 'Recording'} value={formatMs(metric.t)}>
        {session.target?.name ?? ''}
      </Figure>
    </dl>
  );
}
