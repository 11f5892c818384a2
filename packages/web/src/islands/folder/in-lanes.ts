// Works on the items of a list, several at once.

/**
 * Calls `work` for each item. The first failure aborts the signal of the other calls and is thrown when they have ended. Throws
 * the reason of `signal` if it is aborted.
 */
export async function inLanes<Item>(
  items: Iterable<Item>,
  lanes: number,
  signal: AbortSignal,
  work: (item: Item, ended: AbortSignal) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const failed = new AbortController();
  const ended = AbortSignal.any([signal, failed.signal]);
  const workOn = async (): Promise<void> => {
    try {
      for (let next = rest.next(); next.done !== true; next = rest.next()) {
        ended.throwIfAborted();
        await work(next.value, ended);
      }
    } catch (error) {
      failed.abort(error);
    }
  };
  await Promise.all(Array.from({ length: lanes }, workOn));
  failed.signal.throwIfAborted();
}
