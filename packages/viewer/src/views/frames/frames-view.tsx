// The frames view: statistics with their formulas, a histogram of frame times, and the worst frames.
import { useSignal } from '@preact/signals';
import { FRAME_FORMULAS, type Hitch } from '@svc/trace';
import { engineFor } from '../../client/engine-client.ts';
import { status } from '../../client/session.ts';
import { useAnswer } from '../../client/use-answer.ts';
import { BudgetField } from '../../controls/budget-field.tsx';
import { ChartCanvas, type ChartSize } from '../../controls/chart-canvas.tsx';
import { ChartMenu } from '../../controls/chart-menu.tsx';
import { numberColumn } from '../../controls/columns.tsx';
import { type Column, DataTable } from '../../controls/data-table.tsx';
import { Empty } from '../../controls/empty.tsx';
import { Figure } from '../../controls/figure.tsx';
import { Pending } from '../../controls/pending.tsx';
import type { Pen } from '../../draw/pen.ts';
import type { Colours } from '../../draw/tokens.ts';
import { formatClock, formatCount, formatMs, formatShare } from '../../format/numbers.ts';
import { probeNote } from '../../format/probe-note.ts';
import { budgetMs, selection } from '../../state/address.ts';
import { colours } from '../../state/theme.ts';
import { fileStem } from '../../traces/export-trace.ts';
import { has, mainTrace } from '../../traces/open-traces.ts';
import { BoundsLine } from '../bounds/bounds-line.tsx';
import { showMoment } from '../moment/moment-dialog.tsx';
import type { FrameCalls, FramesOfSource } from './derive-frames.ts';
import { drawHistogram, HISTOGRAM_HEIGHT } from './draw-histogram.ts';
import { type HistogramRow, histogramRows } from './histogram-rows.ts';
import './frames.css';

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
      <BoundsLine />
      <div class="toolbar">
        <BudgetField />
      </div>
      {sources.map((one) => (
        <SourceFrames key={one.source} frames={one} named={sources.length > 1} />
      ))}
    </div>
  );
}

type SourceProps = { readonly frames: FramesOfSource };

function SourceFrames({ frames, named }: SourceProps & { readonly named: boolean }) {
  return (
    <section class="frames-source" aria-label={`Frames, ${frames.source}`}>
      <h2 class={named ? undefined : 'visually-hidden'}>{frames.source}</h2>
      <Numbers frames={frames} />
      <div class="frames-charts">
        <FrameTimes frames={frames} />
        <Hitches frames={frames} />
      </div>
    </section>
  );
}

function FrameTimes({ frames: { stats, histogram } }: SourceProps) {
  const asTable = useSignal(false);
  const draw = (pen: Pen, size: ChartSize, shown: Colours): void =>
    drawHistogram(pen, histogram, { budgetMs: stats.budget_ms, ...size, colours: shown });
  const size = { width: 900, height: HISTOGRAM_HEIGHT.least };
  return (
    <div>
      <div class="subbar">
        <h3>Frame times</h3>
        <span class="spring" />
        <ChartMenu
          name={`${fileStem(mainTrace.value?.name ?? 'trace')}-frames`}
          table={asTable}
          size={() => size}
          draw={(pen) => draw(pen, size, colours.value)}
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
          {...HISTOGRAM_HEIGHT}
          draw={draw}
          of={[histogram, stats.budget_ms]}
        />
      )}
    </div>
  );
}

function Hitches({ frames }: SourceProps) {
  const { hitches, hitchCount, stats } = frames;
  return (
    <div>
      <div class="subbar">
        <h3>Hitches, worst first</h3>
        {hitchCount > 0 && <p class="hint">{hitchText(frames)}</p>}
      </div>
      {hitches.length === 0 ? (
        <p class="hint">
          No frame took more than 5 % longer than the budget of {formatMs(stats.budget_ms)}.
        </p>
      ) : (
        <DataTable
          label="Hitches, worst first"
          columns={HITCH_COLUMNS}
          rows={hitches}
          rowKey={(row) => row.index}
          choose={(row) => showMoment({ from: row.start_ms, to: row.start_ms + row.duration_ms })}
        />
      )}
    </div>
  );
}

function hitchText({ hitches, hitchCount }: FramesOfSource): string {
  const frames = hitchCount === 1 ? '1 frame' : `${formatCount(hitchCount)} frames`;
  const listed =
    hitches.length < hitchCount ? `, the worst ${formatCount(hitches.length)} listed` : '';
  return `${frames} more than 5 % over budget${listed}. Press N and P to go through them`;
}

function Numbers({ frames: { stats } }: { readonly frames: FramesOfSource }) {
  const fps = (value: number | null): string => (value === null ? '–' : value.toFixed(1));
  const figures: [string, string, string][] = [
    ['Average fps', fps(stats.average_fps), FRAME_FORMULAS.average_fps],
    ['1 % low fps', fps(stats.low_1_percent_fps), FRAME_FORMULAS.low_1_percent_fps],
    ['p50', formatMs(stats.p50_ms), 'half of the frames are at most this long'],
    ['p90', formatMs(stats.p90_ms), '90 % are at most this long'],
    ['p95', formatMs(stats.p95_ms), '95 % are at most this long'],
    ['p99', formatMs(stats.p99_ms), '99 % are at most this long'],
    ['p99.9', formatMs(stats.p99_9_ms), '99.9 % are at most this long'],
    [
      'Longest',
      formatMs(stats.max_ms),
      stats.count === 1 ? 'of 1 frame' : `of ${formatCount(stats.count)} frames`,
    ],
    [
      'Over budget',
      formatCount(stats.over_budget),
      `by more than 5 %; ${formatShare(stats.count === 0 ? 0 : stats.over_budget / stats.count)} of frames, ${formatMs(stats.over_budget_ms)} over budget in total`,
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
        {stats.left_out > 0 && ` ${formatCount(stats.left_out)} frames in gaps are not counted.`}
        {selection.value !== null && ' Only the selected time range.'}
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
  numberColumn('duration', 'Frame time', (row) => row.duration_ms, { format: formatMs }),
  numberColumn('over', 'Over budget', (row) => row.over_ms, { format: formatMs }),
  numberColumn('frame', 'Frame', (row) => row.index + 1, { format: formatCount }),
];

const BIN_COLUMNS: readonly Column<HistogramRow>[] = [
  numberColumn('from', 'From', (row) => row.from, { format: formatMs }),
  numberColumn('to', 'Below', (row) => row.to, { format: formatMs }),
  numberColumn('count', 'Frames', (row) => row.count, { format: formatCount }),
  numberColumn('share', 'Share', (row) => row.share, { format: formatShare }),
];

function NoFrames() {
  const note = probeNote('frames', status.value);
  return (
    <Empty title="No frames in this trace">
      {note ?? (
        <>
          <code>svc dashboard --pid PID --probes frames</code> records the frames of a native game
          that uses OpenGL. Open the log of MangoHud or PresentMon for other native games.
        </>
      )}{' '}
      <code>svc record URL</code> records a browser game.
    </Empty>
  );
}
