// The tables of `svc trace info`: measured series and frame times, on a terminal with a small picture of each.
import {
  bytesText,
  type FrameTimes,
  MEMORY_COUNTERS,
  type SeriesInfo,
  type TraceInfo,
} from '@svc/trace';
import stringWidth from 'string-width';
import { type Curve, type SparklineShape, sparkline } from '../../output/sparkline.ts';
import { type Column, formatTable } from '../../output/table.ts';
import { formatCount, formatDuration } from '../../output/text.ts';

/** Widest picture, and the narrowest that shows anything. */
const WIDEST = 60;
const NARROWEST = 8;
/** The widest name of a counter. */
const NAME_COLUMNS = 32;

/** The width of the terminal, or null if the output is not one. */
export type Terminal = { readonly columns: number } | null;

type Row = { readonly cells: readonly string[]; readonly curve: Curve } & Pick<
  SparklineShape,
  'fold' | 'floor'
>;

/** The tables, each after an empty line. No lines without series and frames. */
export function formatMeasured(info: TraceInfo, terminal: Terminal): string[] {
  const to = info.duration_ms ?? 0;
  return [
    ...withPictures(SERIES_COLUMNS, seriesRows(info), to, terminal),
    ...seriesRemarks(info),
    ...withPictures(FRAME_COLUMNS, frameRows(info), to, terminal),
    ...info.frame_times.flatMap(frameRemarks),
  ];
}

const SERIES_COLUMNS: readonly Column[] = [
  { title: 'measured', max: NAME_COLUMNS },
  { title: 'min', align: 'right' },
  { title: 'mean', align: 'right' },
  { title: 'p95', align: 'right' },
  { title: 'max', align: 'right' },
  { title: 'change a minute (95 %)' },
];

const OVER_TIME: Column = { title: 'over time' };

const FRAME_COLUMNS: readonly Column[] = [
  { title: 'frames' },
  { title: 'count', align: 'right' },
  { title: 'average', align: 'right' },
  { title: '1 % low', align: 'right' },
  { title: 'p95', align: 'right' },
  { title: 'p99', align: 'right' },
  { title: 'longest', align: 'right' },
  { title: 'hitches', align: 'right' },
];

/** The fields of process records and the reserved counters, as people know them. */
const NAMES: Readonly<Record<string, string>> = {
  cpu_percent: 'CPU of one core',
  rss_bytes: 'RSS',
  pss_bytes: 'PSS',
  threads: 'threads',
  ...MEMORY_COUNTERS,
  io_read_bytes: 'read from disk',
};

function seriesRows({ series, sources, curves }: TraceInfo): Row[] {
  return series.map((one, i): Row => {
    const { min, mean, p95, max, unit } = one;
    const name = Object.hasOwn(NAMES, one.name) ? NAMES[one.name] : one.name;
    return {
      cells: [
        sources.length > 1 ? `${name} (${one.source})` : (name ?? ''),
        ...[min, mean, p95, max].map((value) => formatValue(value, unit)),
        changeText(one),
      ],
      curve: curves.series[i] ?? { t: [], value: [] },
      fold: 'mean',
      floor: unit === '%' || one.name === 'threads' ? 'zero' : 'lowest',
    };
  });
}

function frameRows({ frame_times, curves }: TraceInfo): Row[] {
  return frame_times.map((one, i) => ({
    cells: [
      one.source,
      formatCount(one.count),
      fpsText(one.average_fps),
      fpsText(one.low_1_percent_fps),
      ...[one.p95_ms, one.p99_ms, one.max_ms].map((ms) => (ms === null ? '' : formatDuration(ms))),
      formatCount(one.hitches),
    ],
    curve: curves.frame_times[i] ?? { t: [], value: [] },
    fold: 'max',
    floor: 'zero',
  }));
}

/** Pictures are beside the rows, or below them on a terminal that is not wide enough. */
function withPictures(
  columns: readonly Column[],
  rows: readonly Row[],
  to: number,
  terminal: Terminal,
): string[] {
  if (rows.length === 0) return [];
  const plain = formatTable(
    columns,
    rows.map(({ cells }) => cells),
  );
  if (terminal === null) return ['', ...plain];
  const picture = ({ curve, fold, floor }: Row, room: number): string =>
    sparkline(curve, { columns: Math.min(WIDEST, room), to, fold, floor });
  const room = terminal.columns - widthOf(plain) - 2;
  if (room >= NARROWEST) {
    const beside = rows.map((row) => [...row.cells, picture(row, room)]);
    return ['', ...formatTable([...columns, OVER_TIME], beside)];
  }
  const [names = { title: '' }] = columns;
  const labels = formatTable(
    [names],
    rows.map(({ cells }) => cells.slice(0, 1)),
  );
  const left = terminal.columns - widthOf(labels) - 2;
  if (left < NARROWEST) return ['', ...plain];
  const below = rows.map((row) => [row.cells[0] ?? '', picture(row, left)]);
  return ['', ...plain, '', ...formatTable([names, OVER_TIME], below)];
}

function widthOf(lines: readonly string[]): number {
  return Math.max(...lines.map((line) => stringWidth(line)));
}

function seriesRemarks({ series, counters_left_out }: TraceInfo): string[] {
  const most = Math.max(1, ...series.map((one) => one.values_per_bucket));
  return [
    ...(most === 1
      ? []
      : [
          `p95 and change of long series are those of averages of up to ${formatCount(most)} values.`,
        ]),
    ...(counters_left_out === 0
      ? []
      : [
          `${formatCount(counters_left_out)} ${counters_left_out === 1 ? 'record of further counters is' : 'records of further counters are'} not shown.`,
        ]),
  ];
}

function frameRemarks({ left_out, exact, source }: FrameTimes): string[] {
  return [
    ...(left_out === 0
      ? []
      : [
          left_out === 1
            ? `1 frame (${source}) overlaps a loss and is not counted.`
            : `${formatCount(left_out)} frames (${source}) overlap a loss and are not counted.`,
        ]),
    ...(exact ? [] : [`The percentiles and the 1 % low (${source}) are within 0.4 %.`]),
  ];
}

function changeText({ trend, slope_per_minute, unit }: SeriesInfo): string {
  if (trend === null || slope_per_minute === null) return 'unknown';
  if (trend === 'flat') return 'flat';
  const { slope, low, high } = slope_per_minute;
  const change = formatValue(slope, unit);
  const signed = `${slope > 0 ? '+' : ''}${change}`;
  return unit === 'bytes' ? `${signed} (${rangeText(low, high, unitOf(change))})` : signed;
}

/** Two sizes. Their unit is left out if it is `known`, and is written once if both have the same one. */
function rangeText(low: number, high: number, known: string): string {
  const [from, to] = [bytesText(low), bytesText(high)];
  const same = unitOf(from) === unitOf(to);
  const shown = (text: string): string => text.slice(0, text.indexOf(' '));
  return `${same ? shown(from) : from} to ${same && unitOf(to) === known ? shown(to) : to}`;
}

function unitOf(size: string): string {
  return size.slice(size.indexOf(' ') + 1);
}

function formatValue(value: number, unit: string): string {
  if (unit === 'bytes') return bytesText(value);
  const size = Math.abs(value);
  const digits = size >= 100 ? size.toFixed(0) : String(Math.round(size * 10) / 10);
  return `${value < 0 ? '−' : ''}${digits}${unit === 'count' || unit === '' ? '' : ` ${unit}`}`;
}

function fpsText(fps: number | null): string {
  return fps === null ? '' : `${fps.toFixed(1)} fps`;
}
