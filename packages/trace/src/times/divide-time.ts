// Divides time among nested intervals, so that no time counts twice: the interval that began last has it.
import type { IntervalList } from './time-cover.ts';

/** Calls `visit` with each part of time from `from` to before `to`, and the index of the interval that has it. */
export function divideTime(
  { from, to }: IntervalList,
  visit: (index: number, from: number, to: number) => void,
): void {
  const order = Uint32Array.from({ length: from.length }, (_, i) => i);
  order.sort((a, b) => (from[a] ?? 0) - (from[b] ?? 0) || (to[b] ?? 0) - (to[a] ?? 0) || a - b);
  const open: number[] = [];
  let time = Number.NEGATIVE_INFINITY;
  const advance = (until: number): void => {
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const end = to[top] ?? 0;
      if (Math.min(end, until) > time) visit(top, time, Math.min(end, until));
      time = Math.max(time, Math.min(end, until));
      if (end > until) return;
      open.pop();
    }
  };
  for (const index of order) {
    const start = from[index] ?? 0;
    advance(start);
    time = start;
    open.push(index);
  }
  advance(Number.POSITIVE_INFINITY);
}
