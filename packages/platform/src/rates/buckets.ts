// Buckets that empty with each request and refill steadily (the generic cell rate algorithm). A bucket is one time: when it is full again.
import { LRUCache } from 'lru-cache';

/** What a request takes from a bucket: the time that the bucket needs to refill it. Times are whole microseconds. */
export type Share = {
  readonly key: string;
  readonly cost: number;
  /** The time in which the empty bucket refills. */
  readonly period: number;
};

/** A bucket after a request: the time until it is full, and whether it contained the share. */
export type Level = { readonly untilFull: number; readonly fits: boolean };

/** All buckets of one kind of memory. */
export type Buckets = {
  /** Takes all shares, or none if one of them does not fit. Returns the levels in the same order. */
  take(shares: readonly Share[]): Promise<Level[]>;
  /** Puts shares back that were taken. */
  giveBack(shares: readonly Share[]): Promise<void>;
};

export type OwnBuckets = Buckets & {
  /** Sets the level of the share's bucket, which is counted elsewhere. */
  set(share: Share, untilFull: number): void;
};

/**
 * The largest number of buckets with the same period. Beyond it the least recently used one is dropped, so its owner starts with a
 * full one.
 */
const BUCKETS = 100_000;
const MS = 1000;

/** Creates buckets in the memory of this process. `now` is its clock in milliseconds. */
export function createOwnBuckets(now: () => number): OwnBuckets {
  // By period, so that requests from many addresses in a minute drop no daily bucket.
  const periods = new Map<number, LRUCache<string, number>>();
  const fullAt = ({ period }: Share): LRUCache<string, number> => {
    const found = periods.get(period) ?? new LRUCache<string, number>({ max: BUCKETS });
    periods.set(period, found);
    return found;
  };
  const untilFull = (share: Share, at: number): number =>
    // The clock may have been set back.
    Math.min(share.period, Math.max(0, (fullAt(share).get(share.key) ?? 0) - at));
  const change = (share: Share, by: number, at: number): number => {
    const level = Math.max(0, untilFull(share, at) + by);
    fullAt(share).set(share.key, at + level);
    return level;
  };
  return {
    async take(shares) {
      const at = Math.floor(now() * MS);
      const fits = shares.map((share) => untilFull(share, at) + share.cost <= share.period);
      const isTaken = fits.every(Boolean);
      return shares.map((share, index) => ({
        untilFull: change(share, isTaken ? share.cost : 0, at),
        fits: fits[index] ?? false,
      }));
    },
    async giveBack(shares) {
      const at = Math.floor(now() * MS);
      for (const share of shares) change(share, -share.cost, at);
    },
    set(share, level) {
      fullAt(share).set(share.key, Math.floor(now() * MS) + level);
    },
  };
}
