// Step functions of time, such as the GPU memory of an asset: each value holds until the next change.
import { firstAbove, firstAtLeast } from '../../times/search-sorted.ts';

/** Values from `t[i]` on, with ascending times. Before the first time the value is 0. */
export type StepLevels = { readonly t: readonly number[]; readonly value: readonly number[] };

/** The value at a time, after the changes at that time. */
function levelAt({ t, value }: StepLevels, time: number): number {
  return value[firstAbove(t, time) - 1] ?? 0;
}

/**
 * The median by time between two times: the smallest value that, with all smaller ones, holds for at least half of the time. If
 * `to_ms` is not after `from_ms`, the value at `from_ms`.
 */
export function medianLevel(
  levels: StepLevels,
  { from_ms, to_ms }: { readonly from_ms: number; readonly to_ms: number },
): number {
  const { t, value } = levels;
  const parts: { readonly level: number; readonly ms: number }[] = [];
  let at = from_ms;
  let level = levelAt(levels, from_ms);
  for (let i = firstAbove(t, from_ms); (t[i] ?? to_ms) < to_ms; i++) {
    parts.push({ level, ms: (t[i] ?? 0) - at });
    at = t[i] ?? 0;
    level = value[i] ?? 0;
  }
  parts.push({ level, ms: to_ms - at });
  parts.sort((a, b) => a.level - b.level);
  let passed = 0;
  for (const part of parts) {
    passed += part.ms;
    if (passed * 2 >= to_ms - from_ms) return part.level;
  }
  return level;
}

/** The least value from just before `from_ms` until after the changes at `to_ms`. */
export function leastLevel(
  { t, value }: StepLevels,
  { from_ms, to_ms }: { readonly from_ms: number; readonly to_ms: number },
): number {
  const start = firstAtLeast(t, from_ms);
  const within = value.slice(start, firstAbove(t, to_ms));
  return within.reduce((least, one) => Math.min(least, one), value[start - 1] ?? 0);
}

/** The sum of step functions. */
export function sumOfLevels(all: readonly StepLevels[]): StepLevels {
  const changes = all.flatMap(({ t, value }) =>
    t.map((time, i) => ({ time, change: (value[i] ?? 0) - (value[i - 1] ?? 0) })),
  );
  changes.sort((a, b) => a.time - b.time);
  const t: number[] = [];
  const value: number[] = [];
  let sum = 0;
  for (const { time, change } of changes) {
    sum += change;
    if (t.at(-1) === time) value[value.length - 1] = sum;
    else {
      t.push(time);
      value.push(sum);
    }
  }
  return { t, value };
}
