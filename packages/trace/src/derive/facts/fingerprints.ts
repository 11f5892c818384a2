// Counts distinct items by 64-bit fingerprints, with a hash set in one typed array, up to a limit.

import { mix } from '../../bytes/hash-bytes.ts';
import { DISTINCT_COUNTED } from '../../format/limits.ts';

/** The number of distinct items, or `">10000000"`. */
export type DistinctCount = number | `>${number}`;

/** With 10 million items, the probability that two share a fingerprint is below 1 in 300,000. A slot takes 8 bytes. */
export class FingerprintSet {
  #slots = new Int32Array(1 << 11);
  #length = 0;
  #isFull = false;

  get count(): DistinctCount {
    return this.#isFull ? `>${DISTINCT_COUNTED}` : this.#length;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Stops counting: there may be more items than the limit. */
  overflow(): void {
    this.#isFull = true;
    this.#slots = new Int32Array(2);
  }

  add(first: number, second: number): void {
    if (this.#isFull) return;
    const low = first === 0 && second === 0 ? 1 : first;
    const slots = this.#slots;
    const slot = emptyOrEqual(slots, low, second);
    if (slots[slot] === low && slots[slot + 1] === second) return;
    if (this.#length === DISTINCT_COUNTED) {
      this.overflow();
      return;
    }
    slots[slot] = low;
    slots[slot + 1] = second;
    this.#length++;
    if (this.#length * 3 > slots.length) this.#grow();
  }

  #grow(): void {
    const old = this.#slots;
    const grown = new Int32Array(old.length * 2);
    for (let i = 0; i < old.length; i += 2) {
      const first = old[i] ?? 0;
      const second = old[i + 1] ?? 0;
      if (first === 0 && second === 0) continue;
      const slot = emptyOrEqual(grown, first, second);
      grown[slot] = first;
      grown[slot + 1] = second;
    }
    this.#slots = grown;
  }
}

/** The slot of a pair, or the empty slot for it, by linear probing. (0, 0) is empty. */
function emptyOrEqual(slots: Int32Array, first: number, second: number): number {
  const mask = slots.length - 2;
  let slot = (mix(first ^ second) << 1) & mask;
  while (
    !(slots[slot] === 0 && slots[slot + 1] === 0) &&
    !(slots[slot] === first && slots[slot + 1] === second)
  ) {
    slot = (slot + 2) & mask;
  }
  return slot;
}
