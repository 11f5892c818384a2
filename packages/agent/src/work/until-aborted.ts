// Waits for work no longer than a signal lets it. The work itself goes on.

/** What the work comes to; rejects with `reason`, else with the signal's own, once the signal aborts. */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  reason: () => unknown = () => signal.reason,
): Promise<T> {
  const stop = Promise.withResolvers<never>();
  const abort = (): void => stop.reject(reason());
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, stop.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
