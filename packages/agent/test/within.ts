// A time limit for what a test waits for.

/**
 * How long a test waits for one thing, even on a busy machine. Less than the time limit of a test.
 */
export const PATIENCE_MS = 110_000;

/** The result of the work. Rejects if it takes too long. Uses a clock that no test stops. */
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
