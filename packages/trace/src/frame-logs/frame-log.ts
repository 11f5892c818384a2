// What a reader of a frame log returns, and the records of its other columns.
import type { CounterRecord, Header, KnownRecord, ProcessRecord } from '../format/records.ts';
import { cleanName } from '../vpt/clean-name.ts';
import { roundMs } from '../vpt/format-record.ts';
import type { SecondMean } from './second-means.ts';

/** The most counters of a trace. */
const COUNTERS = 32;

/** A frame log as records of a trace. */
export type FrameLog = {
  readonly header: Pick<Header, 'started_at' | 'target' | 'gpu'>;
  readonly records: readonly KnownRecord[];
  /** Whether the log states that it is not complete. */
  readonly torn: boolean;
  /** The number of rows that could not be read. */
  readonly unreadable: number;
};

/** A reader of the rows of one format. */
export type FrameLogReader = {
  row(cells: readonly string[]): void;
  /** Throws TraceError `not_a_profile` if the log has nothing to show. */
  finish(): FrameLog;
};

/** A column that becomes a counter, or with `rss` the memory of the process. `scale` is the number of `unit` in a unit of the log. */
export type Series = {
  readonly name: string;
  readonly unit: string;
  readonly scale?: number;
  readonly rss?: boolean;
};

/**
 * The records of the means of each second. `seriesOf` returns the series of a column, or null to leave it out. A column that is 0
 * throughout is left out, because a log has 0 for what the machine does not report. Of two columns with one name, the first counts.
 */
export function seriesRecords(
  seconds: readonly SecondMean[],
  starts: Float64Array,
  seriesOf: (column: number) => Series | null,
): (CounterRecord | ProcessRecord)[] {
  const width = seconds.reduce((most, { means }) => Math.max(most, means.length), 0);
  const kept: { readonly column: number; readonly series: Series }[] = [];
  const names = new Set<string>();
  for (let column = 0; column < width && kept.length < COUNTERS; column++) {
    const series = seriesOf(column);
    if (series === null || names.has(series.name)) continue;
    if (!seconds.some(({ means }) => isMeasured(means[column]))) continue;
    names.add(series.name);
    kept.push({ column, series: { ...series, name: cleanName(series.name) } });
  }
  return seconds.flatMap(({ row, means }) =>
    kept.flatMap(({ column, series }) => {
      const mean = means[column] ?? Number.NaN;
      const value = mean * (series.scale ?? 1);
      return Number.isFinite(value) ? [seriesRecord(roundMs(starts[row] ?? 0), value, series)] : [];
    }),
  );
}

function isMeasured(mean: number | undefined): boolean {
  return mean !== undefined && mean !== 0 && !Number.isNaN(mean);
}

function seriesRecord(
  t: number,
  value: number,
  { name, unit, rss = false }: Series,
): CounterRecord | ProcessRecord {
  if (rss) {
    const rss_bytes = Math.round(Math.min(Math.max(0, value), Number.MAX_SAFE_INTEGER));
    return { type: 'process', t, rss_bytes };
  }
  const isWhole = unit === 'bytes' || unit === 'count';
  return {
    type: 'counter',
    t,
    name,
    unit,
    value: isWhole ? Math.round(value) : roundMs(value),
  };
}
