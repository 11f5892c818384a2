// The collection of unused files while releases change.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '../database/open-database.ts';
import type { Platform } from '../platform.ts';
import { collectUnused } from './collect-unused.ts';

/** A platform whose database needs no rows of other tables. `during` runs while the files are listed. */
async function platformFor(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-collect-'));
  const database = await openDatabase(folder, null);
  const { db } = database;
  t.after(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  await sql`pragma foreign_keys = off`.execute(db);
  await sql`insert into games (id, developer_uid, title, slug, engine, status, tags, screenshots, created_at, updated_at, content_bytes)
    values ('game', 'dev', 'Goats', 'goats', 'html5', 'draft', '[]', '[]', 1, 1, 77)`.execute(db);
  let during = async (): Promise<void> => {};
  const files = {
    async *list() {
      await during();
      yield* [];
    },
    remove: async () => {},
  };
  return {
    platform: { db, database, files } as unknown as Platform,
    meanwhile(work: () => Promise<void>): void {
      during = work;
    },
    insertRelease: async (id: string): Promise<void> => {
      await sql`insert into releases (id, game_id, version, created_at, zip_bytes, expanded_bytes, file_count, digest, isolation)
        values (${id}, 'game', ${id}, 1, 1, 1, 1, 'd', 'none')`.execute(db);
    },
    deleteRelease: async (id: string): Promise<void> => {
      await sql`update releases set deleted_at = 2 where id = ${id}`.execute(db);
    },
    contentBytes: async (): Promise<number> =>
      Number(
        (await db.selectFrom('games').select('content_bytes').executeTakeFirstOrThrow())
          .content_bytes,
      ),
  };
}

test('the size of the contents is saved only if no release was added or deleted meanwhile', async (t) => {
  const { platform, meanwhile, insertRelease, deleteRelease, contentBytes } = await platformFor(t);
  await insertRelease('1');
  meanwhile(() => insertRelease('2'));
  assert.deepEqual([await collectUnused(platform, 'game'), await contentBytes()], [false, 77]);
  meanwhile(() => deleteRelease('1'));
  assert.deepEqual([await collectUnused(platform, 'game'), await contentBytes()], [false, 77]);
  meanwhile(async () => {});
  assert.deepEqual([await collectUnused(platform, 'game'), await contentBytes()], [true, 0]);
});
