import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@svc/serve';
import pg from 'pg';
import { connectionOptions, createPostgresPool } from './postgres-pool.ts';

const URL = 'postgres://app@127.0.0.1:1/svc';

test('every wait of a connection has a bound, and a wait for a lock ends before its statement', async () => {
  const options = { url: URL, connections: 7, timeoutMs: 4_000 };
  const pool = createPostgresPool(options, { began: () => {}, ended: () => {} });
  const given: pg.PoolConfig = pool.options;
  const { max, connectionTimeoutMillis, statement_timeout, lock_timeout } = given;
  assert.deepEqual(
    { max, connectionTimeoutMillis, statement_timeout, lock_timeout },
    { max: 7, connectionTimeoutMillis: 4_000, statement_timeout: 4_000, lock_timeout: 3_000 },
  );
  assert.equal(given.idle_in_transaction_session_timeout, 8_000);
  assert.equal(given.keepAlive, true);
  await pool.end();
});

test('a database that refuses connections is unavailable, and the operator is informed', async () => {
  const began: unknown[] = [];
  const outages = { began: (error: unknown) => began.push(error), ended: () => {} };
  const pool = createPostgresPool({ url: URL, connections: 1, timeoutMs: 4_000 }, outages);
  await assert.rejects(
    pool.connect(),
    (error: unknown) => error instanceof ApiError && error.code === 'unavailable',
  );
  assert.match(String(began), /ECONNREFUSED/);
  await pool.end();
});

test('statements of migrations have no time limit, and integers of 64 bits are numbers', () => {
  const options = connectionOptions({ url: URL, timeoutMs: 4_000 });
  assert.deepEqual([options.statement_timeout, options.query_timeout], [undefined, undefined]);
  const parse = (oid: number, text: string): unknown =>
    options.types?.getTypeParser(oid, 'text')(text);
  const { INT8, INT4, BOOL, TEXT } = pg.types.builtins;
  assert.deepEqual(
    [parse(INT8, '1700000000000'), parse(INT4, '5'), parse(BOOL, 't'), parse(TEXT, '8')],
    [1_700_000_000_000, 5, true, '8'],
  );
});
