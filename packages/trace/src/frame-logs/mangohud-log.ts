// Reads a log of MangoHud. docs/vpt.md section 7 has the forms of its versions.

import { Float64List } from '../bytes/growable.ts';
import type { KnownRecord } from '../format/records.ts';
import { notAProfile } from '../profiles/conversion.ts';
import { describeGpu } from '../vpt/gpu-name.ts';
import { ColumnNames, numberIn } from './column-names.ts';
import { FrameList, isFrameTime, MOST_FRAMES } from './frame-list.ts';
import { type FrameLog, type FrameLogReader, type Series, seriesRecords } from './frame-log.ts';
import { SecondMeans } from './second-means.ts';

const GIB = 2 ** 30;
/** The columns that become counters. The first two do so only if the rows are no frames. */
const SERIES: readonly (Series & { readonly column: string })[] = [
  { column: 'fps', name: 'frame rate', unit: 'fps' },
  { column: 'frametime', name: 'frame time', unit: 'ms' },
  { column: 'cpu_load', name: 'CPU load', unit: '%' },
  { column: 'cpu_power', name: 'CPU power', unit: 'W' },
  { column: 'cpu_temp', name: 'CPU temperature', unit: '°C' },
  { column: 'cpu_mhz', name: 'CPU clock', unit: 'MHz' },
  { column: 'gpu_load', name: 'GPU load', unit: '%' },
  { column: 'gpu_power', name: 'GPU power', unit: 'W' },
  { column: 'gpu_temp', name: 'GPU temperature', unit: '°C' },
  { column: 'gpu_core_clock', name: 'GPU clock', unit: 'MHz' },
  { column: 'gpu_mem_clock', name: 'GPU memory clock', unit: 'MHz' },
  { column: 'gpu_vram_used', name: 'GPU memory in use', unit: 'bytes', scale: GIB },
  { column: 'ram_used', name: 'RAM in use', unit: 'bytes', scale: GIB },
  { column: 'swap_used', name: 'swap in use', unit: 'bytes', scale: GIB },
  { column: 'process_rss', name: 'process', unit: 'bytes', scale: GIB, rss: true },
];
const FPS = 0;
const FRAMETIME = 1;

/** The columns of the versions without a header, by their number. Their times are in µs. */
const UNNAMED: Readonly<Record<number, readonly string[]>> = {
  4: ['fps', 'cpu_load', 'gpu_load', 'elapsed'],
  8: [
    ...['fps', 'cpu_load', 'gpu_load', 'cpu_temp', 'gpu_temp'],
    ...['gpu_core_clock', 'gpu_mem_clock', 'elapsed'],
  ],
};

/** A row is a frame if the time since the row before is its frame time, with this tolerance. */
const STEP_SHARE = 0.2;
const STEP_MS = 1;
/** A frame that began this long before its log is an error of MangoHud: the first frame of a new window. */
const BEFORE_LOG_MS = 10_000;

const AT_INTERVAL =
  'MangoHud wrote this log at an interval, not at each frame, so frames and hitches are unknown. Set log_interval=0 in the configuration of MangoHud, and record again.';
const WITHOUT_TIMES =
  'This version of MangoHud did not log frame times, so frames and hitches are unknown. Update MangoHud, and record again.';

/** The columns of `elapsed` and of SERIES; −1 for one that the log does not have. */
type Columns = { readonly elapsed: number; readonly series: readonly number[] };

