// Random choices that a seed repeats.
import { createHash } from 'node:crypto';

export type Random = {
  /** A number from 0 up to but not including 1. */
  next(): number;
  pick<T>(values: readonly T[]): T;
  shuffle<T>(values: readonly T[]): T[];
};

export function createRandom(seed: string): Random {
  let count = 0;
  const next = (): number =>
    createHash('sha256').update(`${seed} ${count++}`).digest().readUInt32BE() / 2 ** 32;
  return {
    next,
    pick(values) {
      const value = values[Math.floor(next() * values.length)];
      if (value === undefined) throw new Error('There is nothing to pick');
      return value;
    },
    shuffle: (values) =>
      values
        .map((value) => ({ value, rank: next() }))
        .toSorted((a, b) => a.rank - b.rank)
        .map(({ value }) => value),
  };
}
