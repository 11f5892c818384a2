// Reads a log of PresentMon, and of the tools that write its columns: OCAT, CapFrameX and FrameView. docs/vpt.md section 7 has the
// families of its headers.
import { Float64List } from '../bytes/growable.ts';
import type { Header, KnownRecord } from '../format/records.ts';
import { notAProfile } from '../profiles/conversion.ts';
import { cleanName } from '../vpt/clean-name.ts';
import { describeGpu } from '../vpt/gpu-name.ts';
import { ColumnNames, numberIn } from './column-names.ts';
import { FrameList, isFrameTime } from './frame-list.ts';
import { type FrameLog, type FrameLogReader, type Series, seriesRecords } from './frame-log.ts';
import { type SecondMean, SecondMeans } from './second-means.ts';

/** A family of headers. A column may have several names, of which the first that the header has counts. "Ms" is left out. */
type Family = {
  /** The columns whose sum is the duration of a frame. A header of the family has them. */
  readonly duration: readonly string[];
  readonly time: readonly string[];
  /** The point of the frame that its time states. */
  readonly timed: 'start' | 'end';
};

const CPU_STARTS = [
  ...['CPUStartTimeInMs', 'CPUStartTime', 'CPUStartQPCTimeInMs', 'CPUStartQPCTime', 'CPUStartQPC'],
  ...['CPUStartTimeInSeconds', 'CPUStartDateTime'],
];
const PRESENTS = ['TimeInMs', 'TimeInSeconds', 'TimeInQPC', 'TimeInDateTime', 'QPCTime'];

/** The newest first, because its headers also have columns of the oldest. */
const FAMILIES: readonly Family[] = [
  { duration: ['BetweenAppStart'], time: CPU_STARTS, timed: 'start' },
  { duration: ['FrameTime'], time: CPU_STARTS, timed: 'start' },
  { duration: ['CPUBusy', 'CPUWait'], time: CPU_STARTS, timed: 'start' },
  { duration: ['BetweenPresents'], time: PRESENTS, timed: 'end' },
];

/** Columns that become counters, with their names in the families. */
const SERIES: readonly (Series & { readonly columns: readonly string[] })[] = [
  { name: 'display latency', unit: 'ms', columns: ['UntilDisplayed', 'DisplayLatency'] },
  { name: 'GPU latency', unit: 'ms', columns: ['GPULatency'] },
  {
    name: 'input latency',
    unit: 'ms',
    columns: ['AllInputToPhotonLatency', 'ClickToPhotonLatency', 'SinceInput'],
  },
];
/** Columns of other tools whose names end in their units: `GPU0Util(%)`, `CPU Package Power(W)`. */
const WITH_UNIT = /^(.+?)\s*\((%|MHz|W|C)\)$/;

const NOT_DISPLAYED: Series = { name: 'frames not displayed', unit: '%' };

/** Programs that are the game only if nothing else drew. */
const NO_GAMES: ReadonlySet<string> = new Set(['dwm.exe', '<unknown>', '<error>', 'explorer.exe']);
/** The most swap chains of a file. */
const CHAINS = 1000;

/** The values that are kept of each row, before those of the series. */
const KEPT = ['time', 'duration', 'busy', 'inPresent', 'gpu'] as const;
type Kept = (typeof KEPT)[number];

/** The rows of one swap chain. */
type Chain = {
  readonly program: string;
  readonly pid: number;
  readonly columns: readonly Float64List[];
};

export class PresentmonLog implements FrameLogReader {
  #header: PresentmonHeader | null = null;
  readonly #chains = new Map<string, Chain>();
  #gpu = '';
  #unreadable = 0;
  #lost = 0;

