// Waits for a condition in tests, with a timeout.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls `probe` every 20 ms until `holds` accepts its value, and returns the value. After `patienceMs` (default 110 s),
 * throws an error with `what` and the last value.
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
