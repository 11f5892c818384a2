// Binary search in ascending lists of numbers.

/** The index of the first value above `limit` in an ascending list. */
export function firstAbove(values: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) > limit) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The index of the first value at or above `limit` in an ascending list. */
export function firstAtLeast(values: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) >= limit) high = middle;
    else low = middle + 1;
  }
  return low;
}