  row(cells: readonly string[]): void {
    const [first = ''] = cells;
    const [, lost] = /^warning: (\d{1,9}) (?:events|buffers) were lost/.exec(first) ?? [];
    if (lost !== undefined) this.#lost += Number(lost);
    else if (first.startsWith('//GPU=')) this.#gpu = first.slice('//GPU='.length);
    else if (this.#header !== null) this.#take(this.#header, cells);
    else if (!first.startsWith('//')) this.#header = PresentmonHeader.of(cells);
  }

  finish(): FrameLog {
    const header = this.#header;
    const chains = [...this.#chains.values()].sort(
      (a, b) => Number(isNoGame(a)) - Number(isNoGame(b)) || rowsOf(b) - rowsOf(a),
    );
    const [chain] = chains;
    if (header === null || chain === undefined || rowsOf(chain) === 0) throw this.#empty();
    const { frames, means } = framesOf(header, chain);
    const starts = frames.starts(header.family.timed);
    const series = seriesRecords(means, starts, (column) => header.series[column] ?? null);
    const gpu = describeGpu(this.#gpu);
    return {
      header: { started_at: null, ...targetOf(chain), ...(gpu && { gpu }) },
      records: [
        ...choiceOf(chains),
        ...frames.records(starts),
        ...series,
        ...(this.#lost > 0
          ? [{ type: 'loss', t: 0, reason: 'buffer_full', count: this.#lost } as const]
          : []),
      ],
      unreadable: this.#unreadable,
    };
  }

  #take(header: PresentmonHeader, cells: readonly string[]): void {
    const values = header.valuesIn(cells);
    const duration = values[KEPT.indexOf('duration')] ?? Number.NaN;
    const chain = isFrameTime(duration) ? this.#chainOf(header, cells) : null;
    if (chain === null) {
      this.#unreadable++;
      return;
    }
    if (this.#gpu === '') this.#gpu = header.textIn(cells, 'GPU');
    // A frame that the driver or a library generated has no time of its own.
    if (duration === 0) return;
    for (const [column, value] of values.entries()) chain.columns[column]?.push(value);
  }

  /** The swap chain of a row. Null if the row has none, or the file has too many. */
  #chainOf(header: PresentmonHeader, cells: readonly string[]): Chain | null {
    const pid = header.textIn(cells, 'ProcessID');
    const key = `${pid} ${header.textIn(cells, 'SwapChainAddress')}`;
    const known = this.#chains.get(key);
    if (known !== undefined) return known;
    if (!/^\d{1,10}$/.test(pid) || this.#chains.size >= CHAINS) return null;
    const program = header.textIn(cells, 'Application');
    const columns = Array.from({ length: header.width }, () => new Float64List(8));
    const chain = { program, pid: Number(pid), columns };
    this.#chains.set(key, chain);
    return chain;
  }

  #empty() {
    return notAProfile(
      this.#header === null
        ? 'Cannot read the PresentMon log: it has no column with the duration of frames. Convert the log of the frames, not its summary'
        : 'Cannot read the PresentMon log: it has no frames. Record again while the game runs',
    );
  }
}

/** The columns of a log by their use. */
class PresentmonHeader {
  readonly family: Family;
  /** What the values of a row are after those of KEPT. */
  readonly series: readonly Series[];
  readonly #columns: ColumnNames;
  readonly #seriesAt: readonly number[];

  /** Null if the header has no durations. */
  static of(cells: readonly string[]): PresentmonHeader | null {
    const columns = new ColumnNames(cells.map((cell) => cell.replace(/^ms/i, '')));
    const family = FAMILIES.find(({ duration }) => columns.has(...duration));
    return family === undefined ? null : new PresentmonHeader(cells, columns, family);
  }

  private constructor(cells: readonly string[], columns: ColumnNames, family: Family) {
    this.family = family;
    this.#columns = columns;
    const named = SERIES.map((series) => ({ series, at: columns.indexOf(...series.columns) }));
    const others = cells.flatMap((cell, at) => {
      const [, name, unit] = WITH_UNIT.exec(cell) ?? [];
      if (name === undefined || unit === undefined) return [];
      return [{ series: { name, unit: unit === 'C' ? '°C' : unit }, at }];
    });
    const found = [...named, ...others].filter(({ at }) => at >= 0);
    this.series = [NOT_DISPLAYED, ...found.map(({ series }) => series)];
    this.#seriesAt = found.map(({ at }) => at);
  }

  /** The number of values of a row. */
  get width(): number {
    return KEPT.length + this.series.length;
  }

  textIn(cells: readonly string[], column: string): string {
    return cells[this.#columns.indexOf(column)] ?? '';
  }

  /** The values of a row: those of KEPT, then those of `series`. NaN: missing. */
  valuesIn(cells: readonly string[]): number[] {
    const { duration, time } = this.family;
    const numberOf = (...names: string[]): number =>
      numberIn(cells[this.#columns.indexOf(...names)]);
    return [
      timeIn(this.textIn(cells, time.find((name) => this.#columns.has(name)) ?? '')),
      duration.reduce((sum, name) => sum + numberOf(name), 0),
      numberOf('CPUBusy'),
      numberOf('InPresentAPI'),
      numberOf('GPUBusy', 'GPUActive'),
      this.#notDisplayed(cells),
      ...this.#seriesAt.map((at, i) => {
        const value = numberIn(cells[at]);
        // A latency of 0 is that of a frame that was not displayed.
        return value === 0 && this.series[i + 1]?.unit === 'ms' ? Number.NaN : value;
      }),
    ];
  }

  /** 100 if the frame was not displayed, otherwise 0, so that the mean is a percentage. NaN if the log does not state it. */
  #notDisplayed(cells: readonly string[]): number {
    if (this.#columns.has('Dropped')) return this.textIn(cells, 'Dropped') === '1' ? 100 : 0;
    const at = this.#columns.indexOf('UntilDisplayed', 'DisplayedTime');
    return at < 0 ? Number.NaN : cells[at] === 'NA' ? 100 : 0;
  }
}

/** The frames of a chain in order of time, and the means of its series. Logs are not in this order. */
function framesOf(
  { family }: PresentmonHeader,
  { columns }: Chain,
): { readonly frames: FrameList; readonly means: readonly SecondMean[] } {
  const valueAt = (name: Kept, row: number): number =>
    columns[KEPT.indexOf(name)]?.values[row] ?? Number.NaN;
  const order = Array.from({ length: columns[0]?.length ?? 0 }, (_, row) => row);
  order.sort((a, b) => valueAt('time', a) - valueAt('time', b) || a - b);
  const frames = new FrameList();
  const means = new SecondMeans();
  let before: number | null = null;
  for (const row of order) {
    const time = valueAt('time', row);
    // Several displayed frames of one call of Present have its time, and only the first is a frame of the game.
    if (family.timed === 'end' && before !== null && time === valueAt('time', before)) continue;
    const duration = valueAt('duration', row);
    // Old logs have no time of the CPU. As in new ones, it is the time outside of Present, which ends the frame before.
    const outside = before === null ? Number.NaN : duration - valueAt('inPresent', before);
    const busy = family.timed === 'end' ? outside : valueAt('busy', row);
    means.add(
      frames.length,
      duration,
      columns.slice(KEPT.length).map(({ values }) => values[row] ?? Number.NaN),
    );
    const main_ms = busy >= 0 ? Math.min(busy, duration) : Number.NaN;
    frames.push({ time, duration, main_ms, gpu_ms: valueAt('gpu', row) });
    before = row;
  }
  return { frames, means: means.finish() };
}

function rowsOf({ columns }: Chain): number {
  return columns[0]?.length ?? 0;
}

function isNoGame({ program }: Chain): boolean {
  return NO_GAMES.has(program.toLowerCase());
}

function targetOf({ pid, program }: Chain): Pick<Header, 'target'> {
  return pid > 0 ? { target: { pid, name: cleanName(program), started_at: null } } : {};
}

/** States which swap chain is shown if the file has several. */
function choiceOf(chains: readonly Chain[]): KnownRecord[] {
  const [chain] = chains;
  if (chain === undefined || chains.length < 2) return [];
  const programs = new Set(chains.map(({ pid }) => pid)).size;
  const of = programs > 1 ? ` of ${programs} programs` : '';
  const text = `The log has ${chains.length} swap chains${of}. This trace shows one of ${cleanName(chain.program)}, the one of a game with the most frames.`;
  return [{ type: 'log', t: 0, level: 'info', text }];
}

const DATE = /^(\d+)-(\d+)-(\d+) (\d+):(\d+):([\d.]+)$/;

/** The time in a cell: a number, or the ms of a date. */
function timeIn(cell: string): number {
  const [, year, month, day, hour, minute, second] = DATE.exec(cell)?.map(Number) ?? [];
  if (second === undefined) return numberIn(cell);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute) + second * 1000;
}
