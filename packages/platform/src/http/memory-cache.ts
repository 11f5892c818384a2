// A cache in memory with a limit in bytes. It removes the least recently used entries first.

/** A cache with a limit in bytes. */
export type MemoryCache<Key, Value> = {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
};

/** Creates a cache of at most `totalBytes`. `bytesOf` returns the size of a value. */
export function createMemoryCache<Key, Value>(
  totalBytes: number,
  bytesOf: (value: Value) => number,
): MemoryCache<Key, Value> {
  const entries = new Map<Key, Value>();
  let held = 0;
  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      if (entries.has(key)) return;
      entries.set(key, value);
      held += bytesOf(value);
      for (const [oldest, dropped] of entries) {
        if (held <= totalBytes) break;
        entries.delete(oldest);
        held -= bytesOf(dropped);
      }
    },
  };
}
