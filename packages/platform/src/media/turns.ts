// Limits how much heavy work runs at once: who comes first is served first, and who has gone no longer waits.

/** Work that takes turns. `waiting` is how many calls have not begun yet. */
export type Turns = {
  readonly waiting: number;
  /** Does the work when its turn has come. Rejects with the signal's reason where that aborts before. */
  run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
};

/** Lets `atOnce` pieces of work run at the same time. */
export function createTurns(atOnce: number): Turns {
  let free = atOnce;
  const queue = new Set<() => void>();
  const take = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (free > 0) {
      free--;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      queue.delete(resolve);
      reject(signal.reason);
    };
    queue.add(resolve);
    signal.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', leave));
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
