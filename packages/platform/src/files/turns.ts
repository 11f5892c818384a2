// Limits how much heavy work runs at once: first come, first served. An aborted caller leaves the queue.

/** A queue for work. `waiting` is the number of calls that have not started yet. */
export type Turns = {
  readonly waiting: number;
  /** Runs the work when its turn comes. Rejects with the reason of the signal, if any, if that aborts first. */
  run<Result>(signal: AbortSignal | null, work: () => Promise<Result>): Promise<Result>;
};

/** Creates a queue that runs up to `atOnce` pieces of work at the same time. */
export function createTurns(atOnce: number): Turns {
  let free = atOnce;
  const queue = new Set<() => void>();
  const take = async (signal: AbortSignal | null): Promise<void> => {
    signal?.throwIfAborted();
    if (free > 0) {
      free--;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      queue.delete(resolve);
      reject(signal?.reason);
    };
    queue.add(resolve);
    signal?.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal?.removeEventListener('abort', leave));
  };
  const pass = (): void => {
    const [next] = queue;
    if (next === undefined) {
      free++;
      return;
    }
    queue.delete(next);
    next();
  };
  return {
    get waiting() {
      return queue.size;
    },
    async run(signal, work) {
      await take(signal);
      try {
        return await work();
      } finally {
        pass();
      }
    },
  };
}
