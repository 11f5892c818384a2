// Random numbers that depend on a seed only.

/** Mixes two numbers to 32 bits (the finalizer of MurmurHash3). */
export function hash32(one: number, other: number): number {
  let h = Math.imul(one ^ 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(other + 0x7f4a_7c15, 0xc2b2_ae35);
  h = Math.imul(h ^ (h >>> 16), 0x85eb_ca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2_ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Returns a generator of numbers from 0 up to 1, exclusive (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = hash32(seed, 0);
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
