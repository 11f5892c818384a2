// Candidates and results of a search in a large catalog.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDatabase } from '../database/open-database.ts';
import type { GamesTable } from '../database/schema.ts';
import { indexGame } from '../database/search-index.ts';
import type { Platform } from '../platform.ts';
import { findGamesInOrder } from './find-games.ts';
import { search } from './search.ts';

/** A database with a developer and added published games. */
async function catalog(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-catalog-'));
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
  const add = (titles: readonly string[], firstAt: number): Promise<void> =>
    db.transaction().execute(async (trx) => {
      for (const [index, title] of titles.entries()) {
        const at = firstAt + index;
        const game: GamesTable = {
          ...{ id: `g${at}`, developer_uid: 'dev', title, slug: `g${at}`, page_slug: null },
          engine: 'html5',
          ...{ tagline: null, description: null, category: null, tags: '[]', layout: null },
          ...{
            isolation: null,
            profiling: 0,
            address: null,
            owner_status: null,
            taken_down_at: null,
            taken_down_reason: null,
            status: 'published',
            live_release_id: null,
            banner_id: null,
          },
          ...{ cover_id: null, trailer_id: null, screenshots: '[]' },
          ...{
            created_at: at,
            updated_at: at,
            published_at: at,
            content_bytes: 0,
            deleted_at: null,
          },
        };
        await trx.insertInto('games').values(game).execute();
        await indexGame(trx, game);
      }
    });
  return { db, add };
}

test('a search considers the 300 newest games with its words', async (t) => {
  const { db, add } = await catalog(t);
  const platform = { db } as unknown as Platform;
  const find = async () => (await search(platform, 'goats', 1)).games.map(({ title }) => title);
  await add(['Goats'], 1);
  await add(Array(299).fill('Space Goats'), 2);
  assert.deepEqual(await find(), ['Goats']);
  await add(['Space Goats'], 301);
  assert.deepEqual(await find(), ['Space Goats']);
});

test('a search finds an old game by a rare word beside a frequent one, in either order', async (t) => {
  const { db, add } = await catalog(t);
  const platform = { db } as unknown as Platform;
  await add(['Space Yak'], 1);
  await add(Array(301).fill('Space Goats'), 2);
  for (const query of ['space yak', 'yak space']) {
    const { games } = await search(platform, query, 5);
    assert.deepEqual(
      games.map(({ title }) => title),
      ['Space Yak'],
      query,
    );
  }
});

test('a word is a prefix in any script, from two characters on', async (t) => {
  const { db, add } = await catalog(t);
  const platform = { db } as unknown as Platform;
  await add(['Космос', '吉野家', 'Hi𠮷𠮷', 'R One', 'R Two', 'Solo Rabbit'], 1);
  const rows: [query: string, titles: string[]][] = [
    ['кос', ['Космос']],
    ['吉野', ['吉野家']],
    ['hi', ['Hi𠮷𠮷']],
    ['solo ra', ['Solo Rabbit']],
    ['solo r', []],
    ['r', ['R Two', 'R One']],
  ];
  for (const [query, titles] of rows) {
    const { games } = await search(platform, query, 5);
    assert.deepEqual(
      games.map(({ title }) => title),
      titles,
      query,
    );
  }
});

test('findGamesInOrder returns published games in the order of the ids, without drafts and unknown ids', async (t) => {
  const { db, add } = await catalog(t);
  await add(['One', 'Two', 'Three'], 1);
  await db.updateTable('games').set({ status: 'draft' }).where('id', '=', 'g2').execute();
  const found = await findGamesInOrder(db, ['g3', 'g2', 'none', 'g1']);
  assert.deepEqual(
    found.map(({ id }) => id),
    ['g3', 'g1'],
  );
});
