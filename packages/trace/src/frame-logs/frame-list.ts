// The frames of one swap chain in a frame log, and their `frames` records.
import { Float64List } from '../bytes/growable.ts';
import { LATEST_T_MS } from '../format/limits.ts';
import type { FramesRecord } from '../format/records.ts';
import { roundMs } from '../vpt/format-record.ts';

/** The most time, and the most frames, in one record. */
const RECORD_MS = 1000;
const RECORD_FRAMES = 1000;
/** A frame follows a gap if it begins later than the end of the one before by this much, and by half of its duration. */
const GAP_MS = 2;
/** The unit of a counter that is this near to a power of ten is that power. */
const SNAP = 0.2;

/** One frame. Its durations are in ms; NaN or absent: not measured. */
export type LogFrame = {
  /** The time of the frame in the log, in any unit and with any origin. NaN if the log has none. */
  readonly time: number;
  readonly duration: number;
  readonly main_ms?: number;
  readonly gpu_ms?: number;
  readonly draws?: number;
  readonly triangles?: number;
};

/** The columns besides the durations, and how their values are rounded. */
const COLUMNS = [
  { name: 'main_ms', round: roundMs },
  { name: 'gpu_ms', round: roundMs },
  { name: 'draws', round: Math.round },
  { name: 'triangles', round: Math.round },
] as const;

/** The most frames that are read of a log: 18 hours at 60 frames per second. Further rows count as unreadable. */
export const MOST_FRAMES = 4_000_000;
/** A longer frame is an error of the log: a day. */
const LONGEST_MS = 86_400_000;

/** Whether a number of ms can be the duration of a frame. NaN is none. */
export function isFrameTime(ms: number): boolean {
  return ms >= 0 && ms <= LONGEST_MS;
}

export class FrameList {
  readonly #time = new Float64List(64);
  readonly #duration = new Float64List(64);
  readonly #columns = COLUMNS.map((column) => ({ ...column, values: new Float64List(64) }));

  get length(): number {
    return this.#duration.length;
  }

  push(frame: LogFrame): void {
    this.#time.push(frame.time);
    // Rounded as in the trace, so that the starts of frames in it are the sums of its durations.
    this.#duration.push(roundMs(frame.duration));
    for (const { name, round, values } of this.#columns) {
      const value = round(frame[name] ?? Number.NaN);
      values.push(value >= 0 && value <= LATEST_T_MS ? value : Number.NaN);
    }
  }

  durationOf(index: number): number {
    return this.#duration.values[index] ?? 0;
  }

  /** The end of the last frame. `starts` are those of {@link starts}. */
  end(starts: Float64Array): number {
    const last = this.length - 1;
    return (starts[last] ?? 0) + this.durationOf(last);
  }

  /**
   * The start of each frame in ms after the first one. `timed` states which point of a frame its time is, and `unit` the ms in a
   * unit of the times. A log has fewer digits of times than of durations, so a frame begins at the end of the one before, unless
   * there is a gap.
   */
  starts(timed: 'start' | 'end', unit: number): Float64Array {
    const starts = new Float64Array(this.length);
    const origin = this.#time.values[0] ?? 0;
    const shift = timed === 'end' ? this.durationOf(0) : 0;
    let end = 0;
    for (let i = 0; i < this.length; i++) {
      const duration = this.durationOf(i);
      const time = ((this.#time.values[i] ?? 0) - origin) * unit;
      const stated = timed === 'end' ? time + shift - duration : time;
      const isAfterGap = stated - end > Math.max(GAP_MS, duration / 2);
      starts[i] = isAfterGap ? stated : end;
      end = (starts[i] ?? 0) + duration;
    }
    return starts;
  }

  /**
   * The ms in a unit of the times, by evidence: the median step between them is the median duration. Times have powers of ten of a
   * second. A `counter` of Windows (QPC) has any unit. NaN if there are no times.
   */
  unitOfTimes(counter: boolean): number {
    const ratios: number[] = [];
    for (let i = 1; i < this.length; i++) {
      const step = (this.#time.values[i] ?? 0) - (this.#time.values[i - 1] ?? 0);
      const ratio = this.durationOf(i) / step;
      if (Number.isFinite(ratio) && ratio > 0) ratios.push(ratio);
    }
    ratios.sort((a, b) => a - b);
    const ratio = ratios[ratios.length >> 1] ?? Number.NaN;
    const power = 10 ** Math.round(Math.log10(ratio));
    return counter && Math.abs(ratio / power - 1) > SNAP ? ratio : power;
  }

  /** The `frames` records of frames that begin at `starts`. A column without any value is left out. */
  records(starts: Float64Array): FramesRecord[] {
    const columns = this.#columns.filter(({ values }) =>
      values.values.subarray(0, values.length).some(isKnown),
    );
    const records: FramesRecord[] = [];
    let from = 0;
    for (let i = 1; i <= this.length; i++) {
      const first = starts[from] ?? 0;
      const end = (starts[i - 1] ?? 0) + this.durationOf(i - 1);
      const isFull = end - first >= RECORD_MS || i - from === RECORD_FRAMES;
      if (i < this.length && starts[i] === end && !isFull) continue;
      const slice = ({ values }: Float64List): number[] => [...values.subarray(from, i)];
      records.push({
        type: 'frames',
        t: roundMs(first),
        duration_ms: slice(this.#duration),
        ...Object.fromEntries(columns.map(({ name, values }) => [name, slice(values).map(orNull)])),
      });
      from = i;
    }
    return records;
  }
}

function isKnown(value: number): boolean {
  return !Number.isNaN(value);
}

function orNull(value: number): number | null {
  return isKnown(value) ? value : null;
}
