// The patience of shared buckets. test/shared-limits.test.ts tests them on PostgreSQL.
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Kysely, PostgresDialect } from 'kysely';
import type { Tables } from '../database/schema.ts';
import { createOwnBuckets } from './buckets.ts';
import { createSharedBuckets, dropFullBuckets } from './shared-buckets.ts';

test('a request waits 250 ms for PostgreSQL, and the next ones do not wait', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  let asked = 0;
  let alone = 0;
  const connect = () => {
    asked++;
    return new Promise<never>(() => {});
  };
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { options: {}, connect, end: async () => {} } }),
  });
  const own = createOwnBuckets(() => 0);
  const onAlone = (): void => {
    alone++;
  };
  const buckets = createSharedBuckets({ db, own, onAlone, onFailed: assert.ifError });
  const share = { key: 'a', cost: 400, period: 1000 };
  let isAnswered = false;
  const first = buckets.take([share]).finally(() => {
    isAnswered = true;
  });
  await new Promise(setImmediate);
  mock.timers.tick(249);
  await new Promise(setImmediate);
  assert.equal(isAnswered, false);
  mock.timers.tick(1);
  assert.deepEqual(await first, [{ untilFull: 400, fits: true }]);
  assert.deepEqual(await buckets.take([share]), [{ untilFull: 800, fits: true }]);
  assert.deepEqual(await buckets.take([share]), [{ untilFull: 800, fits: false }]);
  await buckets.giveBack([share]);
  assert.deepEqual(await buckets.take([share]), [{ untilFull: 800, fits: true }]);
  assert.deepEqual([asked, alone], [1, 4]);
  mock.timers.reset();
});

test('full buckets are deleted by statements that are short, however many there are', async () => {
  let left = 12_000;
  // A table that deletes at most as many rows as the statement allows, by its only number.
  const query = async (_: string, [most = Number.POSITIVE_INFINITY]: readonly number[]) => {
    assert.ok(most <= 10_000, `${most} rows in one statement`);
    const rowCount = Math.min(left, most);
    left -= rowCount;
    return { command: 'DELETE', rowCount, rows: [] };
  };
  const connect = async () => ({ query, release: () => {} }) as never;
  await using db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { options: {}, connect, end: async () => {} } }),
  });
  await dropFullBuckets(db);
  assert.equal(left, 0);
});
