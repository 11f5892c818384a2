// CPU and memory of the overview: a sparkline with the trend in words.
import { memoryTrendText, type SeriesPoint } from '@svc/trace';
import { goTo } from '../../controls/go-to.ts';
import { Sparkline } from '../../controls/sparkline.tsx';
import { formatBytes } from '../../format/numbers.ts';
import type { OverviewView } from './derive-overview.ts';
import { Panel, Row } from './panel.tsx';

type Props = { readonly overview: OverviewView };

export function Cpu({ overview: { cpu } }: Props) {
  if (cpu === null) return null;
  const { mean, p95, max } = cpu.stats;
  return (
    <Panel title="CPU" note="of one core" leadsTo="timeline">
      <ul class="plain">
        <Series
          name={`CPU, ${percent(cpu.stats.min)} to ${percent(max)}`}
          points={cpu.points}
          text={`${percent(mean)} on average, 95th percentile ${percent(p95)}, at most ${percent(max)}.`}
        />
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
          <Series
            key={`${trend.source} ${trend.label}`}
            name={`${trend.label}, ${formatBytes(trend.stats.min)} to ${formatBytes(trend.stats.max)}`}
            points={trend.points}
            text={memoryTrendText(trend)}
            grows={trend.direction === 'rising'}
          />
        ))}
      </ul>
    </Panel>
  );
}

type SeriesProps = {
  readonly name: string;
  readonly text: string;
  readonly points: readonly SeriesPoint[];
  readonly grows?: boolean;
};

function Series({ name, text, points, grows = false }: SeriesProps) {
  return (
    <Row title="Show it on the timeline" choose={() => goTo('timeline')}>
      <Sparkline label={name} points={points} grows={grows} />
      <span class="glance-main wrap-anywhere">{text}</span>
    </Row>
  );
}

function percent(value: number): string {
  return `${value.toFixed(0)} %`;
}
