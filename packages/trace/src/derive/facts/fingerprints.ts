// Counts distinct things by 64-bit fingerprints: a hash set in one typed array, up to a bound.

import { mix } from '../../bytes/hash-bytes.ts';
import { DISTINCT_COUNTED } from '../../format/limits.ts';

/** How many distinct: the number, or `">10000000"`. */
export type DistinctCount = number | `>${number}`;

/** With 10 million entries the chance that two share a fingerprint is below one in 300,000. Takes 8 bytes a slot. */
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

  /** Gives up counting: there may be more than the bound. */
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

/** Linear probing over pairs; (0, 0) is empty. */
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
