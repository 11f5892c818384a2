import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { logTo } from '@svc/observe/testing';
import { ApiError } from '@svc/serve';
import { sql } from 'kysely';
import { until } from '../../../../scripts/until.ts';
import { openDatabase } from '../database/open-database.ts';
import type { Trx } from '../database/schema.ts';
import { createFolderStore } from '../files/folder-store.ts';
import type { Platform } from '../platform.ts';
import { openAttempt } from './attempt.ts';
import { setUnused } from './unused-places.ts';

const LEASE_MS = 12_000;

/** A platform with the parts that attempts need. */
async function platformFor(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-attempts-'));
  const database = await openDatabase(folder, null);
  const { db } = database;
  t.after(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  const files = createFolderStore(join(folder, 'projects'));
  const lines: string[] = [];
  const log = logTo((line) => lines.push(line));
  const platform = {
    ...{ db, database, files, log },
    attemptLeaseMs: LEASE_MS,
  } as unknown as Platform;
  let count = 0;
  return {
    platform,
    db,
    lines,
    rows: async () =>
      (
        await db
          .selectFrom('attempts')
          .select(['id', 'state'])
          .where('state', '<>', 'swept')
          .orderBy('id')
          .execute()
      ).map(({ id, state }) => [id, state]),
    keys: async () => (await Array.fromAsync(files.list('game'))).map((file) => file.key).sort(),
    /** Makes the heartbeat of an attempt as old as the lease, plus the milliseconds. */
    age: (id: string, ms: number) =>
      sql`update attempts set beat_at = cast(unixepoch('subsec') * 1000 as integer)
        - ${LEASE_MS + ms} where id = ${id}`.execute(db),
    async written(): Promise<string> {
      const path = join(folder, String(++count));
      await writeFile(path, 'content');
      return path;
    },
  };
}

const inSecrets = (name: string) => (trx: Trx) =>
  trx.insertInto('secrets').values({ name, value: 'x' }).execute();
const hasCode = (code: string) => (error: unknown) =>
  error instanceof ApiError && error.code === code;

test('a publish excludes another publish of the project, and nothing else', async (t) => {
  const { platform, rows } = await platformFor(t);
  {
    await using first = await openAttempt(platform, 'game', 'publish');
    await assert.rejects(openAttempt(platform, 'game', 'publish'), hasCode('publish_in_progress'));
    await using _other = await openAttempt(platform, 'other', 'publish');
    await using _media = await openAttempt(platform, 'game', 'media');
    await using _again = await openAttempt(platform, 'game', 'media');
    assert.equal((await rows()).length, 4);
    assert.equal(first.signal.aborted, false);
  }
  assert.deepEqual(await rows(), []);
});

test('an attempt that is not committed removes what it stored', async (t) => {
  const { platform, rows, keys, written } = await platformFor(t);
  {
    await using attempt = await openAttempt(platform, 'game', 'publish');
    await using beside = await openAttempt(platform, 'game', 'media');
    await beside.batch.put(`game/${beside.id}/b`, await written());
    await attempt.batch.put(`game/${attempt.id}/a`, await written());
    await attempt.batch.settle();
    await beside.batch.settle();
    await beside.commit(inSecrets('beside'), async () => []);
    assert.equal((await keys()).length, 2);
  }
  const [[id, state] = []] = await rows();
  assert.equal(state, 'committed');
  assert.deepEqual(await keys(), [`game/${id}/b`]);
});

test('a transaction that fails commits nothing, and its attempt is undone', async (t) => {
  const { platform, db, rows, keys, written } = await platformFor(t);
  const failed = (async () => {
    await using attempt = await openAttempt(platform, 'game', 'publish');
    await attempt.batch.put(`game/${attempt.id}/a`, await written());
    await attempt.batch.settle();
    await attempt.commit(
      async (trx) => {
        await inSecrets('failed')(trx);
        throw new Error('refused');
      },
      async () => assert.fail('there is nothing to recall'),
    );
  })();
  await assert.rejects(failed, /refused/);
  assert.deepEqual([await rows(), await keys()], [[], []]);
  assert.deepEqual(await db.selectFrom('secrets').select('name').execute(), []);
});

test('an attempt without a heartbeat for the lease is taken over, and can never be committed', async (t) => {
  const { platform, db, age, rows, keys, written } = await platformFor(t);
  const stalled = await openAttempt(platform, 'game', 'publish');
  await stalled.batch.put(`game/${stalled.id}/a`, await written());
  await stalled.batch.settle();
  await age(stalled.id, -1000);
  await assert.rejects(openAttempt(platform, 'game', 'publish'), hasCode('publish_in_progress'));
  await age(stalled.id, 1);
  await using next = await openAttempt(platform, 'game', 'publish');
  await next.batch.put(`game/${next.id}/a`, await written());
  await next.batch.settle();
  await next.commit(inSecrets('next'), async () => []);
  const late = stalled.commit(inSecrets('late'), async () => assert.fail('it is not committed'));
  await assert.rejects(late, hasCode('change_interrupted'));
  await stalled[Symbol.asyncDispose]();
  assert.deepEqual(await rows(), [[next.id, 'committed']]);
  assert.deepEqual(await keys(), [`game/${next.id}/a`], 'the files of the next attempt stay');
  const names = await db.selectFrom('secrets').select('name').execute();
  assert.deepEqual(
    names.map((row) => row.name),
    ['next'],
  );
});

test('an attempt sends heartbeats for its own row, and is aborted when it is lost', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { platform, db } = await platformFor(t);
  await using attempt = await openAttempt(platform, 'game', 'publish');
  await using _other = await openAttempt(platform, 'other', 'publish');
  const beats = async () =>
    Object.fromEntries(
      (await db.selectFrom('attempts').select(['game_id', 'beat_at']).execute()).map(
        ({ game_id, beat_at }) => [game_id, beat_at],
      ),
    );
  const kept = (await beats())['other'];
  for (let round = 0; round < 3; round++) {
    await db.updateTable('attempts').set({ beat_at: 1 }).where('id', '=', attempt.id).execute();
    // A quarter of the lease: one late heartbeat is harmless.
    t.mock.timers.tick(LEASE_MS / 4);
    await until(beats, (now) => (now['game'] ?? 0) > 1, 'the attempt beats', 30_000);
  }
  assert.ok(((await beats())['other'] ?? 0) >= (kept ?? 0));
  assert.equal(attempt.signal.aborted, false);
  await db.updateTable('attempts').set({ state: 'abandoned', beat_at: 1 }).execute();
  t.mock.timers.tick(LEASE_MS / 4);
  await until(
    () => attempt.signal.aborted,
    (aborted) => aborted,
    'the attempt is lost',
    30_000,
  );
  assert.ok(hasCode('change_interrupted')(attempt.signal.reason));
  assert.deepEqual(Object.values(await beats()), [1, 1], 'a lost attempt does not beat');
});

