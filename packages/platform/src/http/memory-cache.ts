// What is asked for often, kept in memory up to a total of bytes, the longest unused going first.

/** A cache bounded by the bytes it holds. */
export type MemoryCache<Key, Value> = {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
};

/** Keeps up to `totalBytes`, as `bytesOf` counts them. */
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
