// Statistics of the frames of one source in bounded memory. They equal those of `frameStats` up to FRAMES_KEPT frames.
import { Float64List } from '../../bytes/growable.ts';
import type { FramesRecord, LossRecord, Source } from '../../format/records.ts';
import type { FrameColumns } from '../../model/trace-model.ts';
import { DEFAULT_BUDGET_MS, frameStats, isOverBudget } from '../frames/frame-stats.ts';
import { lossIntervals, overlaps } from '../frames/loss-intervals.ts';
import { BoundedSeries, type Points } from './bounded-series.ts';
import { DurationHistogram } from './duration-histogram.ts';

/** Frames in memory: 4 MiB, over an hour at 60 Hz. */
export const FRAMES_KEPT = 2 ** 18;

/** Statistics of the frames of one source. A value is null if no frame was counted. */
export type FrameTimes = {
  readonly source: Source;
  /** The frames that overlap no loss. */
  readonly count: number;
  /** The number of frames that are not counted because they overlap a loss. */
  readonly left_out: number;
  readonly average_fps: number | null;
  readonly low_1_percent_fps: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
  readonly max_ms: number | null;
  readonly budget_ms: number;
  /** The number of frames over budget. */
  readonly hitches: number;
  /** False if there were more than FRAMES_KEPT: then the percentiles and the 1 % low are within 0.4 %. */
  readonly exact: boolean;
};

export class FrameTimesSink {
  readonly #source: Source;
  readonly #start = new Float64List(1024);
  readonly #duration = new Float64List(1024);
  readonly #all = new DurationHistogram();
  readonly #curve = new BoundedSeries('max');
  #leftOut = 0;
  #hitches = 0;
  #exact = true;

  constructor(source: Source) {
    this.#source = source;
  }

  /** `losses` are those that are known so far. */
  take({ t, duration_ms }: FramesRecord, losses: readonly LossRecord[]): void {
    let start = t;
    for (const duration of duration_ms) {
      if (this.#start.length === FRAMES_KEPT) this.#moveOlder(losses);
      this.#start.push(start);
      this.#duration.push(duration);
      start += duration;
    }
  }

  /** The statistics, and the longest frames over time. */
  finish(losses: readonly LossRecord[]): { times: FrameTimes; curve: Points } {
    const stats = this.#exact ? frameStats(this.#columns(), losses) : null;
    this.#count(this.#start.length, losses);
    const all = this.#all;
    const slowest = all.meanOfSlowest(0.01);
    const times = {
      source: this.#source,
      count: all.count,
      left_out: this.#leftOut,
      average_fps: all.sum > 0 ? (1000 * all.count) / all.sum : null,
      low_1_percent_fps: slowest === null || slowest === 0 ? null : 1000 / slowest,
      p95_ms: all.percentile(95),
      p99_ms: all.percentile(99),
      max_ms: all.count > 0 ? all.max : null,
      budget_ms: DEFAULT_BUDGET_MS,
      hitches: this.#hitches,
      exact: this.#exact,
    };
    const { average_fps, low_1_percent_fps, p95_ms, p99_ms } = stats ?? times;
    return {
      times: { ...times, average_fps, low_1_percent_fps, p95_ms, p99_ms },
      curve: this.#curve.finish()?.points ?? EMPTY,
    };
  }

  /** Moves the older half to the histogram. A loss is usually written within seconds, so it is known by now. */
  #moveOlder(losses: readonly LossRecord[]): void {
    this.#exact = false;
    const half = FRAMES_KEPT / 2;
    this.#count(half, losses);
    for (const list of [this.#start, this.#duration]) {
      list.values.copyWithin(0, half, FRAMES_KEPT);
      list.length = half;
    }
  }

  /** Adds the first `length` frames to the sums. */
  #count(length: number, losses: readonly LossRecord[]): void {
    const gaps = lossIntervals(losses, this.#source);
    const [starts, durations] = [this.#start.values, this.#duration.values];
    for (let i = 0; i < length; i++) {
      const start = starts[i] ?? 0;
      const duration = durations[i] ?? 0;
      if (overlaps(gaps, start, start + duration)) {
        this.#leftOut++;
        continue;
      }
      this.#all.add(duration);
      this.#curve.add(start, duration);
      if (isOverBudget(duration, DEFAULT_BUDGET_MS)) this.#hitches++;
    }
  }

  #columns(): FrameColumns {
    return {
      source: this.#source,
      start_ms: this.#start.trimmed(),
      duration_ms: this.#duration.trimmed(),
      draws: NONE,
      triangles: NONE,
      gpu_ms: NONE,
      main_ms: NONE,
    };
  }
}

const NONE = new Float64Array(0);
const EMPTY: Points = { t: NONE, value: NONE };
