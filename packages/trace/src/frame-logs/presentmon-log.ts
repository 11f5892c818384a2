// Reads a log of PresentMon, and of the tools that write its columns: OCAT, CapFrameX and FrameView. docs/vpt.md section 7 has the
// families of its headers.
import { Float64List } from '../bytes/growable.ts';
import type { Header, KnownRecord } from '../format/records.ts';
import { notAProfile } from '../profiles/conversion.ts';
import { cleanName } from '../vpt/clean-name.ts';
import { describeGpu } from '../vpt/gpu-name.ts';
import { ColumnNames, numberIn } from './column-names.ts';
import { FrameList, isFrameTime, MOST_FRAMES } from './frame-list.ts';
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
const WITH_UNIT = /^(.+)\((%|MHz|W|C)\)$/;
/** The most columns with units. */
const OTHERS = 24;

const NOT_DISPLAYED: Series = { name: 'frames not displayed', unit: '%' };

/** Programs that are the game only if nothing else drew. */
const NO_GAMES: ReadonlySet<string> = new Set(['dwm.exe', '<unknown>', '<error>', 'explorer.exe']);
/** The most swap chains of a file. */
const CHAINS = 1000;

/** The values that are kept of each row, before those of the series. */
const KEPT = ['time', 'duration', 'busy', 'inPresent', 'gpu'] as const;
type Kept = (typeof KEPT)[number];

