import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ApiError } from '@svc/serve';
import pg from 'pg';
import type { Outages } from './outages.ts';
import { PostgresSession } from './postgres-session.ts';

const TIMEOUT_MS = 4_000;
/** A connection that was closed while it was idle fails within this time. */
const STALE_MS = 250;

type Sent = { readonly text: string; readonly values: unknown[]; readonly query_timeout: number };

function lostConnection(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}

function databaseError(code: string): Error {
  return Object.assign(new pg.DatabaseError('the message', 11, 'error'), { code });
}

/**
 * Opens a session. Each of the next statements fails with an error of `failures`. Records the statements, the connections that
 * were released (true: not to be used again), and the calls of the outages.
 */
async function openSession(t: TestContext) {
  const failures: Error[] = [];
  const clock = { now: 1_000 };
  t.mock.method(performance, 'now', () => clock.now);
  const sent: Sent[] = [];
  const released: [connection: number, isDestroyed: boolean][] = [];
  const outages: string[] = [];
  let connections = 0;
  const connect = async (): Promise<pg.PoolClient> => {
    const number = ++connections;
    return {
      async query(query: Sent) {
        sent.push(query);
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        return { rows: [number] };
      },
      release: (isDestroyed: boolean) => released.push([number, isDestroyed]),
    } as unknown as pg.PoolClient;
  };
  const noted: Outages = {
    began: () => outages.push('began'),
    ended: () => outages.push('ended'),
  };
  const options = { connect, outages: noted, timeoutMs: TIMEOUT_MS, startedAt: clock.now };
  const session = new PostgresSession(await connect(), options);
  const query = (sql: string, parameters: readonly unknown[] = []) =>
    session.query(sql, parameters);
  return { session, query, failures, clock, sent, released, outages };
}

const hasCode = (code: string) => (error: unknown) =>
  error instanceof ApiError && error.code === code;

for (const sql of ['select 1', 'begin']) {
  test(`"${sql}" on a connection that was closed while it was idle is repeated on another`, async (t) => {
    const { session, query, failures, sent, released, outages } = await openSession(t);
    failures.push(lostConnection(), lostConnection());
    assert.deepEqual(await query(sql, [7]), { rows: [3] });
    assert.deepEqual(
      sent.map(({ text, values }) => [text, ...values]),
      [1, 2, 3].map(() => [sql, 7]),
    );
    assert.deepEqual(
      [released.splice(0), outages],
      [
        [
          [1, true],
          [2, true],
        ],
        ['ended'],
      ],
    );
    session.release();
    session.release();
    assert.deepEqual(released, [[3, false]], 'once');
  });
}

test('a statement that may have changed something, or is not the first, is not repeated', async (t) => {
  for (const [before, text] of [
    [null, 'insert into x'],
    [null, 'update x'],
    [null, 'selection'],
    ['begin', 'select 1'],
  ] as const) {
    const { query, failures, sent, outages } = await openSession(t);
    if (before !== null) await query(before);
    sent.length = 0;
    failures.push(lostConnection());
    await assert.rejects(query(text), hasCode('unavailable'), text);
    assert.deepEqual([sent.length, outages.at(-1)], [1, 'began'], text);
    t.mock.restoreAll();
  }
});

test('a first statement that fails late, or with an error of the database, is not repeated', async (t) => {
  const { query, failures, clock, sent } = await openSession(t);
  failures.push(lostConnection());
  clock.now += STALE_MS;
  await assert.rejects(query('select 1'), hasCode('unavailable'));
  assert.equal(sent.length, 1);
  t.mock.restoreAll();
  const other = await openSession(t);
  other.failures.push(databaseError('57014'));
  await assert.rejects(other.query('select 1'), hasCode('unavailable'));
  assert.equal(other.sent.length, 1);
});

test('a statement is repeated at most twenty times', async (t) => {
  const { session, query, failures, sent, released } = await openSession(t);
  failures.push(...Array.from({ length: 30 }, lostConnection));
  await assert.rejects(query('select 1'), hasCode('unavailable'));
  session.release();
  assert.deepEqual([sent.length, released.length], [21, 21]);
});

test('after a lost connection, all statements fail with the first error, a rollback succeeds, and the connection is dropped', async (t) => {
  const { session, query, failures, sent, released, outages } = await openSession(t);
  await query('begin');
  failures.push(lostConnection());
  const first = await query('update x').catch((error: unknown) => error);
  const second = await query('update y').catch((error: unknown) => error);
  assert.ok(hasCode('unavailable')(first));
  assert.equal(second, first);
  assert.equal((await query('rollback')).command, 'ROLLBACK');
  session.release();
  assert.deepEqual(
    sent.map(({ text }) => text),
    ['begin', 'update x'],
  );
  assert.deepEqual([released, outages], [[[1, true]], ['ended', 'began']]);
});

test('after an error of a statement, the transaction is rolled back on the same connection, which is used again', async (t) => {
  const { session, query, failures, sent, released, outages } = await openSession(t);
  await query('begin');
  const unique = databaseError('23505');
  failures.push(unique, databaseError('40001'));
  await assert.rejects(query('insert into x'), unique);
  await assert.rejects(query('insert into y'), hasCode('busy'));
  await query('rollback');
  session.release();
  assert.equal(sent.at(-1)?.text, 'rollback');
  assert.deepEqual([released, outages], [[[1, false]], ['ended', 'ended']]);
});

test('the wait for the connection counts towards the time limit of the first statement', async (t) => {
  const { query, clock, sent } = await openSession(t);
  const marginMs = 500;
  clock.now += 1_500;
  await query('begin');
  await query('select 1');
  clock.now += 60_000;
  await query('commit');
  const limits = sent.map(({ query_timeout }) => query_timeout - marginMs);
  assert.deepEqual(limits, [TIMEOUT_MS - 1_500, TIMEOUT_MS, TIMEOUT_MS]);
  t.mock.restoreAll();
  const late = await openSession(t);
  late.clock.now += 60_000;
  await late.query('begin');
  assert.equal(late.sent[0]?.query_timeout, marginMs);
});
