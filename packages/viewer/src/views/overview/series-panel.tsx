// CPU and memory of the overview: a sparkline with the trend in words.
import { goTo } from '../../controls/go-to.ts';
import { MemoryLine } from '../../controls/memory-line.tsx';
import { Sparkline } from '../../controls/sparkline.tsx';
import type { OverviewView } from './derive-overview.ts';
import { Panel, Row } from './panel.tsx';

type Props = { readonly overview: OverviewView };

const TO_TIMELINE = { title: 'Show it on the timeline', choose: () => goTo('timeline') };

export function Cpu({ overview: { cpu } }: Props) {
  if (cpu === null) return null;
  const { mean, p95, max } = cpu.stats;
  return (
    <Panel title="CPU" note="of one core" leadsTo="timeline">
      <ul class="plain">
        <Row {...TO_TIMELINE}>
          <Sparkline
            label={`CPU, ${percent(cpu.stats.min)} to ${percent(max)}`}
            points={cpu.points}
          />
          <span class="glance-main wrap-anywhere">
            {`${percent(mean)} on average, 95th percentile ${percent(p95)}, at most ${percent(max)}.`}
          </span>
        </Row>
      </ul>
    </Panel>
  );
}

export function Memory({ overview: { memory, leak } }: Props) {
  if (memory.length === 0 && leak === null) return null;
  return (
    <Panel title="Memory" leadsTo="memory">
      <ul class="plain">
        {leak !== null && (
          <Row title="Show what leaks" choose={() => goTo('memory')}>
            <b class="glance-main wrap-anywhere">{leak}</b>
          </Row>
        )}
        {memory.map((trend) => (
          <Row key={`${trend.source} ${trend.label}`} {...TO_TIMELINE}>
            <MemoryLine trend={trend} textClass="glance-main" />
          </Row>
        ))}
      </ul>
    </Panel>
  );
}

function percent(value: number): string {
  return `${value.toFixed(0)} %`;
}