export class MangohudLog implements FrameLogReader {
  /** The names in the line before the values of the system, until these arrive. */
  #system: readonly string[] | null = null;
  #gpu = '';
  #isSummary = false;
  /** Null before the header. */
  #columns: Columns | null = null;
  #unitsPerMs = 0;
  readonly #fps = new Float64List();
  readonly #frametime = new Float64List();
  /** In ms. */
  readonly #elapsed = new Float64List();
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
    else if (this.#columns !== null) this.#take(this.#columns, cells);
    else if (numberIn(cells[0]) > 0 && !this.#isSummary) {
      this.#begin(UNNAMED[cells.length] ?? []);
      if (this.#columns !== null) this.#take(this.#columns, cells);
    } else if (/^[\d.]+% Min FPS$/.test(cells[0] ?? '')) this.#isSummary = true;
  }

  finish(): FrameLog {
    const rows = this.#elapsed.length;
    if (rows === 0) throw this.#empty();
    const perMs = this.#frametimePerMs();
    const list = new FrameList();
    for (let i = 0; i < rows; i++) {
      list.push({ time: this.#elapsedAt(i), duration: this.#durationOf(i, perMs) });
    }
    const isFrames = this.#isFrames(list);
    const first = this.#elapsedAt(0);
    const starts = isFrames
      ? list.starts('end', 1)
      : Float64Array.from(this.#elapsed.trimmed(), (elapsed) => elapsed - first);
    const frames: readonly KnownRecord[] = isFrames ? list.records(starts) : [this.#warning()];
    const series = seriesRecords(this.#means.finish(), starts, (index): Series | null => {
      const one = SERIES[index] ?? null;
      if (index > FRAMETIME || one === null) return one;
      if (isFrames) return null;
      return index === FRAMETIME ? { ...one, scale: 1 / perMs } : one;
    });
    const gpu = describeGpu(this.#gpu);
    return {
      header: { started_at: null, ...(gpu && { gpu }) },
      records: [...frames, ...series],
      torn: false,
      unreadable: this.#unreadable,
    };
  }

  #begin(names: readonly string[]): void {
    const columns = new ColumnNames(names);
    const elapsed = columns.indexOf('elapsed');
    if (elapsed < 0) return;
    this.#columns = { elapsed, series: SERIES.map(({ column }) => columns.indexOf(column)) };
    // Since the frame time is in the log, the elapsed time is in ns. Before, it was in µs.
    this.#unitsPerMs = columns.has('frametime') ? 1e6 : 1000;
    this.#earlierMs = this.#elapsedAt(this.#elapsed.length - 1);
  }

  #take(columns: Columns, cells: readonly string[]): void {
    const sinceLog = numberIn(cells[columns.elapsed]) / this.#unitsPerMs;
    const values = columns.series.map((column) => numberIn(cells[column]));
    const { [FPS]: fps = Number.NaN, [FRAMETIME]: frametime = Number.NaN } = values;
    const hasFrametime = (columns.series[FRAMETIME] ?? -1) >= 0;
    const isReadable = sinceLog >= 0 && (!hasFrametime || frametime > 0);
    if (!isReadable || this.#elapsed.length === MOST_FRAMES) {
      this.#unreadable++;
      return;
    }
    const row = this.#elapsed.length;
    const elapsed = this.#earlierMs + sinceLog;
    const step = row === 0 ? 0 : elapsed - this.#elapsedAt(row - 1);
    this.#means.add(row, Math.max(0, step), values);
    this.#fps.push(fps);
    this.#frametime.push(frametime);
    this.#elapsed.push(elapsed);
  }

  get #hasFrametimes(): boolean {
    return !Number.isNaN(this.#frametime.values[0] ?? Number.NaN);
  }

  #elapsedAt(row: number): number {
    return row < 0 ? 0 : (this.#elapsed.values[row] ?? 0);
  }

  /** The duration of a frame in ms. An error of MangoHud is replaced by the time since the row before. */
  #durationOf(row: number, perMs: number): number {
    const elapsed = this.#elapsedAt(row);
    const ms = (this.#frametime.values[row] ?? Number.NaN) / perMs;
    if (isFrameTime(ms) && ms <= elapsed + BEFORE_LOG_MS) return ms;
    const step = Math.max(0, elapsed - this.#elapsedAt(row - 1));
    return isFrameTime(step) ? step : 0;
  }

  /** Whether the rows are frames: at least half of the steps between them are their frame times. */
  #isFrames(list: FrameList): boolean {
    if (!this.#hasFrametimes) return false;
    let matches = 0;
    for (let i = 1; i < list.length; i++) {
      const ms = list.durationOf(i);
      const step = this.#elapsedAt(i) - this.#elapsedAt(i - 1);
      if (Math.abs(step - ms) <= Math.max(STEP_MS, ms * STEP_SHARE)) matches++;
    }
    return matches * 2 >= list.length - 1;
  }

  /**
   * The unit of the frame times: µs up to version 0.6.8, ms since 0.6.9. Versions differ in what `fps` is, but its median and that
   * of the frame time always match.
   */
  #frametimePerMs(): number {
    const products = this.#fps
      .trimmed()
      .map((fps, i) => fps * (this.#frametime.values[i] ?? Number.NaN))
      .filter((product) => product > 0)
      .sort();
    return (products[products.length >> 1] ?? 1000) > 1e5 ? 1000 : 1;
  }

  #warning(): KnownRecord {
    const text = this.#hasFrametimes ? AT_INTERVAL : WITHOUT_TIMES;
    return { type: 'log', t: 0, level: 'warn', text };
  }

  #empty() {
    return notAProfile(
      this.#isSummary
        ? 'Cannot read the MangoHud log: this is its summary. Convert the log itself, whose name is the same without _summary'
        : 'Cannot read the MangoHud log: it has no frames. Record again with a later version of MangoHud, while the game runs',
    );
  }
}
