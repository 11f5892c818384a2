// What a recording holds besides stacks, in one pass and bounded memory: measured series, frame times, records by type.
import type {
  CounterRecord,
  Header,
  LossRecord,
  ProcessRecord,
  Source,
  TraceRecord,
} from '../../format/records.ts';
import { type NoteInfo, noteInfo } from '../../notes/note-info.ts';
import { NoteList } from '../../notes/note-list.ts';
import { BoundedSeries, MEMORY_POINTS, type Points, SERIES_POINTS } from './bounded-series.ts';
import { type FrameTimes, FrameTimesSink } from './frame-times.ts';
import { type Direction, directionOf, MEMORY_COUNTERS, memoryGrowth } from './memory-growth.ts';
import type { SeriesStats } from './series-stats.ts';

/** Most counters that are followed. A file could name millions. */
export const COUNTERS_FOLLOWED = 64;
/** Most losses that are applied to frames. */
const LOSSES_KEPT = 65_536;
/** Most notes that are listed. */
const NOTES_LISTED = 1000;
/** Most of the notes that are kept until then, in UTF-16 units: 64 MiB. */
const NOTE_UNITS_KEPT = 32 * 1_048_576;
/** Of a series that is not memory, a change over the whole recording below this share of the mean is called flat. */
const FLAT_SHARE = 0.02;
const MINUTE_MS = 60_000;

export type SeriesInfo = SeriesStats & {
  readonly record: 'process' | 'counter';
  readonly source: Source;
  /** The field of the process record, or the name of the counter. */
  readonly name: string;
  /** `%` is percent of one core. */
  readonly unit: string;
  /**
   * Memory is judged as in all views, by {@link directionOf}, and `slope_per_minute` is that of its growth. Beyond MEMORY_POINTS values,
   * memory is judged by averages, and the word may differ from that of the other views. Another series is `flat` if
   * the interval of its slope contains 0, or if the change over the recording is below 2 % of the mean. Null if the slope is
   * unknown: for memory that is too short, and for fewer than four values.
   */
  readonly trend: Direction | null;
  /** Above 1, `p95`, the slope and the trend are those of averages of this number of consecutive values. */
  readonly values_per_bucket: number;
};

export type RecordingFacts = {
  /** The number of records of each type that occurs. */
  readonly record_counts: Readonly<Record<string, number>>;
  /** The series of the process records of each source, then counters in order of appearance. */
  readonly series: readonly SeriesInfo[];
  /** The number of counter records that are not in `series`, because there were more than COUNTERS_FOLLOWED counters. */
  readonly counters_left_out: number;
  readonly frame_times: readonly FrameTimes[];
  /** The first NOTES_LISTED notes of a person, by time; see `TraceModel.notes`. */
  readonly notes: readonly NoteInfo[];
  /** The number of notes in force that are not in `notes`. */
  readonly notes_left_out: number;
  /** The points of each of `series` and of `frame_times`, for drawing. */
  readonly curves: { readonly series: readonly Points[]; readonly frame_times: readonly Points[] };
};

export const NO_RECORDING_FACTS: RecordingFacts = {
  record_counts: {},
  series: [],
  counters_left_out: 0,
  frame_times: [],
  notes: [],
  notes_left_out: 0,
  curves: { series: [], frame_times: [] },
};

/** The fields of a process record, in the order in which they are reported. */
const PROCESS_FIELDS = [
  ['cpu_percent', '%'],
  ['rss_bytes', 'bytes'],
  ['pss_bytes', 'bytes'],
  ['threads', 'count'],
] as const satisfies readonly (readonly [keyof ProcessRecord, string])[];

type About = Pick<SeriesInfo, 'record' | 'source' | 'name' | 'unit'>;
type Followed = { readonly about: About; readonly values: BoundedSeries };

export class RecordingFactsSink {
  #source: Source = 'import';
  readonly #counts = new Map<string, number>();
  readonly #process = new Map<string, Followed>();
  readonly #counters = new Map<string, Followed>();
  readonly #frames = new Map<Source, FrameTimesSink>();
  readonly #losses: LossRecord[] = [];
  readonly #notes = new NoteList(NOTE_UNITS_KEPT);
  #leftOut = 0;

