// Buckets that empty with each request and refill steadily (the generic cell rate algorithm). A bucket is the time until it is full.
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

/** How far a bucket was from full, and when. */
type Bucket = { readonly untilFull: number; readonly at: number };

/**
 * The largest number of buckets with the same period. Beyond it the least recently used one is dropped, so its owner starts with a
 * full one.
 */
const BUCKETS = 100_000;
const MS = 1000;

/** Creates buckets in the memory of this process. `now` is its clock in milliseconds. */
export function createOwnBuckets(now: () => number): OwnBuckets {
  // By period, so that requests from many addresses in a minute drop no daily bucket.
  const periods = new Map<number, LRUCache<string, Bucket>>();
  const bucketsOf = ({ period }: Share): LRUCache<string, Bucket> => {
    const found = periods.get(period) ?? new LRUCache<string, Bucket>({ max: BUCKETS });
    periods.set(period, found);
    return found;
  };
  const untilFull = (share: Share, at: number): number => {
    const bucket = bucketsOf(share).get(share.key);
    if (bucket === undefined) return 0;
    // While the clock is set back, nothing refills, and nothing is lost.
    return Math.max(0, bucket.untilFull - Math.max(0, at - bucket.at));
  };
  const change = (share: Share, by: number, at: number): number => {
    const level = Math.max(0, untilFull(share, at) + by);
    bucketsOf(share).set(share.key, { untilFull: level, at });
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
      bucketsOf(share).set(share.key, { untilFull: level, at: Math.floor(now() * MS) });
    },
  };
}
