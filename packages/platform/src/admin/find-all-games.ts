// Finds games of all developers for administrators.
import type { AdminGame, QUERIES, Release } from '@svc/contracts/platform';
import type { Static } from 'typebox';
import type { Db, GamesTable, UsersTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import { formatTime } from '../http/format-time.ts';
import { cutPage, readPage } from '../http/paging.ts';
import { pageSlug, releaseRecord, takenDownRecord } from '../projects/game-records.ts';
import { storedBytes } from '../storage/stored-bytes.ts';
import type { Admin, Filter } from './act.ts';
import { containing } from './containing.ts';
import { suspensionOf } from './find-users.ts';

type GamesQuery = Filter<Static<typeof QUERIES.adminGames>>;

/** Returns a page of games, newest first. */
export async function findAllGames(
  admin: Admin,
  query: GamesQuery,
): Promise<{ games: AdminGame[]; next_cursor: string | null }> {
  const { db } = admin;
  const page = readPage(admin.limits, query);
  let found = db.selectFrom('games').selectAll();
  if (query.developer !== undefined) found = found.where('developer_uid', '=', query.developer);
  if (query.status !== undefined) found = found.where('status', '=', query.status);
  if (query.taken_down !== undefined) {
    const isDown = query.taken_down === 'true';
    const withRelease = db
      .selectFrom('releases')
      .select('game_id')
      .where('taken_down_at', 'is not', null)
      .where('deleted_at', 'is', null);
    found = found.where(({ eb, or, not }) => {
      const down = or([eb('taken_down_at', 'is not', null), eb('id', 'in', withRelease)]);
      return isDown ? down : not(down);
    });
  }
  const text = query.q?.trim() ?? '';
  if (text !== '') {
    const ofSlug = db.selectFrom('slugs').select('game_id').where('slug', '=', text);
    found = found.where(({ eb, or }) =>
      or([
        ...[eb('id', '=', text), eb('id', 'in', ofSlug)],
        ...[containing('title', text), containing('slug', text), containing('page_slug', text)],
      ]),
    );
  }
  const { after } = page;
  if (after !== null) {
    found = found.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'id'), '<', tuple(after.at, after.id)),
    );
  }
  const rows = await found
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
  const cut = cutPage(rows, page, (game) => ({ at: game.created_at, id: game.id }));
  return { games: await adminGameRecords(admin, cut.rows), next_cursor: cut.next_cursor };
}

/** Returns a game. Throws `not_found`. */
export async function findAnyGame({ db }: Pick<Admin, 'db'>, id: string): Promise<GamesTable> {
  const game = await db.selectFrom('games').selectAll().where('id', '=', id).executeTakeFirst();
  if (game === undefined) throw failure('not_found', 'Cannot find this game');
  return game;
}

/** Returns the game that has or had the slug, or that has the id. Throws `not_found`. */
export async function findGameByName(db: Db, name: string): Promise<GamesTable> {
  const ofSlug = db.selectFrom('slugs').select('game_id').where('slug', '=', name);
  const games = await db
    .selectFrom('games')
    .selectAll()
    .where(({ eb, or }) =>
      or([
        ...[eb('slug', '=', name), eb('page_slug', '=', name)],
        ...[eb('id', 'in', ofSlug), eb('id', '=', name)],
      ]),
    )
    .limit(2)
    .execute();
  const game = games.find(({ slug }) => slug === name) ?? games[0];
  if (game === undefined) throw failure('not_found', `There is no game with the slug "${name}"`);
  return game;
}

/** Returns the releases of a game that are not deleted, newest first. */
export async function releasesOf(admin: Admin, game: GamesTable): Promise<Release[]> {
  const rows = await admin.db
    .selectFrom('releases')
    .selectAll()
    .where('game_id', '=', game.id)
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.map((release) => releaseRecord(admin, release, game, 'owner'));
}

/** Returns the games as records in the same order. */
export async function adminGameRecords(
  { db, addresses }: Pick<Admin, 'db' | 'addresses'>,
  games: readonly GamesTable[],
): Promise<AdminGame[]> {
  const developers = await readDevelopers(db, games);
  const live = await readLiveReleases(db, games);
  const records: AdminGame[] = [];
  for (const game of games) {
    const developer = developers.get(game.developer_uid);
    const release = live.get(game.live_release_id ?? '');
    records.push({
      id: game.id,
      title: game.title,
      slug: pageSlug(game),
      url: `${addresses.webOrigin}/games/${pageSlug(game)}`,
      developer: { uid: game.developer_uid, name: developer?.name ?? '' },
      status: game.status,
      version: release?.version ?? null,
      created_at: formatTime(game.created_at),
      updated_at: formatTime(game.updated_at),
      bytes: await storedBytes(db, game.id),
      taken_down: takenDownRecord(game),
      release_taken_down: release === undefined ? null : takenDownRecord(release),
      developer_suspended: developer === undefined ? null : suspensionOf(developer),
      deleted_at: formatTime(game.deleted_at),
    });
  }
  return records;
}

async function readDevelopers(
  db: Db,
  games: readonly GamesTable[],
): Promise<ReadonlyMap<string, UsersTable>> {
  const uids = [...new Set(games.map((game) => game.developer_uid))];
  if (uids.length === 0) return new Map();
  const rows = await db.selectFrom('users').selectAll().where('uid', 'in', uids).execute();
  return new Map(rows.map((user) => [user.uid, user]));
}

async function readLiveReleases(db: Db, games: readonly GamesTable[]) {
  const ids = games.flatMap((game) => game.live_release_id ?? []);
  if (ids.length === 0) return new Map<string, never>();
  const rows = await db
    .selectFrom('releases')
    .select(['id', 'version', 'taken_down_at', 'taken_down_reason'])
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((release) => [release.id, release]));
}
