// Keeps the result of a request for some time.

export type Kept<T> = {
  /** The kept result, or a new one. Concurrent callers share one request. A failure is not kept. */
  read(): Promise<T>;
  /** Makes the next call of `read` send a request. */
  forget(): void;
};

/** Keeps the result of `request` for `ms` milliseconds. */
export function keepFor<T>(ms: number, now: () => number, request: () => Promise<T>): Kept<T> {
  let kept: { readonly result: Promise<T>; readonly until: number } | null = null;
  return {
    read() {
      if (kept !== null && now() < kept.until) return kept.result;
      const entry = { result: request(), until: now() + ms };
      kept = entry;
      entry.result.catch(() => {
        if (kept === entry) kept = null;
      });
      return entry.result;
    },
    forget() {
      kept = null;
    },
  };
}
