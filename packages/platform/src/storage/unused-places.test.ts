import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '../database/open-database.ts';
import type { AttemptsTable } from '../database/schema.ts';
import { endMediaRemoval, setUnused } from './unused-places.ts';

/** A database whose tables need no rows of other tables. */
async function databaseFor(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-places-'));
  const database = await openDatabase(folder, null);
  const { db } = database;
  t.after(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  await sql`pragma foreign_keys = off`.execute(db);
  return {
    ...{ db, platform: { db, database } },
    insertAttempt: (
      id: string,
      { state = 'committed', kind = 'media', game_id = 'game' }: Partial<AttemptsTable> = {},
    ) => db.insertInto('attempts').values({ id, game_id, kind, state, beat_at: 1 }).execute(),
    insertRemoval: (id: string, game_id = 'game') =>
      db.insertInto('removals').values({ id, game_id, kind: 'unused', created_at: 1 }).execute(),
    /** Inserts the row of an image whose files are in the place. */
    insertImage: (place: string, game_id = 'game') =>
      db
        .insertInto('media')
        .values({
          ...{ id: `image in ${place}`, game_id, place, kind: 'image', file: 'a.png' },
          ...{ type: 'image/png', width: 1, height: 1, bytes: 1, alt: null, variants: '[]' },
          ...{ created_at: 1, hash: null },
        })
        .execute(),
    states: async () =>
      Object.fromEntries(
        (await db.selectFrom('attempts').select(['id', 'state']).execute()).map((row) => [
          row.id,
          row.state,
        ]),
      ),
    removals: async () =>
      (await db.selectFrom('removals').select('id').orderBy('id').execute()).map((row) => row.id),
  };
}

test('setUnused marks the given places that are committed, and their hour begins', async (t) => {
  const { db, platform, insertAttempt, states } = await databaseFor(t);
  const before = Date.now();
  for (const state of ['open', 'committed', 'abandoned', 'swept'] as const) {
    await insertAttempt(state, { state });
  }
  await insertAttempt('other');
  await setUnused(platform, db, ['open', 'committed', 'abandoned', 'swept']);
  assert.deepEqual(await states(), {
    ...{ open: 'open', committed: 'unused', abandoned: 'abandoned', swept: 'swept' },
    other: 'committed',
  });
  const { beat_at } = await db
    .selectFrom('attempts')
    .select('beat_at')
    .where('id', '=', 'committed')
    .executeTakeFirstOrThrow();
  assert.ok(beat_at >= before - 1000);
});

test('the end of a removal marks the updates of this page of which no medium is left', async (t) => {
  const { platform, insertAttempt, insertRemoval, insertImage, states, removals } =
    await databaseFor(t);
  for (const id of ['replaced', 'shown']) await insertAttempt(id);
  await insertAttempt('publish', { kind: 'publish' });
  await insertAttempt('running', { state: 'open' });
  await insertAttempt('of another', { game_id: 'other' });
  await insertImage('shown');
  await insertRemoval('removal');
  await insertRemoval('removal of another', 'other');
  await endMediaRemoval(platform, 'game', 'removal');
  assert.deepEqual(await removals(), ['removal of another']);
  assert.deepEqual(await states(), {
    ...{ replaced: 'unused', shown: 'committed', publish: 'committed' },
    ...{ running: 'open', 'of another': 'committed' },
  });
});

test('while another removal is scheduled for the project, the end of a removal marks nothing', async (t) => {
  const { platform, insertAttempt, insertRemoval, states, removals } = await databaseFor(t);
  await insertAttempt('replaced');
  for (const id of ['first', 'second']) await insertRemoval(id);
  await endMediaRemoval(platform, 'game', 'first');
  assert.deepEqual([await removals(), await states()], [['second'], { replaced: 'committed' }]);
  await endMediaRemoval(platform, 'game', 'second');
  assert.deepEqual([await removals(), await states()], [[], { replaced: 'unused' }]);
});
