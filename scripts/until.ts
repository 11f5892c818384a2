// Waiting in tests: for a condition, and never without a bound.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Probes every 20 ms until `holds` accepts the value, and returns it. Throws after `patienceMs` (110 s where none is
 * given) with `what` and the last value, so that a condition that never holds fails its test and does not hold the run.
 */
export async function until<T>(
  probe: () => Promise<T> | T,
  holds: (value: T) => boolean,
  what = 'the condition holds',
  patienceMs = 110_000,
): Promise<T> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const value = await probe();
    if (holds(value)) return value;
    if (performance.now() >= end) {
      const last = typeof value === 'string' ? value : JSON.stringify(value);
      throw new Error(`waited ${patienceMs} ms until ${what}; last: ${last}`);
    }
    await sleep(20);
  }
}
