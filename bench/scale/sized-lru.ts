// A cache of a limited size. What was not used for the longest time leaves first.

type Entry<Value> = { readonly value: Value; readonly size: number };

export class SizedLru<Value> {
  readonly #entries = new Map<number, Entry<Value>>();
  readonly #maxSize: number;
  #size = 0;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the value and marks it as used now; undefined if there is none. */
  get(key: number): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Sets a value, unless it is larger than the cache. */
  set(key: number, value: Value, size: number): void {
    this.#remove(key);
    if (size > this.#maxSize) return;
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#maxSize) return;
      this.#remove(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }

  /** Puts the entries in the order of a number, so that the smallest one leaves first. */
  reorder(by: (value: Value) => number): void {
    const entries = [...this.#entries].sort(([, a], [, b]) => by(a.value) - by(b.value));
    this.#entries.clear();
    for (const [key, entry] of entries) this.#entries.set(key, entry);
  }

  #remove(key: number): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}
