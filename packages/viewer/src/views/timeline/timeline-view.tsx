// The timeline view: the latest figures, the overview and all tracks on one axis, or a table.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { BudgetField } from '../../controls/budget-field.tsx';
import { ChartMenu } from '../../controls/chart-menu.tsx';
import { Empty } from '../../controls/empty.tsx';
import { formatClock, formatCount, formatMs } from '../../format/numbers.ts';
import { fileStem } from '../../traces/export-trace.ts';
import { has, mainTrace } from '../../traces/open-traces.ts';
import { BoundsLine } from '../bounds/bounds-line.tsx';
import { drawTimeline } from './draw/draw-timeline.ts';
import { LiveFigures } from './live-figures.tsx';
import { Overview } from './overview.tsx';
import { picture } from './picture.ts';
import { hasSecond, SecondPanel } from './second-panel.tsx';
import type { Gap } from './timeline-data.ts';
import { rows, timeline } from './timeline-state.ts';
import { TimelineTable } from './timeline-table.tsx';
import { BandLegend } from './track-label.tsx';
import { Tracks } from './tracks.tsx';
import { useTrackRoom } from './use-track-room.ts';
import { writeNote } from './write-note.ts';
import './timeline.css';

/** The maximum number of losses that are listed. */
const MOST_LOSSES = 5;

export function TimelineView() {
  const asTable = useSignal(false);
  const data = timeline.value;
  const view = useRef<HTMLDivElement>(null);
  const hasTracks = data !== null && data.tracks.length > 0;
  useTrackRoom(view, [hasTracks, asTable.value, hasSecond()]);
  return (
    <div ref={view} class="timeline">
      {data === null || data.tracks.length === 0 ? (
        <>
          <LiveFigures />
          {data !== null && <NothingTimed gaps={data.gaps} />}
        </>
      ) : (
        <>
          <div class="timeline-head">
            <LiveFigures />
            {has('frames') && <BoundsLine />}
            <div class="toolbar">
              <p class="hint keys">
                The wheel zooms, drag selects, Shift+drag moves. ← and → move the crosshair, ↑ and ↓
                zoom. A double click or M opens a frame.
              </p>
              <span class="spring" />
              {has('frames') && <BudgetField />}
              <AddNoteButton />
              <ChartMenu
                name={`${fileStem(mainTrace.value?.name ?? 'trace')}-timeline`}
                table={asTable}
                size={() => ({ width: 1200, height: rows.value.height })}
                draw={(pen) => drawTimeline(pen, picture(1200))}
              />
            </div>
            {has('frames') && !asTable.value && (
              <p class="narrow-legend">
                <BandLegend />
              </p>
            )}
          </div>
          {asTable.value ? (
            <TimelineTable />
          ) : (
            <div class={hasSecond() ? 'timeline-body with-second' : 'timeline-body'}>
              <div class="timeline-tracks">
                <Overview />
                <Tracks />
              </div>
              {hasSecond() && <SecondPanel />}
            </div>
          )}
        </>
      )}
    </div>
  );
}

function AddNoteButton() {
  return (
    <button
      type="button"
      class="button small"
      title="A note about the selection, else about the crosshair. It is stored in the trace. (A)"
      onClick={writeNote}
    >
      Add a note
    </button>
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
      <Empty title="Only losses were recorded">
        {lost.slice(0, MOST_LOSSES).join(', ')}
        {more > 0 && ` and ${formatCount(more)} more`}.
      </Empty>
    );
  }
  return (
    <Empty title="This trace has no times">
      {mainTrace.value?.format === 'folded'
        ? 'Folded stacks have weights but no times. Use the Stacks tab. To see a timeline, record with svc dashboard --pid or with the collector in your game.'
        : 'This trace has no samples, frames, assets or marks. A new recording shows its first sample within a second.'}
    </Empty>
  );
}
