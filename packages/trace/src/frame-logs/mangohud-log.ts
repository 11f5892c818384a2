// Reads a log of MangoHud. docs/vpt.md section 7 has the forms of its versions.
import type { KnownRecord } from '../format/records.ts';
import { notAProfile } from '../profiles/conversion.ts';
import { roundMs } from '../vpt/format-record.ts';
import { describeGpu } from '../vpt/gpu-name.ts';
import { ColumnNames, numberIn } from './column-names.ts';
import { FrameList, isFrameTime } from './frame-list.ts';
import { type FrameLog, type FrameLogReader, type Series, seriesRecords } from './frame-log.ts';
import { SecondMeans } from './second-means.ts';

const GIB = 2 ** 30;
const SERIES: Readonly<Record<string, Series>> = {
  cpu_load: { name: 'CPU load', unit: '%' },
  cpu_power: { name: 'CPU power', unit: 'W' },
  cpu_temp: { name: 'CPU temperature', unit: '°C' },
  cpu_mhz: { name: 'CPU clock', unit: 'MHz' },
  gpu_load: { name: 'GPU load', unit: '%' },
  gpu_power: { name: 'GPU power', unit: 'W' },
  gpu_temp: { name: 'GPU temperature', unit: '°C' },
  gpu_core_clock: { name: 'GPU clock', unit: 'MHz' },
  gpu_mem_clock: { name: 'GPU memory clock', unit: 'MHz' },
  gpu_vram_used: { name: 'GPU memory in use', unit: 'bytes', scale: GIB },
  ram_used: { name: 'RAM in use', unit: 'bytes', scale: GIB },
  swap_used: { name: 'swap in use', unit: 'bytes', scale: GIB },
  process_rss: { name: 'memory of the process', unit: 'bytes', scale: GIB, rss: true },
};

/** The columns of the versions without a header, by their number. Their times are in µs. */
const UNNAMED: Readonly<Record<number, readonly string[]>> = {
  4: ['fps', 'cpu_load', 'gpu_load', 'elapsed'],
  8: [
    ...['fps', 'cpu_load', 'gpu_load', 'cpu_temp', 'gpu_temp'],
    ...['gpu_core_clock', 'gpu_mem_clock', 'elapsed'],
  ],
};

/** If the frames cover less than this part of the log, its rows are samples at an interval. */
const FRAMES_SHARE = 0.5;
/** A frame that began this long before its log is an error of MangoHud: the first frame of a new window. */
const BEFORE_LOG_MS = 10_000;

/** The values of a row; `elapsed` is in ms. NaN: missing. */
type Row = { readonly fps: number; readonly frametime: number; readonly elapsed: number };

export class MangohudLog implements FrameLogReader {
  /** The names in the line before the values of the system, until these arrive. */
  #system: readonly string[] | null = null;
  #gpu = '';
  #names: readonly string[] = [];
  #columns = new ColumnNames([]);
  #unitsPerMs = 0;
  readonly #rows: Row[] = [];
  readonly #means = new SecondMeans();
  #unreadable = 0;
  /** The end of the earlier recordings in the file, in ms. Two that begin in the same second share a file. */
  #earlierMs = 0;