/** Makes the next transaction fail after its work, before or after its commit. Does the other work before the failure. */
function loseConnection(
  t: TestContext,
  { db }: Platform,
  when: 'before' | 'after',
  meanwhile: () => Promise<void> = async () => {},
): void {
  const real = db.transaction.bind(db);
  const mock = t.mock.method(db, 'transaction', () => {
    mock.mock.restore();
    const execute = async (work: (trx: Trx) => Promise<unknown>) => {
      await real().execute(async (trx) => {
        await work(trx);
        if (when === 'before') throw new Error('Connection terminated');
      });
      await meanwhile();
      throw new Error('Connection terminated');
    };
    return { execute } as unknown as ReturnType<typeof real>;
  });
}

test('a commit whose answer is lost has succeeded if the database says so, and nothing is undone', async (t) => {
  const { platform, rows, keys, written } = await platformFor(t);
  let id = '';
  {
    await using attempt = await openAttempt(platform, 'game', 'publish');
    id = attempt.id;
    await attempt.batch.put(`game/${id}/a`, await written());
    await attempt.batch.settle();
    loseConnection(t, platform, 'after');
    const answer = await attempt.commit(
      async (trx) => {
        await inSecrets('lost')(trx);
        return 'first';
      },
      async () => 'recalled',
    );
    assert.equal(answer, 'recalled');
  }
  assert.deepEqual([await rows(), await keys()], [[[id, 'committed']], [`game/${id}/a`]]);
});

test('a commit whose answer is lost has succeeded even if its files were replaced before the outcome is looked up', async (t) => {
  const { platform, db, rows } = await platformFor(t);
  await using attempt = await openAttempt(platform, 'game', 'media');
  loseConnection(t, platform, 'after', () => setUnused(platform, db, [attempt.id]));
  const answer = await attempt.commit(
    async () => 'first',
    async () => 'recalled',
  );
  assert.equal(answer, 'recalled');
  assert.deepEqual(await rows(), [[attempt.id, 'unused']]);
});

test('a commit that was lost with the connection has failed, and is undone', async (t) => {
  const { platform, rows, keys, written } = await platformFor(t);
  {
    await using attempt = await openAttempt(platform, 'game', 'publish');
    await attempt.batch.put(`game/${attempt.id}/a`, await written());
    await attempt.batch.settle();
    loseConnection(t, platform, 'before');
    const lost = attempt.commit(inSecrets('lost'), async () => assert.fail('it has failed'));
    await assert.rejects(lost, /Connection terminated/);
  }
  assert.deepEqual([await rows(), await keys()], [[], []]);
});

test('if the database does not answer for ten seconds, the outcome is unknown, and nothing is removed', async (t) => {
  const { platform, db, rows, keys, written, lines } = await platformFor(t);
  const rename = (from: string, to: string) =>
    sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(db);
  const attempt = await openAttempt(platform, 'game', 'publish');
  await attempt.batch.put(`game/${attempt.id}/a`, await written());
  await attempt.batch.settle();
  await rename('attempts', 'away');
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.timers.reset();
    syncBuiltinESMExports();
  });
  let outcome: unknown = 'waits';
  attempt
    .commit(inSecrets('lost'), async () => [])
    .catch((error: unknown) => {
      outcome = error;
    });
  let waited = 0;
  for (; outcome === 'waits' && waited < 60_000; waited += 1000) {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    t.mock.timers.tick(1000);
  }
  assert.ok(hasCode('unavailable')(outcome), String(outcome));
  assert.ok(waited >= 9_000 && waited <= 12_000, `${waited} ms`);
  await attempt[Symbol.asyncDispose]();
  await rename('away', 'attempts');
  assert.deepEqual(await rows(), [[attempt.id, 'open']], 'the upkeep finds out later');
  assert.deepEqual([await keys(), lines], [[`game/${attempt.id}/a`], []]);
});

test('an attempt that cannot be undone is left to the upkeep', async (t) => {
  const { platform, db, rows, lines } = await platformFor(t);
  const attempt = await openAttempt(platform, 'game', 'publish');
  const failing = t.mock.method(platform.files, 'removeFolder', async () => {
    throw new Error('EBUSY');
  });
  await attempt[Symbol.asyncDispose]();
  assert.equal(failing.mock.callCount(), 1);
  assert.deepEqual(await rows(), [[attempt.id, 'abandoned']]);
  assert.match(lines.join(), /^warning: an attempt is left to the upkeep: Error: EBUSY/);
  await db.deleteFrom('attempts').execute();
});
