import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLATFORM_LIMITS } from '@svc/contracts/platform';
import { ApiError } from '@svc/serve';
import { createRateLimits, type RateKind } from './rate-limit.ts';

const HOUR_MS = 3_600_000;
/** Different limits, so that the test notices if kinds are mixed up. */
const PER_MINUTE: Readonly<Record<RateKind, number>> = {
  failures: 3,
  sessions: 4,
  writes: 5,
  searches: 6,
  parts: 7,
  reports: 8,
  logouts: 9,
};

/** Rate limits with the test's clock. */
function limited() {
  let now = HOUR_MS;
  const limits = createRateLimits(
    {
      ...PLATFORM_LIMITS,
      rate_failures_per_minute: PER_MINUTE.failures,
      rate_sessions_per_minute: PER_MINUTE.sessions,
      rate_writes_per_minute: PER_MINUTE.writes,
      rate_searches_per_minute: PER_MINUTE.searches,
      rate_parts_per_minute: PER_MINUTE.parts,
      rate_reports_per_minute: PER_MINUTE.reports,
      rate_logouts_per_minute: PER_MINUTE.logouts,
    },
    () => now,
  );
  /** Returns the seconds to wait if the bucket is empty, else 0. */
  const take = (kind: RateKind, who: string): number => {
    try {
      limits.take(kind, who);
      return 0;
    } catch (error) {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, 'rate_limited');
      const seconds = Number(error.parts.headers?.['Retry-After']);
      assert.match(error.message, new RegExp(`Wait ${seconds} s$`));
      return seconds;
    }
  };
  return {
    take,
    /** Returns how many requests are accepted until one is rejected. */
    burst(kind: RateKind, who: string): number {
      let taken = 0;
      while (taken < 1_000 && take(kind, who) === 0) taken++;
      return taken;
    },
    pass(ms: number): void {
      now += ms;
    },
  };
}

test('each kind of request and each user or address has its own limit', () => {
  const { burst } = limited();
  for (const kind of ['failures', 'sessions', 'writes', 'searches'] as const) {
    assert.equal(burst(kind, 'ada'), PER_MINUTE[kind], kind);
    assert.equal(burst(kind, 'ada'), 0, kind);
  }
  assert.equal(burst('writes', 'bob'), PER_MINUTE.writes);
});

test('a bucket is full after an hour without requests, and not more than full', () => {
  const { burst, pass } = limited();
  assert.equal(burst('writes', 'ada'), PER_MINUTE.writes);
  pass(HOUR_MS);
  assert.equal(burst('writes', 'ada'), PER_MINUTE.writes);
});

test('a bucket refills steadily, and Retry-After is the time until the next request is accepted', () => {
  const { take, burst, pass } = limited();
  burst('writes', 'ada');
  // Five a minute: one every 12 s.
  assert.equal(take('writes', 'ada'), 12);
  pass(11_999);
  assert.equal(take('writes', 'ada'), 1);
  pass(1);
  assert.equal(take('writes', 'ada'), 0);
  assert.equal(take('writes', 'ada'), 12);
  pass(6_500);
  assert.equal(take('writes', 'ada'), 6);
  pass(29_500);
  assert.equal(burst('writes', 'ada'), 3);
});

test('a clock that is set back does not change a bucket', () => {
  const { take, burst, pass } = limited();
  take('writes', 'ada');
  pass(-HOUR_MS);
  assert.equal(burst('writes', 'ada'), PER_MINUTE.writes - 1);
  pass(12_000);
  assert.equal(burst('writes', 'ada'), 1);
});

test('at most 20,000 buckets are kept, and the least recently used one is dropped', () => {
  const { take, burst } = limited();
  burst('writes', 'first');
  burst('writes', 'second');
  for (let index = 2; index < 20_000; index++) take('writes', `other ${index}`);
  assert.equal(burst('writes', 'first'), 0, 'all are kept, and this one is used again');
  take('writes', 'one more');
  assert.equal(burst('writes', 'first'), 0);
  assert.equal(burst('writes', 'second'), PER_MINUTE.writes);
});

test('without limits no request is rejected', () => {
  const { take } = createRateLimits(null, () => 0);
  for (let times = 0; times < 1_000; times++) take('failures', 'ada');
});
