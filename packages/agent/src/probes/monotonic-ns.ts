// The clock of the kernel's event times.

/** CLOCK_MONOTONIC in nanoseconds; exact to 16 ns for the first four years after boot. */
export function monotonicNs(): number {
  return Number(process.hrtime.bigint());
}
