// Frames: the numbers with their formulas, how frame times are spread, and the worst of them.

import { useSignal } from '@preact/signals';
import { FRAME_FORMULAS, type Hitch } from '@svc/trace';
import { engineFor } from '../../client/engine-client.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { BudgetField } from '../../controls/budget-field.tsx';
import { ChartCanvas } from '../../controls/chart-canvas.tsx';
import { ChartMenu } from '../../controls/chart-menu.tsx';
import { numberColumn } from '../../controls/columns.tsx';
import { type Column, DataTable } from '../../controls/data-table.tsx';
import { Empty } from '../../controls/empty.tsx';
import { Figure } from '../../controls/figure.tsx';
import { Pending } from '../../controls/pending.tsx';
import { formatClock, formatCount, formatMs, formatShare } from '../../format/numbers.ts';
import { budgetMs, selection } from '../../state/address.ts';
import { colours } from '../../state/theme.ts';
import { fileStem } from '../../traces/export-trace.ts';
import { has, mainTrace } from '../../traces/open-traces.ts';
import { showMoment } from '../moment/moment-dialog.tsx';
import type { FramesOfSource } from './derive-frames.ts';
import { drawHistogram, HISTOGRAM_HEIGHT } from './draw-histogram.ts';
import { type HistogramRow, histogramRows } from './histogram-rows.ts';
import './frames.css';
import type { FrameCalls } from './derive-frames.ts';

const engine = engineFor<FrameCalls>();

export function Frames() {
  const range = selection.value;
  const budget = budgetMs.value;
  const { answer: sources, fault } = useAnswer(
    () => engine.call('frames', { slot: 'main', range, budgetMs: budget }),
    [mainTrace.value, range, budget],
  );
  if (!has('frames')) return <NoFrames />;
  if (sources === null) return <Pending fault={fault}>Counting…</Pending>;
  return (
    <div class="frames">
      <div class="toolbar">
        <BudgetField />
      </div>
      {sources.map((one) => (
        <SourceFrames key={one.source} frames={one} named={sources.length > 1} />
      ))}
    </div>
  );
}

function SourceFrames({
  frames,
  named,
}: {
  readonly frames: FramesOfSource;
  readonly named: boolean;
}) {
  const asTable = useSignal(false);
  const { stats, histogram } = frames;
  const name = `${fileStem(mainTrace.value?.name ?? 'trace')}-frames`;
  return (
    <section class="frames-source" aria-label={`Frames, ${frames.source}`}>
      <h2 class={named ? undefined : 'visually-hidden'}>{frames.source}</h2>
      <Numbers frames={frames} />
      <div class="frames-charts">
        <div>
          <div class="subbar">
            <h3>Frame times</h3>
            <span class="spring" />
            <ChartMenu
              name={name}
              table={asTable}
              size={() => ({ width: 900, height: HISTOGRAM_HEIGHT })}
              draw={(pen) => drawHistogram(pen, histogram, stats.budget_ms, 900, colours.value)}
            />
          </div>
          {asTable.value ? (
            <DataTable
              label="Frames by length"
              columns={BIN_COLUMNS}
              rows={histogramRows(histogram, stats.count)}
              rowKey={(row) => row.from}
            />
          ) : (
            <ChartCanvas
              label="Histogram of frame times; the table lists the same"
              height={HISTOGRAM_HEIGHT}
              draw={(pen, width, shown) =>
                drawHistogram(pen, histogram, stats.budget_ms, width, shown)
              }
              of={[histogram, stats.budget_ms]}
            />
          )}
        </div>
        <div>
          <div class="subbar">
            <h3>Hitches, worst first</h3>
            {frames.hitchCount > 0 && <p class="hint">{hitchText(frames)}</p>}
          </div>
          {frames.hitches.length === 0 ? (
            <p class="hint">
              No frame took more than 5 % longer than the budget of {formatMs(stats.budget_ms)}.
            </p>
          ) : (
            <DataTable
              label="Hitches, worst first"
              columns={HITCH_COLUMNS}
              rows={frames.hitches}
              rowKey={(row) => row.index}
              choose={(row) =>
                showMoment({ from: row.start_ms, to: row.start_ms + row.duration_ms })
              }
            />
          )}
        </div>
      </div>
    </section>
  );
}

function hitchText({ hitches, hitchCount }: FramesOfSource): string {
  const frames = hitchCount === 1 ? '1 frame' : `${formatCount(hitchCount)} frames`;
  const listed =
    hitches.length < hitchCount ? `, the worst ${formatCount(hitches.length)} listed` : '';
  return `${frames} more than 5 % over budget${listed}; N and P walk them`;
}

function Numbers({ frames: { stats } }: { readonly frames: FramesOfSource }) {
  const fps = (value: number | null): string => (value === null ? '–' : value.toFixed(1));
  const figures: [string, string, string][] = [
    ['Average fps', fps(stats.average_fps), FRAME_FORMULAS.average_fps],
    ['1 % low fps', fps(stats.low_1_percent_fps), FRAME_FORMULAS.low_1_percent_fps],
    ['p50', formatMs(stats.p50_ms), 'half of the frames are not longer'],
    ['p90', formatMs(stats.p90_ms), '90 % are not longer'],
    ['p95', formatMs(stats.p95_ms), '95 % are not longer'],
    ['p99', formatMs(stats.p99_ms), '99 % are not longer'],
    ['p99.9', formatMs(stats.p99_9_ms), '99.9 % are not longer'],
    [
      'Longest',
      formatMs(stats.max_ms),
      stats.count === 1 ? 'of 1 frame' : `of ${formatCount(stats.count)} frames`,
    ],
    [
      'Over budget',
      formatCount(stats.over_budget),
      `by more than 5 %; ${formatShare(stats.count === 0 ? 0 : stats.over_budget / stats.count)} of frames, ${formatMs(stats.over_budget_ms)} too long in all`,
    ],
  ];
  return (
    <>
      <dl class="figures frame-figures">
        {figures.map(([name, value, note]) => (
          <Figure key={name} name={name} value={value}>
            {note}
          </Figure>
        ))}
      </dl>
      <p class="hint">
        Percentiles by {FRAME_FORMULAS.percentile}.
        {stats.left_out > 0 &&
          ` ${formatCount(stats.left_out)} frames lie in gaps and are left out.`}
        {selection.value !== null && ' Of the selected stretch.'}
      </p>
    </>
  );
}

const HITCH_COLUMNS: readonly Column<Hitch>[] = [
  {
    id: 't',
    head: 'Moment',
    cell: (row) => formatClock(row.start_ms),
    sort: (row) => row.start_ms,
    width: '9rem',
  },
  numberColumn('duration', 'Frame time', (row) => row.duration_ms, formatMs),
  numberColumn('over', 'Over budget', (row) => row.over_ms, formatMs),
  numberColumn('frame', 'Frame', (row) => row.index + 1, formatCount),
];

const BIN_COLUMNS: readonly Column<HistogramRow>[] = [
  numberColumn('from', 'From', (row) => row.from, formatMs),
  numberColumn('to', 'Below', (row) => row.to, formatMs),
  numberColumn('count', 'Frames', (row) => row.count, formatCount),
  numberColumn('share', 'Share', (row) => row.share, formatShare),
];

function NoFrames() {
  return (
    <Empty title="No frames in this trace">
      Put <code>@svc/collector</code> into your game’s page: it notes the length of every frame.
      Then open its .vpt here.
    </Empty>
  );
}
