// Parses the lines of the probe `frames`: one for each call that presents a frame.
//
//   @a[TID, CALL]: (NS, DISPLAY, SURFACE)

/** A call that presents a frame. */
export type Swap = {
  /** The thread, by the number that the kernel reports. */
  readonly tid: number;
  /** The number of this call among those of its thread, from 1. */
  readonly call: number;
  /** CLOCK_MONOTONIC in nanoseconds. */
  readonly ns: number;
  /** Identifies the window: the display and the surface that the program passed. */
  readonly window: string;
};

const LINE = /^@[ab]\[(\d{1,10}), ?(\d{1,15})\]: \((\d{1,19}), ?(-?\d{1,20}, ?-?\d{1,20})\)$/;

/** Null if the line is not a valid one. */
export function parseFrameLine(text: string): Swap | null {
  const [, tid, call, ns, window] = LINE.exec(text) ?? [];
  if (window === undefined) return null;
  return { tid: Number(tid), call: Number(call), ns: Number(ns), window };
}
