// Sizes and counts as the browser takes them: it makes whole numbers of what a game hands in, and so does the trace.

/** An argument as the integer that the browser makes of it: cut, not rounded; of text its number; 0 of what is none. */
export function whole(value: unknown): number {
  if (typeof value !== 'number' && typeof value !== 'string') return 0;
  const number = Math.trunc(Number(value));
  return Number.isSafeInteger(number) ? number + 0 : 0;
}

/** A sum of a frame as it may stand in a trace: an integer that a double holds exactly, never negative. */
export function countOf(sum: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.trunc(sum)));
}
