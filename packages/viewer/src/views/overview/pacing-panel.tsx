// Frame pacing at a glance: figures, how many frames kept the budget, and the longest frames over time.
import type { Pacing } from '@svc/trace';
import { ChartCanvas } from '../../controls/chart-canvas.tsx';
import { formatCount, formatMs, formatShare } from '../../format/numbers.ts';
import { showMoment } from '../moment/moment-dialog.tsx';
import { longestFrame } from '../timeline/layout/longest-frame.ts';
import { timeline } from '../timeline/timeline-state.ts';
import type { OverviewView } from './derive-overview.ts';
import { drawPacing } from './draw-pacing.ts';
import { Panel } from './panel.tsx';

export function FramePacing({ overview }: { readonly overview: OverviewView }) {
  const { pacing } = overview;
  if (pacing.length === 0) return null;
  return (
    <Panel title="Frame pacing" leadsTo="frames">
      {pacing.map((one) => (
        <SourcePacing key={one.source} pacing={one} named={pacing.length > 1} />
      ))}
    </Panel>
  );
}

type Props = { readonly pacing: Pacing; readonly named: boolean };

function SourcePacing({ pacing, named }: Props) {
  const { stats, classes, source } = pacing;
  const fps = (value: number | null): string => (value === null ? '–' : value.toFixed(1));
  return (
    <div class="glance-pacing">
      {named && <h4>{source}</h4>}
      <dl class="glance-figures">
        <Pair name="average" value={`${fps(stats.average_fps)} fps`} />
        <Pair name="1 % low" value={`${fps(stats.low_1_percent_fps)} fps`} />
        <Pair name="p95" value={formatMs(stats.p95_ms)} />
        <Pair name="longest" value={formatMs(stats.max_ms)} />
      </dl>
      <ChartCanvas
        label={`The longest frames over time; ${formatCount(stats.over_budget)} of ${formatCount(stats.count)} frames are over budget`}
        least={68}
        most={68}
        draw={(pen, size, colours) => drawPacing(pen, pacing, { size, colours })}
        of={[pacing]}
        title="Click a frame to see what happened in it"
        choose={(place) => showFrameAt(pacing, place)}
      />
      <Classes classes={classes} stats={stats} />
    </div>
  );
}

/** Bars are about two pixels wide, so those beside the click count, too. */
const BARS_AROUND = 1;

/** Shows the longest frame near a place of the chart. */
function showFrameAt({ source, from_ms, part_ms, longest }: Pacing, place: number): void {
  const bar = Math.floor(place * longest.length);
  const range = {
    from: from_ms + (bar - BARS_AROUND) * part_ms,
    to: from_ms + (bar + 1 + BARS_AROUND) * part_ms,
  };
  const frame = timeline.value === null ? null : longestFrame(timeline.value, range, source);
  if (frame !== null) showMoment(frame);
}

function Pair({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** The name and the colour of each class of frames. */
const CLASSES = [
  ['within the budget', 'swatch-frame-within'],
  ['up to 2 budgets', 'swatch-frame-over'],
  ['longer', 'swatch-frame-far'],
] as const;

function Classes({ classes, stats }: Pick<Pacing, 'classes' | 'stats'>) {
  return (
    <ul class="legend glance-classes">
      {CLASSES.map(([name, swatch], index) => (
        <li key={name}>
          <i class={swatch} />
          {name} <b>{stats.count === 0 ? '–' : formatShare((classes[index] ?? 0) / stats.count)}</b>
        </li>
      ))}
    </ul>
  );
}