  header({ sources }: Header): void {
    this.#source = sources[0] ?? 'import';
  }

  record(record: TraceRecord): void {
    this.#counts.set(record.type, (this.#counts.get(record.type) ?? 0) + 1);
    const source = record.source ?? this.#source;
    if (record.type === 'process') this.#takeProcess(record, source);
    else if (record.type === 'counter') this.#takeCounter(record, source);
    else if (record.type === 'note') this.#notes.take(record);
    else if (record.type === 'frames') {
      const frames = this.#frames.get(source) ?? new FrameTimesSink(source);
      this.#frames.set(source, frames);
      frames.take(record, this.#losses);
    } else if (record.type === 'loss' && this.#losses.length < LOSSES_KEPT) {
      this.#losses.push(record);
    }
  }

  finish(): RecordingFacts {
    const series = [...this.#process.values(), ...this.#counters.values()].flatMap(
      (followed) => seriesInfo(followed) ?? [],
    );
    const frames = [...this.#frames.values()].map((sink) => sink.finish(this.#losses));
    const notes = this.#notes.notes();
    const listed = notes.slice(0, NOTES_LISTED).map(noteInfo);
    return {
      record_counts: Object.fromEntries(this.#counts),
      series: series.map(({ info }) => info),
      counters_left_out: this.#leftOut,
      frame_times: frames.map(({ times }) => times),
      notes: listed,
      notes_left_out: notes.length - listed.length + this.#notes.leftOut,
      curves: {
        series: series.map(({ points }) => points),
        frame_times: frames.map(({ curve }) => curve),
      },
    };
  }

  #takeProcess(record: ProcessRecord, source: Source): void {
    for (const [name, unit] of PROCESS_FIELDS) {
      const key = `${source} ${name}`;
      const followed = this.#process.get(key) ?? follow({ record: 'process', source, name, unit });
      this.#process.set(key, followed);
      const value = record[name];
      if (value !== undefined) followed.values.add(record.t, value);
    }
  }

  #takeCounter({ t, name, unit, value }: CounterRecord, source: Source): void {
    const key = `${source} ${unit} ${name}`;
    const known = this.#counters.get(key);
    if (known === undefined && this.#counters.size === COUNTERS_FOLLOWED) {
      this.#leftOut++;
      return;
    }
    const followed = known ?? follow({ record: 'counter', source, name, unit });
    this.#counters.set(key, followed);
    followed.values.add(t, value);
  }
}

function follow(about: About): Followed {
  const most = isMemory(about) ? MEMORY_POINTS : SERIES_POINTS;
  return { about, values: new BoundedSeries('mean', most) };
}

function seriesInfo({ about, values }: Followed): { info: SeriesInfo; points: Points } | null {
  const finished = values.finish();
  if (finished === null) return null;
  const { stats, points, values_per_bucket } = finished;
  const info = { ...about, ...stats, values_per_bucket };
  if (isMemory(about)) {
    const growth = memoryGrowth(points);
    const slope_per_minute = growth?.slope_per_minute ?? null;
    return { info: { ...info, slope_per_minute, trend: directionOf(growth) }, points };
  }
  const span = (points.t.at(-1) ?? 0) - (points.t[0] ?? 0);
  return { info: { ...info, trend: trendWord(stats, span) }, points };
}

function isMemory({ record, name, unit }: About): boolean {
  return record === 'process' ? unit === 'bytes' : Object.hasOwn(MEMORY_COUNTERS, name);
}

function trendWord({ slope_per_minute, mean }: SeriesStats, span_ms: number): SeriesInfo['trend'] {
  if (slope_per_minute === null) return null;
  const { slope, low, high } = slope_per_minute;
  const change = Math.abs(slope) * (span_ms / MINUTE_MS);
  if ((low <= 0 && high >= 0) || change < Math.abs(mean) * FLAT_SHARE) return 'flat';
  return slope > 0 ? 'rising' : 'falling';
}
