// What a timeline shows, as columns that are sent from the worker. Times are ms since the start of the trace.
import type { Slot } from '../../client/trace-calls.ts';
import type { Call } from '../../client/worker-messages.ts';

/** Values over time, sorted by `t`. NaN is a value that was not measured. */
export type LineSeries = {
  readonly label: string;
  readonly t: Float64Array;
  readonly value: Float64Array;
  /**
   * If each value holds until the next one, as for a counter that is recorded when it changes: the time until which
   * the last value holds. Absent if values are samples of a changing quantity.
   */
  readonly heldTo?: number;
};

type TrackOf<Kind extends string> = {
  readonly kind: Kind;
  /** Stays the same while a trace grows. */
  readonly id: string;
  readonly label: string;
  /** The source of the measurement: `native`, `browser`, `import`. */
  readonly source: string;
};

/** Values over time with one scale: CPU, memory, a counter. */
export type LineTrack = TrackOf<'line'> & {
  readonly unit: string;
  readonly series: readonly LineSeries[];
};

/** Frames in order. `t` is the start of a frame. */
export type FrameTrack = TrackOf<'frames'> & {
  readonly t: Float64Array;
  readonly duration: Float64Array;
};

/** Intervals: long tasks, asset loads, spans. `lane` separates those that overlap. */
export type IntervalTrack = TrackOf<'intervals'> & {
  readonly record: 'longtask' | 'asset' | 'span';
  readonly t: Float64Array;
  readonly duration: Float64Array;
  readonly lane: Uint8Array;
  readonly lanes: number;
  readonly names: readonly string[];
};

/** Named points in time: marks, logs. */
export type PointTrack = TrackOf<'points'> & {
  readonly record: 'mark' | 'log';
  readonly t: Float64Array;
  readonly names: readonly string[];
};

export type Track = LineTrack | FrameTrack | IntervalTrack | PointTrack;

/** A time range without data, and the reason. Without a source it applies to all tracks. */
export type Gap = {
  readonly t: number;
  readonly duration: number;
  readonly reason: string;
  readonly source: string | null;
  readonly count: number | null;
};

export type Timeline = {
  /** The latest end of all records. */
  readonly duration: number;
  readonly tracks: readonly Track[];
  readonly gaps: readonly Gap[];
};

export type TimelineCalls = {
  readonly timeline: Call<{ readonly slot: Slot }, Timeline>;
};
