// Finding files while a game changes between two queries.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ManifestFile } from '../database/manifest.ts';
import { openDatabase } from '../database/open-database.ts';
import type { Trx } from '../database/schema.ts';
import type { Platform } from '../platform.ts';
import { insertManifest } from '../storage/manifests.ts';
import { createFileFinder, type FileFinder } from './find-file.ts';
import { createGameFinder } from './find-game.ts';

const SLUG = 'goats';
const LIVE = { kind: 'live' } as const;
const GAME = {
  ...{ id: 'g', releaseId: 'r1', manifestId: 'm1', isolation: 'none', profiling: false },
};

/** A published game with a live release, whose file is in the place `p1`. */
async function openGame(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-find-'));
  const { db } = await openDatabase(folder, null);
  t.after(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  await db
    .insertInto('users')
    .values({
      ...{ uid: 'dev', issuer: 'i', sub: 's', email: null, name: 'Dev', role: 'developer' },
      ...{ avatar: null, avatar_id: null, name_edited: 0, avatar_edited: 0, created_at: 1 },
    })
    .execute();
  await db
    .insertInto('games')
    .values({
      ...{ id: 'g', developer_uid: 'dev', title: 'Goats', slug: SLUG, page_slug: null },
      engine: 'html5',
      ...{ tagline: null, description: null, category: null, tags: '[]', layout: null },
      ...{
        isolation: null,
        profiling: 0,
        address: null,
        status: 'published',
        live_release_id: null,
        banner_id: null,
      },
      ...{ cover_id: null, trailer_id: null, screenshots: '[]' },
      ...{ created_at: 1, updated_at: 1, published_at: 1, content_bytes: 0 },
    })
    .execute();
  let stamp = 1;
  const platform = {
    db,
    now: () => 1,
    changes: { stampOf: () => stamp, isCurrent: () => true, changed: () => {} },
    addresses: { webOrigin: 'https://www.example' },
  } as unknown as Platform;
  const change = (): void => {
    stamp++;
  };
  await db.transaction().execute((trx) => publish(trx, '1'));
  return { db, platform, change };
}

/** Publishes a release with one file. Its names contain the number. */
async function publish(trx: Trx, number: string, path = 'index.html'): Promise<void> {
  const sizes = { bytes: 1, inner_bytes: 1, gzip_bytes: null, br_bytes: null };
  const file: ManifestFile = {
    ...{ path, place: `p${number}`, hash: 'h', type: 'text/html' },
    ...{ encoding: null, hashed_name: 0, ...sizes },
  };
  await trx
    .insertInto('releases')
    .values({
      ...{ id: `r${number}`, game_id: 'g', version: number, notes: null, created_at: 1 },
      ...{ zip_bytes: 1, expanded_bytes: 1, file_count: 1, digest: 'd', isolation: 'none' },
      ...{
        deleted_at: null,
        place: null,
        zip_stored: 1,
        staged: 0,
        replaced_at: null,
        playable: 0,
        address: null,
        manifest_id: `m${number}`,
      },
    })
    .execute();
  await insertManifest(trx, { id: `m${number}`, releaseId: `r${number}` }, [file]);
  await trx
    .updateTable('games')
    .set({ live_release_id: `r${number}` })
    .where('id', '=', 'g')
    .execute();
}

test('a game that changes during its query is not used from the cache', async (t) => {
  const { platform, change } = await openGame(t);
  const games = createGameFinder(platform);
  const found = games.read(SLUG);
  change();
  assert.deepEqual(await found, GAME);
  assert.equal(games.recall(SLUG), undefined);
  assert.deepEqual(await games.read(SLUG), GAME);
  assert.deepEqual(games.recall(SLUG), GAME);
});

/** The key of the file that is found. */
async function keyOf(found: ReturnType<FileFinder['find']>): Promise<string | undefined> {
  const file = await found;
  return file !== null && 'identity' in file ? file.identity.key : undefined;
}

test('a game whose release is replaced and deleted between the queries is played from the new one', async (t) => {
  const { db, platform } = await openGame(t);
  const finder = createFileFinder(platform);
  // The query for the game is first, then comes the transaction, then the query for its manifest.
  const found = finder.find({ slug: SLUG, path: 'index.html', from: LIVE });
  await db.transaction().execute(async (trx) => {
    await publish(trx, '2');
    await trx.updateTable('releases').set({ manifest_id: null }).where('id', '=', 'r1').execute();
    await trx.deleteFrom('manifests').where('id', '=', 'm1').execute();
  });
  assert.equal(await keyOf(found), 'g/p2/h');
});

test('a file of a release that this process has not heard of yet is found', async (t) => {
  const { db, platform } = await openGame(t);
  const finder = createFileFinder(platform);
  assert.deepEqual(await finder.find({ slug: SLUG, path: 'new.js', from: LIVE }), {
    missingIn: GAME,
  });
  // Another process publishes. The stamp is still the old one.
  await db.transaction().execute((trx) => publish(trx, '2', 'new.js'));
  assert.equal(
    await keyOf(finder.find({ slug: SLUG, path: 'index.html', from: LIVE })),
    'g/p1/h',
    'it plays the old',
  );
  assert.equal(await keyOf(finder.find({ slug: SLUG, path: 'new.js', from: LIVE })), 'g/p2/h');
});
