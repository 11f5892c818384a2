// The statements of a shared database, with a pool that fails as a test needs it.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NO_LOG } from '@svc/observe';
import pg from 'pg';
import { openSharedDatabase } from './shared-database.ts';

const TABLE = { name: 'own_table', create: ['create table own_table ()', 'create index own'] };

/** A database whose next queries fail with these errors. Collects the statements that create the table. */
async function openFake(t: TestContext, isMissing: boolean) {
  const created: string[] = [];
  const errors: Error[] = [];
  let now = 0;
  let slowMs = 0;
  t.mock.method(performance, 'now', () => now);
  const client = {
    async query({ text, query_timeout }: { text: string; query_timeout: number }) {
      assert.equal(query_timeout, 20_000, 'longer than that of other statements');
      created.push(text);
      return { rows: [{ missing: isMissing }] };
    },
    release() {},
  };
  t.mock.method(pg.Pool.prototype, 'connect', async () => client);
  const { mock } = t.mock.method(pg.Pool.prototype, 'query', async () => {
    now += slowMs;
    const error = errors.shift();
    if (error !== undefined) throw error;
    return { rows: [{ one: 1 }] };
  });
  const address = 'postgres://me@127.0.0.1:9/web';
  const database = await openSharedDatabase(address, TABLE, NO_LOG);
  t.after(() => database[Symbol.asyncDispose]());
  const slow = (ms: number): void => {
    slowMs = ms;
  };
  return { database, created, errors, slow, queries: () => mock.callCount() };
}

test('a missing table is created in one transaction under a lock, and an existing one is not', async (t) => {
  for (const isMissing of [true, false]) {
    const { created } = await openFake(t, isMissing);
    const [begin, lock, look, ...rest] = created;
    assert.equal(begin, 'begin');
    assert.match(lock ?? '', /^select pg_advisory_xact_lock/);
    assert.match(look ?? '', /^select to_regclass/);
    assert.deepEqual(rest, isMissing ? [...TABLE.create, 'commit'] : ['commit']);
    t.mock.restoreAll();
  }
});

test('a read is repeated once if it fails at once, and a change never', async (t) => {
  const cut = new Error('Connection terminated unexpectedly');
  const { database, errors, slow, queries } = await openFake(t, false);
  errors.push(cut);
  assert.deepEqual(await database.read('select 1 as one'), [{ one: 1 }]);
  assert.equal(queries(), 2);
  errors.push(cut);
  await assert.rejects(database.run('delete from own_table'), { name: 'SharedDatabaseError' });
  assert.equal(queries(), 3);
  errors.push(cut, cut);
  await assert.rejects(database.read('select 1'), { name: 'SharedDatabaseError' });
  assert.equal(queries(), 5);
  // A statement that timed out is not repeated, because a page waits for it.
  slow(501);
  errors.push(cut);
  await assert.rejects(database.read('select 1'), { name: 'SharedDatabaseError' });
  assert.equal(queries(), 6);
});
