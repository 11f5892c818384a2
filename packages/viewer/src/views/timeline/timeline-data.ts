// What a timeline shows, as columns that are sent from the worker. Times are ms since the start of the trace.
import type { MemoryChange } from '@svc/trace';
import type { Slot } from '../../client/trace-calls.ts';
import type { Call } from '../../client/worker-messages.ts';
import type { TimeRange } from '../../draw/time-axis.ts';

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
  /** The source of the measurement: `native`, `browser`, `import`. Empty for the notes of a person. */
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
  readonly record: 'longtask' | 'asset' | 'span' | 'note';
  readonly t: Float64Array;
  readonly duration: Float64Array;
  readonly lane: Uint8Array;
  readonly lanes: number;
  readonly names: readonly string[];
};

/** Named points in time: marks, logs. */
export type PointTrack = TrackOf<'points'> & {
  readonly record: 'mark' | 'log' | 'note';
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

/** A function that ran. `share` is its part of the own time of all functions, 0 to 1. */
export type BusyFunction = {
  readonly name: string;
  readonly category: string;
  readonly self: number;
  readonly share: number;
};

/** What was at work in a time range, the most first. The counts include what is not listed. */
export type SecondView = {
  readonly range: TimeRange;
  readonly memory: readonly MemoryChange[];
  readonly assets: readonly {
    readonly name: string;
    readonly phase: string;
    readonly within_ms: number;
  }[];
  readonly assetCount: number;
  /** Those of the first group of stacks that has samples in the range, by their own time. */
  readonly functions: readonly BusyFunction[];
  readonly functionCount: number;
  /** The unit of `self`. */
  readonly unit: string;
};

export type TimelineCalls = {
  readonly timeline: Call<{ readonly slot: Slot }, Timeline>;
  readonly second: Call<{ readonly slot: Slot; readonly range: TimeRange }, SecondView>;
};