/** The columns of texts. */
type Text = 'program' | 'pid' | 'chain' | 'gpu';

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
  #rows = 0;
  #lost = 0;
  /** Whether a second recording begins in the file. */
  #isOver = false;

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
    if (header === null || chain === undefined) throw this.#empty();
    const { frames, means } = framesOf(header, chain);
    const starts = frames.starts(header.family.timed, frames.unitOfTimes(header.isCounter));
    const series = seriesRecords(means, starts, (column) => header.series[column] ?? null);
    const gpu = describeGpu(this.#gpu);
    return {
      header: { started_at: null, ...targetOf(chain), ...(gpu && { gpu }) },
      records: [
        ...choiceOf(chains),
        ...(this.#isOver ? [SEVERAL] : []),
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
    this.#isOver ||= header.isHeader(cells);
    if (this.#isOver) return;
    const values = header.valuesIn(cells);
    const [time = Number.NaN, duration = Number.NaN] = values;
    // A frame that the driver or a library generated has no time of its own.
    if (duration === 0) return;
    const isReadable = isFrameTime(duration) && (!header.hasTimes || !Number.isNaN(time));
    const chain = isReadable && this.#rows < MOST_FRAMES ? this.#chainOf(header, cells) : null;
    if (chain === null) {
      this.#unreadable++;
      return;
    }
    this.#rows++;
    if (this.#gpu === '') this.#gpu = header.textIn(cells, 'gpu');
    for (const [column, value] of values.entries()) chain.columns[column]?.push(value);
  }

  /** The swap chain of a row. Null if the row has none, or the file has too many. */
  #chainOf(header: PresentmonHeader, cells: readonly string[]): Chain | null {
    const pid = header.textIn(cells, 'pid');
    const key = `${pid} ${header.textIn(cells, 'chain')}`;
    const known = this.#chains.get(key);
    if (known !== undefined) return known;
    if (!/^\d{1,10}$/.test(pid) || this.#chains.size >= CHAINS) return null;
    const program = header.textIn(cells, 'program');
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

/** The columns of a log by their use. Indices are −1 for columns that the log does not have. */
class PresentmonHeader {
  readonly family: Family;
  /** What the values of a row are after those of KEPT. */
  readonly series: readonly Series[];
  /** Whether the times are a counter of Windows, whose unit is not known. */
  readonly isCounter: boolean;
  readonly #texts: Readonly<Record<Text, number>>;
  readonly #time: number;
  readonly #durations: readonly number[];
  readonly #measured: readonly number[];
  readonly #dropped: number;
  readonly #displayed: number;
  readonly #series: readonly number[];

  /** Null if the header has no durations. */
  static of(cells: readonly string[]): PresentmonHeader | null {
    const columns = new ColumnNames(cells.map((cell) => cell.replace(/^ms/i, '')));
    const family = FAMILIES.find(({ duration }) => columns.has(...duration));
    return family === undefined ? null : new PresentmonHeader(cells, columns, family);
  }

  private constructor(cells: readonly string[], columns: ColumnNames, family: Family) {
    this.family = family;
    const others = cells
      .flatMap((cell, at) => {
        const [, name, unit] = WITH_UNIT.exec(cell) ?? [];
        if (name === undefined || unit === undefined) return [];
        return [{ series: { name: name.trim(), unit: unit === 'C' ? '°C' : unit }, at }];
      })
      .slice(0, OTHERS);
    const named = SERIES.map((series) => ({ series, at: columns.indexOf(...series.columns) }));
    const found = [...named, ...others].filter(({ at }) => at >= 0);
    this.series = [NOT_DISPLAYED, ...found.map(({ series }) => series)];
    this.#series = found.map(({ at }) => at);
    this.#texts = {
      program: columns.indexOf('Application'),
      pid: columns.indexOf('ProcessID'),
      chain: columns.indexOf('SwapChainAddress'),
      gpu: columns.indexOf('GPU'),
    };
    const time = family.time.find((name) => columns.has(name)) ?? '';
    this.isCounter = /QPC$|^QPCTime$/.test(time);
    this.#time = columns.indexOf(time);
    this.#durations = family.duration.map((name) => columns.indexOf(name));
    this.#measured = [
      columns.indexOf('CPUBusy'),
      columns.indexOf('InPresentAPI'),
      columns.indexOf('GPUBusy', 'GPUActive'),
    ];
    this.#dropped = columns.indexOf('Dropped');
    this.#displayed = columns.indexOf('UntilDisplayed', 'DisplayedTime');
  }

  get hasTimes(): boolean {
    return this.#time >= 0;
  }

  /** The number of values of a row. */
  get width(): number {
    return KEPT.length + this.series.length;
  }

  /** Whether a row is a header again, because two recordings are in one file. */
  isHeader(cells: readonly string[]): boolean {
    return cells[this.#texts.program] === 'Application' && cells[this.#texts.pid] === 'ProcessID';
  }

  textIn(cells: readonly string[], text: Text): string {
    return cells[this.#texts[text]] ?? '';
  }

  /** The values of a row: those of KEPT, then those of `series`. NaN: missing. */
  valuesIn(cells: readonly string[]): number[] {
    const at = (column: number): number => numberIn(cells[column]);
    return [
      timeIn(cells[this.#time] ?? ''),
      this.#durations.reduce((sum, column) => sum + at(column), 0),
      ...this.#measured.map(at),
      this.#notDisplayed(cells),
      ...this.#series.map((column, i) => {
        const value = at(column);
        // A latency of 0 is that of a frame that was not displayed.
        return value === 0 && this.series[i + 1]?.unit === 'ms' ? Number.NaN : value;
      }),
    ];
  }

  /** 100 if the frame was not displayed, otherwise 0, so that the mean is a percentage. NaN if the log does not state it. */
  #notDisplayed(cells: readonly string[]): number {
    if (this.#dropped >= 0) return cells[this.#dropped] === '1' ? 100 : 0;
    if (this.#displayed < 0) return Number.NaN;
    return cells[this.#displayed] === 'NA' ? 100 : 0;
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
  // OCAT writes facts about the computer, such as its clocks, in the first row only.
  const series = columns
    .slice(KEPT.length)
    .map((column) => (knownIn(column) > 1 || column.length === 1 ? column : null));
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
      series.map((column) => column?.values[row] ?? Number.NaN),
    );
    const main_ms = busy >= 0 ? Math.min(busy, duration) : Number.NaN;
    frames.push({ time, duration, main_ms, gpu_ms: valueAt('gpu', row) });
    before = row;
  }
  return { frames, means: means.finish() };
}

/** The number of values in a column. */
function knownIn({ values, length }: Float64List): number {
  return values.subarray(0, length).reduce((sum, one) => sum + (Number.isNaN(one) ? 0 : 1), 0);
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
  const text = `The log has ${chains.length} swap chains${of}. This trace shows one of ${cleanName(chain.program)}, which has the most frames${isNoGame(chain) ? '' : ' of a game'}.`;
  return [{ type: 'log', t: 0, level: 'info', text }];
}

const SEVERAL: KnownRecord = {
  type: 'log',
  t: 0,
  level: 'warn',
  text: 'The file has several recordings, of which this trace shows the first. Convert each in a file of its own.',
};

const DATE = /^(\d+)-(\d+)-(\d+) (\d+):(\d+):([\d.]+)$/;

/** The time in a cell: a number, or the ms of a date. */
function timeIn(cell: string): number {
  const [, year, month, day, hour, minute, second] = DATE.exec(cell)?.map(Number) ?? [];
  if (second === undefined) return numberIn(cell);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute) + second * 1000;
}
