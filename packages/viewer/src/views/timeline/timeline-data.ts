// What a timeline shows, as columns that travel from the worker without copies. Times are ms since the trace's start.
import type { Slot } from '../../client/trace-calls.ts';
import type { Call } from '../../client/worker-messages.ts';

/** Values over time; NaN where one could not be measured. Sorted by `t`. */
export type LineSeries = {
  readonly label: string;
  readonly t: Float64Array;
  readonly value: Float64Array;
  /**
   * Where each value holds until the next one, as of a counter that is told when it changes: until when the last one holds.
   * Absent where values are samples of what goes on changing between them.
   */
  readonly heldTo?: number;
};

type TrackOf<Kind extends string> = {
  readonly kind: Kind;
  /** Stays the same while a trace grows. */
  readonly id: string;
  readonly label: string;
  /** Who measured: `native`, `browser`, `import`. */
  readonly source: string;
};

/** Values over time with one scale: CPU, memory, a counter. */
export type LineTrack = TrackOf<'line'> & {
  readonly unit: string;
  readonly series: readonly LineSeries[];
};

/** Frames one after another; `t` is a frame's start. */
export type FrameTrack = TrackOf<'frames'> & {
  readonly t: Float64Array;
  readonly duration: Float64Array;
};

/** Things that took time: long tasks, asset loads, spans. `lane` keeps those apart that overlap. */
export type IntervalTrack = TrackOf<'intervals'> & {
  readonly t: Float64Array;
  readonly duration: Float64Array;
  readonly lane: Uint8Array;
  readonly lanes: number;
  readonly names: readonly string[];
};

/** Moments with names: marks, logs. */
export type PointTrack = TrackOf<'points'> & {
  readonly t: Float64Array;
  readonly names: readonly string[];
};

export type Track = LineTrack | FrameTrack | IntervalTrack | PointTrack;

/** A stretch without data, and why. Without a source it speaks of all tracks. */
export type Gap = {
  readonly t: number;
  readonly duration: number;
  readonly reason: string;
  readonly source: string | null;
  readonly count: number | null;
};

export type Timeline = {
  /** The end of what is latest. */
  readonly duration: number;
  readonly tracks: readonly Track[];
  readonly gaps: readonly Gap[];
};

export type TimelineCalls = {
  readonly timeline: Call<{ readonly slot: Slot }, Timeline>;
};
