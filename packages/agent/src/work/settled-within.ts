// Waits for work, but only for a limited time.

/**
 * Resolves with true when the work has resolved, or with false after `ms`. The work continues.
 * Rejects if the work does.
 */
export async function settledWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
