// Where the ticks of an axis lie: round values, about as many as there is room for.

/** Round steps of time in ms: 1, 2, 5 of each power below a second; then what clocks count in. */
const CLOCK_STEPS_MS = [
  1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3, 1800e3, 3600e3, 7200e3,
  21600e3, 43200e3, 86400e3,
];

/** The distance of ticks in ms over `span` ms where at most `most` have room. */
export function timeStep(span: number, most: number): number {
  const least = span / Math.max(1, most);
  if (least <= 500) return roundStep(least);
  return CLOCK_STEPS_MS.find((step) => step >= least) ?? Math.ceil(least / 86400e3) * 86400e3;
}

/** The smallest of 1, 2, 5 × a power of ten that is at least `least`; 1 for nothing. */
export function roundStep(least: number): number {
  if (!(least > 0) || !Number.isFinite(least)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

/** The same for sizes: 1, 2, 4, … 512 of each binary unit. */
export function byteStep(least: number): number {
  return least <= 1 ? 1 : 2 ** Math.ceil(Math.log2(least) - 1e-9);
}

/** The multiples of `step` from `from` to `to`, both included; never more than 1,000. */
export function ticksBetween(from: number, to: number, step: number): number[] {
  const ticks: number[] = [];
  const first = Math.ceil(from / step - 1e-9);
  for (let n = first; n * step <= to + step * 1e-9 && ticks.length < 1000; n++)
    ticks.push(n * step);
  return ticks;
}
