// Hashes of bytes. The constants are random per process, so that no file can be prepared whose names all collide.
// Hashes determine only the slots of hash tables, never results.

const draw = (): number => (Math.random() * 0x1_0000_0000) | 0;

/** Start value and (odd) multiplier of the first hash. */
export const HASH_START = draw();
export const HASH_FACTOR = draw() | 1;
const HASH_START_2 = draw();
const HASH_FACTOR_2 = draw() | 1;

/**
 * The first hash of `bytes[start..end)`: little-endian words of four bytes, then the remaining bytes, then `mix`.
 * `split-frames.ts` must compute the same hash.
 */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = HASH_START;
  let word = 0;
  for (let i = start; i < end; i++) {
    const shift = ((i - start) & 3) * 8;
    word |= (bytes[i] ?? 0) << shift;
    if (shift !== 24) continue;
    hash = hashWord(hash, word);
    word = 0;
  }
  return mix(hashWord(hash, word));
}

/** Adds a word to a hash. */
function hashWord(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, HASH_FACTOR);
  return product ^ (product >>> 15);
}

/** A second hash, independent of the first. Together they have 64 bits. */
export function hashBytes2(bytes: Uint8Array, start: number, end: number): number {
  let hash = HASH_START_2;
  for (let i = start; i < end; i++) {
    hash = Math.imul(((hash << 7) | (hash >>> 25)) ^ (bytes[i] ?? 0), HASH_FACTOR_2);
  }
  return mix(hash);
}

/** Spreads every bit over all bits (the finalizer of MurmurHash3). */
export function mix(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

export function hashPair(a: number, b: number): number {
  return mix(Math.imul(a ^ HASH_START, HASH_FACTOR) ^ Math.imul(b ^ HASH_START_2, HASH_FACTOR_2));
}
