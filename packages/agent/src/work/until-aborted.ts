// Waits for work until a signal aborts. The work itself continues.

/**
 * Resolves with the result of the work. When the signal aborts, rejects with `reason()`, or by
 * default with the signal's reason.
 */
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
