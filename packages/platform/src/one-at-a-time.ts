// Work that must not run twice at a time, and whose repetitions are shared.

/** Runs work for keys, for each key one run at a time. */
export type OneAtATime = {
  /**
   * Does the work in a run that begins after this call. Calls during a run share the next one. Rejects with the error of the
   * run.
   */
  run(key: string): Promise<void>;
  /** Resolves when no run is at work or waits. */
  settle(): Promise<void>;
};

export function oneAtATime(work: (key: string) => Promise<void>): OneAtATime {
  const waiting = new Map<string, Promise<void>>();
  /** For each key the run that ends last. */
  const last = new Map<string, Promise<void>>();
  return {
    run(key) {
      const planned = waiting.get(key);
      if (planned !== undefined) return planned;
      const before = last.get(key)?.catch(() => {}) ?? Promise.resolve();
      const next = before
        .then(() => {
          waiting.delete(key);
          return work(key);
        })
        .finally(() => {
          if (last.get(key) === next) last.delete(key);
        });
      waiting.set(key, next);
      last.set(key, next);
      return next;
    },
    async settle() {
      while (last.size > 0) await Promise.allSettled(last.values());
    },
  };
}
