// Ticks of an axis: round values, as many as fit.

/** Steps above one second, in ms, as on a clock. Below, steps are 1, 2 or 5 times a power of ten. */
const CLOCK_STEPS_MS = [
  1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3, 1800e3, 3600e3, 7200e3,
  21600e3, 43200e3, 86400e3,
];

/** Returns the interval of ticks in ms, so that at most `most` fit in `span` ms. */
export function timeStep(span: number, most: number): number {
  const least = span / Math.max(1, most);
  if (least <= 500) return roundStep(least);
  return CLOCK_STEPS_MS.find((step) => step >= least) ?? Math.ceil(least / 86400e3) * 86400e3;
}

/**
 * Returns the smallest of 1, 2 or 5 × a power of ten that is at least `least`. Returns 1 if `least` is not a positive
 * number.
 */
export function roundStep(least: number): number {
  if (!(least > 0) || !Number.isFinite(least)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

/** The same for bytes: powers of two. */
export function byteStep(least: number): number {
  return least <= 1 ? 1 : 2 ** Math.ceil(Math.log2(least) - 1e-9);
}

/** Returns the multiples of `step` between `from` and `to`, both included, at most 1,000. */
export function ticksBetween(from: number, to: number, step: number): number[] {
  const ticks: number[] = [];
  const first = Math.ceil(from / step - 1e-9);
  for (let n = first; n * step <= to + step * 1e-9 && ticks.length < 1000; n++)
    ticks.push(n * step);
  return ticks;
}