  row(cells: readonly string[]): void {
    if (this.#system !== null) {
      this.#gpu = cells[this.#system.indexOf('gpu')] ?? '';
      this.#system = null;
    } else if (cells[0] === 'os' && cells.includes('gpu')) this.#system = cells;
    else if (cells[0] === 'fps') this.#begin(cells);
    else if (this.#names.length > 0) this.#take(cells);
    else if (numberIn(cells[0]) > 0) {
      this.#begin(UNNAMED[cells.length] ?? []);
      this.#take(cells);
    }
  }

  finish(): FrameLog {
    const rows = this.#rows;
    if (rows.length === 0) {
      throw notAProfile(
        'Cannot read the MangoHud log: it has no frames. Convert the log itself, not the file that ends in _summary.csv',
      );
    }
    const perMs = frametimePerMs(rows);
    const list = new FrameList();
    for (const [i, { frametime, elapsed }] of rows.entries()) {
      const ms = frametime / perMs;
      const step = elapsed - (rows[i - 1]?.elapsed ?? 0);
      const isError = ms > elapsed + BEFORE_LOG_MS || !isFrameTime(ms);
      const duration = isError ? Math.max(0, step) : ms;
      list.push({ time: elapsed, duration: isFrameTime(duration) ? duration : 0 });
    }
    const span = (rows.at(-1)?.elapsed ?? 0) - (rows[0]?.elapsed ?? 0);
    const covered = rows.slice(1).reduce((sum, row) => sum + row.frametime / perMs, 0);
    const isFrames = covered >= span * FRAMES_SHARE;
    const starts = isFrames ? list.starts('end') : sampleTimes(rows);
    const measured = isFrames ? list.records(starts) : sampleRecords(rows, starts, perMs);
    const series = seriesRecords(this.#means.finish(), starts, (column) => this.#seriesOf(column));
    const gpu = describeGpu(this.#gpu);
    return {
      header: { started_at: null, ...(gpu && { gpu }) },
      records: [...measured, ...series],
      unreadable: this.#unreadable,
    };
  }

  #begin(names: readonly string[]): void {
    this.#names = names;
    this.#columns = new ColumnNames(names);
    // Since the frame time is in the log, the elapsed time is in ns. Before, it was in µs.
    this.#unitsPerMs = this.#columns.has('frametime') ? 1e6 : 1000;
    this.#earlierMs = this.#rows.at(-1)?.elapsed ?? 0;
  }

  #take(cells: readonly string[]): void {
    const columns = this.#columns;
    const fps = numberIn(cells[columns.indexOf('fps')]);
    const sinceLog = numberIn(cells[columns.indexOf('elapsed')]) / this.#unitsPerMs;
    const frametime = numberIn(cells[columns.indexOf('frametime')]);
    const hasFrametime = columns.has('frametime');
    if (!(sinceLog >= 0) || (hasFrametime && !(frametime > 0))) {
      this.#unreadable++;
      return;
    }
    const elapsed = this.#earlierMs + sinceLog;
    const step = elapsed - (this.#rows.at(-1)?.elapsed ?? elapsed);
    const values = this.#names.map((name, column) =>
      Object.hasOwn(SERIES, name) ? numberIn(cells[column]) : Number.NaN,
    );
    this.#means.add(this.#rows.length, Math.max(0, step), values);
    this.#rows.push({ fps, frametime, elapsed });
  }

  #seriesOf(column: number): Series | null {
    return SERIES[this.#names[column] ?? ''] ?? null;
  }
}

/**
 * The unit of the frame times: µs up to version 0.6.8, ms since 0.6.9. Versions differ in what `fps` is, but its median and that of
 * the frame time always match.
 */
function frametimePerMs(rows: readonly Row[]): number {
  const products = rows.map(({ fps, frametime }) => fps * frametime).filter((one) => one > 0);
  products.sort((a, b) => a - b);
  const middle = products[products.length >> 1] ?? 1000;
  return middle > 1e5 ? 1000 : 1;
}

function sampleTimes(rows: readonly Row[]): Float64Array {
  const first = rows[0]?.elapsed ?? 0;
  return Float64Array.from(rows, ({ elapsed }) => elapsed - first);
}

/** The records of a log whose rows are samples at an interval, not frames. */
function sampleRecords(rows: readonly Row[], times: Float64Array, perMs: number): KnownRecord[] {
  const counter = (i: number, name: string, unit: string, value: number): KnownRecord[] =>
    Number.isNaN(value)
      ? []
      : [{ type: 'counter', t: roundMs(times[i] ?? 0), name, unit, value: roundMs(value) }];
  return [
    {
      type: 'log',
      t: 0,
      level: 'warn',
      text: 'MangoHud wrote this log at an interval, not at each frame, so frames and hitches are unknown. Set log_interval=0 in the configuration of MangoHud, and record again.',
    },
    ...rows.flatMap(({ fps, frametime }, i) => [
      ...counter(i, 'frame rate', 'fps', fps),
      ...counter(i, 'frame time', 'ms', frametime / perMs),
    ]),
  ];
}
