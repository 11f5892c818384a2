// A bound for what a test waits for.

/** How long a test waits for one thing, on a machine however busy. Under the time that a test has. */
export const PATIENCE_MS = 110_000;

/** What the work comes to; rejects where that takes too long. Goes by a clock that no test stops. */
export async function within<T>(work: PromiseLike<T>, what: string, ms = PATIENCE_MS): Promise<T> {
  const late = AbortSignal.timeout(ms);
  const stop = Promise.withResolvers<never>();
  const giveUp = (): void => stop.reject(new Error(`waited ${ms} ms for ${what}`));
  late.addEventListener('abort', giveUp);
  try {
    return await Promise.race([work, stop.promise]);
  } finally {
    late.removeEventListener('abort', giveUp);
  }
}
