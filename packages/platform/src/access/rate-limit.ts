// Limits how often one address or user may call: a token bucket for each, in the memory of this process.
import type { PlatformLimits } from '@svc/contracts/platform';
import { LRUCache } from 'lru-cache';
import { failure } from '../failure.ts';

/** What is counted. Each kind has its own limit. */
export type RateKind =
  | 'failures'
  | 'sessions'
  | 'writes'
  | 'parts'
  | 'searches'
  | 'reports'
  | 'logouts';

export type RateLimits = {
  /** Takes one token from the bucket. Throws `rate_limited` with Retry-After if the bucket is empty. */
  take(kind: RateKind, who: string): void;
};

type Bucket = { tokens: number; filledAt: number };

/** The largest number of buckets. Beyond it the least recently used one is dropped, so its owner starts with a full one. */
const BUCKETS = 20_000;
const MINUTE_MS = 60_000;

/** Creates the rate limits of a server. With `null`, nothing is limited. `onRejected` is called for each rejected request. */
export function createRateLimits(
  limits: PlatformLimits | null,
  now: () => number,
  onRejected: (kind: RateKind) => void = () => {},
): RateLimits {
  if (limits === null) return { take: () => {} };
  const perMinute: Readonly<Record<RateKind, number>> = {
    failures: limits.rate_failures_per_minute,
    sessions: limits.rate_sessions_per_minute,
    writes: limits.rate_writes_per_minute,
    parts: limits.rate_parts_per_minute,
    searches: limits.rate_searches_per_minute,
    reports: limits.rate_reports_per_minute,
    logouts: limits.rate_logouts_per_minute,
  };
  const buckets = new LRUCache<string, Bucket>({ max: BUCKETS });
  const refill = (kind: RateKind, who: string): Bucket => {
    const key = `${kind} ${who}`;
    const most = perMinute[kind];
    const bucket = buckets.get(key) ?? { tokens: most, filledAt: now() };
    const gained = ((now() - bucket.filledAt) * most) / MINUTE_MS;
    bucket.tokens = Math.min(most, bucket.tokens + Math.max(0, gained));
    bucket.filledAt = now();
    buckets.set(key, bucket);
    return bucket;
  };
  const check = (kind: RateKind, who: string): Bucket => {
    const bucket = refill(kind, who);
    if (bucket.tokens >= 1) return bucket;
    onRejected(kind);
    const seconds = Math.ceil(((1 - bucket.tokens) * MINUTE_MS) / perMinute[kind] / 1000);
    throw failure('rate_limited', `Too many requests. Wait ${seconds} s`, {
      headers: { 'Retry-After': String(Math.max(1, seconds)) },
    });
  };
  return {
    take(kind, who) {
      check(kind, who).tokens--;
    },
  };
}
