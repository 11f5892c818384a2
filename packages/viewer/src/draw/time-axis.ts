// The time axis: a visible range of the trace, and how zooms and moves change it. Pure.

/** A time range of the trace in ms, `from` < `to`. */
export type TimeRange = { readonly from: number; readonly to: number };

/** The shortest visible range. */
export const SHORTEST_VIEW_MS = 0.05;

export function timeToX(view: TimeRange, width: number, t: number): number {
  return ((t - view.from) / (view.to - view.from)) * width;
}

export function xToTime(view: TimeRange, width: number, x: number): number {
  return view.from + (x / width) * (view.to - view.from);
}

/** Zooms by `factor` (below 1 zooms in) and keeps `t` at its position on the screen. */
export function zoomAt(view: TimeRange, t: number, factor: number, whole: TimeRange): TimeRange {
  const span = view.to - view.from;
  const wanted = Math.min(whole.to - whole.from, Math.max(SHORTEST_VIEW_MS, span * factor));
  const part = (t - view.from) / span;
  return within({ from: t - wanted * part, to: t + wanted * (1 - part) }, whole);
}

/** Moves by `ms`, but not beyond the trace. */
export function panBy(view: TimeRange, ms: number, whole: TimeRange): TimeRange {
  return within({ from: view.from + ms, to: view.to + ms }, whole);
}

/** Moves the range into `whole`, and shortens it if it is longer. */
export function within(range: TimeRange, whole: TimeRange): TimeRange {
  const span = Math.min(range.to - range.from, whole.to - whole.from);
  const from = Math.min(Math.max(range.from, whole.from), whole.to - span);
  return { from, to: from + span };
}

/** Returns the view after the trace has grown. A view that showed the end still shows it; any other view stays. */
export function followGrowth(view: TimeRange, before: TimeRange, after: TimeRange): TimeRange {
  const sawAll = view.from <= before.from && view.to >= before.to;
  if (sawAll) return after;
  const sawEnd = view.to >= before.to - 1e-6;
  return sawEnd ? panBy(view, after.to - before.to, after) : within(view, after);
}

/** Returns the range between two times in any order. */
export function rangeOf(a: number, b: number): TimeRange {
  return { from: Math.min(a, b), to: Math.max(a, b) };
}
