import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLATFORM_LIMITS } from '@svc/contracts/platform';
import { createOwnBuckets } from './buckets.ts';
import type { LimitName } from './policies.ts';
import { createRateLimits } from './rate-limits.ts';

const HOUR_MS = 3_600_000;
/** Different limits, so that the test notices if kinds are mixed up. */
const PER_MINUTE = {
  failures: 3,
  sessions: 4,
  writes: 5,
  searches: 6,
  parts: 7,
  reports: 8,
  logouts: 9,
} as const;

/** Rate limits with the test's clock. */
function limited() {
  let now = HOUR_MS;
  const rejected: string[] = [];
  const rates = createRateLimits({
    limits: {
      ...PLATFORM_LIMITS,
      rate_failures_per_minute: PER_MINUTE.failures,
      rate_sessions_per_minute: PER_MINUTE.sessions,
      rate_writes_per_minute: PER_MINUTE.writes,
      rate_searches_per_minute: PER_MINUTE.searches,
      rate_parts_per_minute: PER_MINUTE.parts,
      rate_reports_per_minute: PER_MINUTE.reports,
      rate_logouts_per_minute: PER_MINUTE.logouts,
      daily_projects_per_user: 24,
      daily_upload_bytes_per_user: 1000,
    },
    buckets: createOwnBuckets(() => now),
    hashKey: Buffer.alloc(32),
    onRejected: (limit) => rejected.push(limit),
  });
  const use = async (limit: LimitName, who: string, units = 1) => {
    const [state] = await rates.use([{ limit, who, units }]);
    assert.ok(state);
    return state;
  };
  /** Returns the seconds to wait if too little is left, else 0. */
  const take = async (limit: LimitName, who: string, units = 1): Promise<number> => {
    const { fits, seconds } = await use(limit, who, units);
    return fits ? 0 : seconds;
  };
  return {
    rates,
    rejected,
    use,
    take,
    /** Returns how many requests are accepted until one is rejected. */
    async burst(limit: LimitName, who: string): Promise<number> {
      let taken = 0;
      while (taken < 1_000 && (await take(limit, who)) === 0) taken++;
      return taken;
    },
    pass(ms: number): void {
      now += ms;
    },
  };
}

test('each limit and each user or address has its own bucket', async () => {
  const { burst, rejected } = limited();
  for (const [limit, most] of Object.entries(PER_MINUTE)) {
    const name = limit as keyof typeof PER_MINUTE;
    assert.equal(await burst(name, 'ada'), most, limit);
    assert.equal(await burst(name, 'ada'), 0, limit);
  }
  assert.equal(await burst('writes', 'bob'), PER_MINUTE.writes);
  assert.equal(rejected.filter((limit) => limit === 'parts').length, 2);
});

test('a bucket is full after an hour without requests, and not more than full', async () => {
  const { burst, pass } = limited();
  assert.equal(await burst('writes', 'ada'), PER_MINUTE.writes);
  pass(HOUR_MS);
  assert.equal(await burst('writes', 'ada'), PER_MINUTE.writes);
});

test('a bucket refills steadily, and a rejection states the time until a request is accepted', async () => {
  const { take, burst, pass } = limited();
  await burst('writes', 'ada');
  // Five a minute: one every 12 s.
  assert.equal(await take('writes', 'ada'), 12);
  pass(11_999);
  assert.equal(await take('writes', 'ada'), 1);
  pass(1);
  assert.equal(await take('writes', 'ada'), 0);
  assert.equal(await take('writes', 'ada'), 12);
  pass(6_500);
  assert.equal(await take('writes', 'ada'), 6);
  pass(29_500);
  assert.equal(await burst('writes', 'ada'), 3);
});

test('a daily limit refills over the day', async () => {
  const { take, burst, pass } = limited();
  assert.equal(await burst('daily_projects_per_user', 'ada'), 24);
  assert.equal(await take('daily_projects_per_user', 'ada'), 3600);
  pass(HOUR_MS);
  assert.equal(await burst('daily_projects_per_user', 'ada'), 1);
});

