// The families of PresentMon's headers, and the values of a row by them. docs/vpt.md section 7 describes them.
import { ColumnNames, numberIn } from './column-names.ts';
import type { Series } from './frame-log.ts';

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

/** The values that are kept of each row, before those of the series. */
export const KEPT = ['time', 'duration', 'busy', 'inPresent', 'gpu'] as const;
export type Kept = (typeof KEPT)[number];

/** The columns of texts. */
type Text = 'program' | 'pid' | 'chain' | 'gpu';

/** The columns of a log by their use. Indices are −1 for columns that the log does not have. */
export class PresentmonHeader {
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

const DATE = /^(\d+)-(\d+)-(\d+) (\d+):(\d+):([\d.]+)$/;

/** The time in a cell: a number, or the ms of a date. */
function timeIn(cell: string): number {
  const [, year, month, day, hour, minute, second] = DATE.exec(cell)?.map(Number) ?? [];
  if (second === undefined) return numberIn(cell);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute) + second * 1000;
}
