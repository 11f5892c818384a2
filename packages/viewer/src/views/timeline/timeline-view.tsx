// The timeline: figures of now, the overview, and all tracks on one axis; as a table where wanted.
import { useSignal } from '@preact/signals';
import { BudgetField } from '../../controls/budget-field.tsx';
import { ChartMenu } from '../../controls/chart-menu.tsx';
import { Empty } from '../../controls/empty.tsx';
import { formatClock, formatCount, formatMs } from '../../format/numbers.ts';
import { fileStem } from '../../traces/export-trace.ts';
import { has, mainTrace } from '../../traces/open-traces.ts';
import { drawTimeline } from './draw/draw-timeline.ts';
import { LiveFigures } from './live-figures.tsx';
import { Overview } from './overview.tsx';
import { picture } from './picture.ts';
import type { Gap } from './timeline-data.ts';
import { rows, timeline } from './timeline-state.ts';
import { TimelineTable } from './timeline-table.tsx';
import { BandLegend, Tracks } from './tracks.tsx';
import './timeline.css';

/** As many losses are named where there is nothing else. */
const MOST_LOSSES = 5;

export function TimelineView() {
  const asTable = useSignal(false);
  const data = timeline.value;
  return (
    <div class="timeline">
      <LiveFigures />
      {data === null ? null : data.tracks.length === 0 ? (
        <NothingTimed gaps={data.gaps} />
      ) : (
        <>
          <div class="toolbar">
            <p class="hint keys">
              Wheel zooms, drag selects, Shift and drag moves; arrow keys, + and − work too.
            </p>
            <span class="spring" />
            {has('frames') && <BudgetField />}
            <ChartMenu
              name={`${fileStem(mainTrace.value?.name ?? 'trace')}-timeline`}
              table={asTable}
              size={() => ({ width: 1200, height: rows.value.height })}
              draw={(pen) => drawTimeline(pen, picture(1200))}
            />
          </div>
          {asTable.value ? (
            <TimelineTable />
          ) : (
            <>
              {has('frames') && (
                <p class="narrow-legend">
                  <BandLegend />
                </p>
              )}
              <Overview />
              <Tracks />
            </>
          )}
        </>
      )}
    </div>
  );
}

function NothingTimed({ gaps }: { readonly gaps: readonly Gap[] }) {
  if (gaps.length > 0) {
    const lost = gaps.map(({ t, duration, reason }) =>
      [
        `${reason} at ${formatClock(t)}`,
        ...(duration > 0 ? [`for ${formatMs(duration)}`] : []),
      ].join(' '),
    );
    const more = lost.length - MOST_LOSSES;
    return (
      <Empty title="Nothing was recorded but losses">
        {lost.slice(0, MOST_LOSSES).join(', ')}
        {more > 0 && ` and ${formatCount(more)} more`}.
      </Empty>
    );
  }
  return (
    <Empty title="Nothing here has a time">
      {mainTrace.value?.format === 'folded'
        ? 'Folded stacks say how much, not when. Their place is the Stacks tab. Record with svc dashboard --pid, or with the collector in your game, to see a timeline.'
        : 'This trace holds no samples, frames, assets or marks. A recording that has just begun shows its first sample within a second.'}
    </Empty>
  );
}