test('bytes are counted exactly, and more than a day has never fit', async () => {
  const { use } = limited();
  const take = async (bytes: number) => {
    const { fits, remaining, seconds } = await use('daily_upload_bytes_per_user', 'ada', bytes);
    return { fits, remaining, seconds };
  };
  assert.deepEqual(await take(1001), { fits: false, remaining: 1000, seconds: 86_400 });
  assert.deepEqual(await take(0), { fits: true, remaining: 1000, seconds: 0 });
  assert.deepEqual(await take(900), { fits: true, remaining: 100, seconds: 87 });
  assert.deepEqual(await take(101), { fits: false, remaining: 100, seconds: 87 });
  assert.deepEqual(await take(100), { fits: true, remaining: 0, seconds: 87 });
  assert.deepEqual(await take(500), { fits: false, remaining: 0, seconds: 43_200 });
});

test('needed units are not used, and too few of them reject', async () => {
  const { rates, rejected } = limited();
  const limit = 'daily_upload_bytes_per_user';
  const need = async (needed: number, units = 0) => {
    const [state] = await rates.use([{ limit, who: 'ada', units, needed }]);
    return { fits: state?.fits, remaining: state?.remaining, seconds: state?.seconds };
  };
  assert.equal((await need(0, 900)).fits, true);
  assert.deepEqual(await need(100), { fits: true, remaining: 100, seconds: 87 });
  assert.deepEqual(rejected, []);
  assert.deepEqual(await need(101), { fits: false, remaining: 100, seconds: 87 });
  assert.deepEqual(await need(600), { fits: false, remaining: 100, seconds: 43_200 });
  assert.deepEqual(rejected, [limit, limit]);
});

test('what remains decreases with each use, and is more after the stated time', async () => {
  const { use, pass } = limited();
  for (const remaining of [6, 5, 4, 3, 2, 1, 0]) {
    assert.equal((await use('parts', 'ada')).remaining, remaining);
  }
  const { seconds } = await use('parts', 'ada', 0);
  assert.equal(seconds, 9, 'seven a minute');
  pass(seconds * 1000);
  assert.equal((await use('parts', 'ada', 0)).remaining, 1);
});

test('if one of several limits has too little left, none is used', async () => {
  const { rates, use, burst, rejected } = limited();
  await burst('searches', 'ada');
  rejected.splice(0);
  const states = await rates.use([
    { limit: 'writes', who: 'ada', units: 1 },
    { limit: 'searches', who: 'ada', units: 1 },
  ]);
  assert.deepEqual(
    states.map(({ fits, remaining }) => [fits, remaining]),
    [
      [true, 5],
      [false, 0],
    ],
  );
  assert.deepEqual(rejected, ['searches']);
  assert.equal((await use('writes', 'ada')).remaining, 4);
});

test('what is given back can be used again, and a bucket is never more than full', async () => {
  const { rates, use } = limited();
  const uses = [{ limit: 'writes', who: 'ada', units: 3 }] as const;
  await rates.use(uses);
  await rates.giveBack(uses);
  await rates.giveBack(uses);
  assert.equal((await use('writes', 'ada')).remaining, 4);
});

test('after a clock is set back, a bucket contains what it contained, and is full within its period', async () => {
  const { take, burst, pass } = limited();
  await take('writes', 'ada');
  pass(-HOUR_MS);
  assert.equal(await burst('writes', 'ada'), PER_MINUTE.writes - 1);
  pass(60_000);
  assert.equal(await burst('writes', 'ada'), PER_MINUTE.writes);
});

test('at most 100,000 buckets of each period are kept, and the least recently used one is dropped', async () => {
  const buckets = createOwnBuckets(() => HOUR_MS);
  const share = (key: string) => ({ key, cost: 600, period: 1000 });
  const fits = async (key: string) => (await buckets.take([share(key)]))[0]?.fits;
  const ofDay = { key: 'of a day', cost: 60_000, period: 100_000 };
  await buckets.take([ofDay]);
  for (let index = 0; index < 100_000; index++) await fits(`${index}`);
  assert.equal(await fits('0'), false, 'all are kept, and this one is used again');
  await fits('one more');
  assert.equal(await fits('0'), false);
  assert.equal(await fits('1'), true);
  assert.equal((await buckets.take([ofDay]))[0]?.fits, false, 'those of a minute do not drop it');
});
