import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import type { ManifestFile } from '../database/manifest.ts';
import { openDatabase } from '../database/open-database.ts';
import type { MediaTable } from '../database/schema.ts';
import { countReleases, readContents } from './contents.ts';
import { insertManifest, readLiveManifest, readManifest } from './manifests.ts';
import { mediaKeys, storedBytes } from './stored-bytes.ts';

const FILE: ManifestFile = {
  ...{ path: 'index.html', hash: 'page', place: 'first', type: 'text/html', encoding: null },
  ...{ bytes: 10, inner_bytes: 10, hashed_name: 0, gzip_bytes: null, br_bytes: null },
};

/** A database whose tables need no rows of other tables. */
async function databaseFor(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-contents-'));
  const { db } = await openDatabase(folder, null);
  t.after(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  await sql`pragma foreign_keys = off`.execute(db);
  return {
    db,
    /** Inserts a release with a manifest of the same id. */
    async insertRelease(id: string, game_id: string, files: ManifestFile[], deleted_at?: number) {
      const release = {
        ...{ id, game_id, version: id, notes: null, created_at: 1, zip_bytes: 1000 },
        ...{ expanded_bytes: 1, file_count: 1, digest: 'x', isolation: 'none', place: id },
      };
      await db
        .insertInto('releases')
        .values({
          ...release,
          deleted_at: deleted_at ?? null,
          zip_stored: 1,
          staged: 0,
          replaced_at: null,
          playable: 0,
          address: null,
          manifest_id: id,
        })
        .execute();
      await db
        .transaction()
        .execute((trx) => insertManifest(trx, { id: `manifest ${id}`, releaseId: id }, files));
    },
  };
}

test('of a content with two places, the one of the newer release is used', async (t) => {
  const { db, insertRelease } = await databaseFor(t);
  const again = { ...FILE, place: 'second', gzip_bytes: 5, br_bytes: 4 };
  await insertRelease('2', 'game', [again]);
  await insertRelease('1', 'game', [FILE, { ...FILE, path: 'a.js', hash: 'script', bytes: 7 }]);
  await insertRelease('3', 'other', [{ ...FILE, place: 'of another' }]);
  const contents = await readContents(db, 'game');
  const script = { hash: 'script', place: 'first', bytes: 7, gzip_bytes: null, br_bytes: null };
  const page = { hash: 'page', place: 'second', bytes: 10, gzip_bytes: 5, br_bytes: 4 };
  assert.deepEqual(Object.fromEntries(contents), { script, page });
});

test('releases are counted with the deleted ones, for each project', async (t) => {
  const { db, insertRelease } = await databaseFor(t);
  assert.deepEqual(await countReleases(db, 'game'), { all: 0, deleted: 0 });
  await insertRelease('1', 'game', [], 5);
  await insertRelease('2', 'game', []);
  await insertRelease('3', 'game', []);
  await insertRelease('4', 'other', [], 5);
  assert.deepEqual(await countReleases(db, 'game'), { all: 3, deleted: 1 });
});

test('a release without a manifest has no files', async (t) => {
  const { db, insertRelease } = await databaseFor(t);
  await insertRelease('1', 'game', [FILE]);
  await db.updateTable('releases').set({ manifest_id: 'manifest 1' }).execute();
  assert.deepEqual(await readLiveManifest(db, '1'), [FILE]);
  await db.updateTable('releases').set({ manifest_id: null }).execute();
  assert.deepEqual(await readLiveManifest(db, '1'), []);
  for (const id of [null, 'none']) {
    assert.deepEqual([await readManifest(db, id), await readLiveManifest(db, id)], [[], []]);
  }
});

test('variants without a size, as older versions stored them, count as 0, and their files are known', async (t) => {
  const { db, insertRelease } = await databaseFor(t);
  assert.equal(await storedBytes(db, 'none'), 0);
  await insertRelease('1', 'game', []);
  await insertRelease('2', 'game', [], 5);
  const variant = { type: 'image/webp', width: 1, height: 1 };
  const image: MediaTable = {
    ...{ id: 'image', game_id: 'game', place: null, kind: 'image', file: 'a.png', hash: null },
    ...{ type: 'image/png', width: 1, height: 1, bytes: 50, alt: null, created_at: 1 },
    variants: JSON.stringify([
      { ...variant, file: 'a.webp' },
      { ...variant, file: 'b.webp', bytes: 3 },
    ]),
  };
  await db.insertInto('media').values(image).execute();
  assert.equal(await storedBytes(db, 'game'), 1000 + 50 + 3);
  const keys = (place: string): string[] =>
    ['a.png', 'a.webp', 'b.webp'].map((file) => `game/${place}/${file}`);
  assert.deepEqual(mediaKeys('game', image), keys('media'));
  assert.deepEqual(mediaKeys('game', { ...image, place: 'place' }), keys('place'));
});
