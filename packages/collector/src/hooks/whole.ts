// Converts arguments and sums to integers, as the browser does with the arguments of its methods.

/** Converts an argument to an integer as the browser does: truncated, numbers in strings parsed, otherwise 0. */
export function whole(value: unknown): number {
  if (typeof value !== 'number' && typeof value !== 'string') return 0;
  const number = Math.trunc(Number(value));
  return Number.isSafeInteger(number) ? number + 0 : 0;
}

/** Converts a sum to a count of the trace: a safe integer ≥ 0. */
export function countOf(sum: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(sum)));
}
